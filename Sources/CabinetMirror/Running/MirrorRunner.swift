import Cabinet
import Foundation
import Synchronization

/// The background tasks of a mirror: a fetch, a send and a fetch of assets that do not wait for each other, and the listeners that wake
/// them.
final class MirrorRunner: Sendable {
    private let contexts: [MirrorContext]
    private let fetching: MirrorLoop
    private let sending: MirrorLoop
    /// Fetches assets; `nil` if they are fetched on demand.
    private let assets: MirrorLoop?
    private let tasks = Mutex<[Task<Void, Never>]>([])

    init(_ contexts: [MirrorContext], _ state: MirrorState, now: @escaping @Sendable () -> Date) {
        self.contexts = contexts
        let schedule = MirrorSchedule(now: now)
        let fetchesAssets = contexts.contains { $0.configuration.assets.fetching == .atOnce }
        let loop = MirrorLoop(schedule, state, isFetch: false) {
            try await contexts.forEachTrying { try await $0.fetchAssets() }
        }
        let assets = fetchesAssets ? loop : nil
        self.assets = assets
        fetching = MirrorLoop(schedule, state, isFetch: true) {
            defer { assets?.wake() }
            try await contexts.forEachTrying { try await $0.fetch() }
        }
        sending = MirrorLoop(schedule, state, isFetch: false) {
            // A version of the server that was merged may have assets too.
            defer { assets?.wake() }
            try await contexts.forEachTrying { context in
                try await context.count()
                if try await context.store.hasUnsent() { try await context.send() }
            }
        }
    }

    /// Begins to fetch and send.
    func start() {
        let (contexts, fetching, sending, assets) = (contexts, fetching, sending, assets)
        guard let remote = contexts.first?.remote else { return }
        let caller = remote.caller
        let started =
            [
                Task { await fetching.run() },
                Task { await sending.run() },
                Task { if let assets { await assets.run() } },
                Task {
                    guard let signals = try? remote.service.signals(of: contexts.map(\.scope), for: caller) else {
                        return
                    }
                    for await _ in signals {
                        fetching.wakeBySignal()
                        sending.wakeBySignal()
                        assets?.wakeBySignal()
                    }
                },
            ]
            + contexts.map { context in
                Task {
                    // Other processes write to the store too.
                    guard let signals = try? context.local.signals(of: [.private], for: caller) else { return }
                    var known: PendingState?
                    for await _ in signals {
                        // The mirror itself stores its lease and the like, after which nothing new is to be sent.
                        let state = try? await context.store.pendingState()
                        if let state, state == known { continue }
                        known = state
                        sending.wake()
                    }
                }
            }
        tasks.withLock { $0 = started }
        fetching.wake()
        sending.wake()
    }

    /// Wakes the fetch.
    func wakeFetch() { fetching.wake(isUrgent: true) }

    /// Wakes the send.
    func wakeSend(isUrgent: Bool = false) { sending.wake(isUrgent: isUrgent) }

    /// Ends the tasks.
    ///
    /// - Returns: The tasks, which end soon.
    @discardableResult
    func cancel() -> [Task<Void, Never>] {
        fetching.stop()
        sending.stop()
        assets?.stop()
        let ending = tasks.withLock { tasks in
            defer { tasks = [] }
            return tasks
        }
        for task in ending { task.cancel() }
        return ending
    }

    /// Ends the tasks, and waits for them.
    func stop() async { for task in cancel() { await task.value } }
}

extension [MirrorContext] {
    /// Runs a closure for each database, also if it fails for another one.
    ///
    /// - Throws: The first error.
    func forEachTrying(_ body: (MirrorContext) async throws -> Void) async throws {
        var failure: (any Error)?
        for context in self {
            do {
                try await body(context)
            } catch {
                if Task.isCancelled { throw error }
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }
}
