import Cabinet
import Foundation
import Synchronization

/// The background tasks of a mirror: a fetch and a send that do not wait for each other, and the two listeners that wake them.
final class MirrorRunner: Sendable {
    private let context: MirrorContext
    private let fetching: MirrorLoop
    private let sending: MirrorLoop
    private let tasks = Mutex<[Task<Void, Never>]>([])

    init(_ context: MirrorContext) {
        self.context = context
        let schedule = MirrorSchedule(now: context.now)
        fetching = MirrorLoop(schedule, context.state) {
            try await context.fetch()
        }
        sending = MirrorLoop(schedule, context.state) {
            try await context.count()
            guard try await context.store.hasUnsent() else { return }
            try await context.send()
        }
    }

    /// Begins to fetch and send.
    func start() {
        let (context, fetching, sending) = (context, fetching, sending)
        let caller = context.remote.caller
        let started = [
            Task { await fetching.run() },
            Task { await sending.run() },
            Task {
                // A signal also follows each new connection, so it ends the waits after failures of the network.
                guard let signals = try? context.remote.service.signals(of: [.private], for: caller) else { return }
                for await _ in signals {
                    fetching.wake(isUrgent: true)
                    sending.wake(isUrgent: true)
                }
            },
            Task {
                // Other processes write to the store too.
                guard let signals = try? context.local.signals(of: [.private], for: caller) else { return }
                for await _ in signals { sending.wake() }
            },
        ]
        tasks.withLock { $0 = started }
        fetching.wake()
        sending.wake()
    }

    /// Wakes the send.
    func wakeSend(isUrgent: Bool = false) { sending.wake(isUrgent: isUrgent) }

    /// Ends the tasks.
    ///
    /// - Returns: The tasks, which end soon.
    @discardableResult
    func cancel() -> [Task<Void, Never>] {
        fetching.stop()
        sending.stop()
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
