import Cabinet
import Foundation
import Synchronization

/// Sends and fetches for an engine that syncs automatically.
///
/// Changes that are added together are sent together. A subscription to the database says when to fetch.
final class SyncScheduler: Sendable {
    private let tasks = Mutex<[Task<Void, Never>]>([])
    private let requests: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() {
        (requests, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Asks for a send.
    func requestSend() { continuation.yield() }

    /// Begins to send and fetch.
    ///
    /// The engine is not kept alive.
    func start(for engine: CKSyncEngine) {
        let requests = requests
        let sending = Task { [weak engine] in
            for await _ in requests {
                // The delegate's error handling adds changes again, so that a failure here needs no other handling.
                try? await engine?.send(.init(reason: .scheduled, options: .init()))
            }
        }
        let database = engine.database
        let id = engine.configuration.subscriptionID ?? "cabinet-sync-engine"
        let fetching = Task { [weak engine] in
            try? await engine?.fetch(.init(reason: .scheduled, options: .init()))
            _ = try? await database.save(CKDatabaseSubscription(subscriptionID: id))
            guard let container = try? database.registry.open(database.identifier).container else { return }
            do {
                for try await notification in container.notifications() where notification.subscriptionID == id {
                    guard engine != nil else { return }
                    try? await engine?.fetch(.init(reason: .scheduled, options: .init()))
                }
            } catch {
                // The container was closed.
            }
        }
        tasks.withLock { $0 = [sending, fetching] }
        if !engine.state.pendingRecordZoneChanges.isEmpty || !engine.state.pendingDatabaseChanges.isEmpty {
            requestSend()
        }
    }

    /// Ends the tasks.
    func stop() {
        continuation.finish()
        for task in tasks.withLock({ $0 }) { task.cancel() }
    }
}
