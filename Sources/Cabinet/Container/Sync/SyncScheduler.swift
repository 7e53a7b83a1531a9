import Synchronization

/// Sends and fetches for an engine that works by itself.
///
/// Changes that are added together are sent together. A subscription to the database says when to fetch.
final class SyncScheduler: Sendable {
    private struct Link: Sendable {
        weak var engine: SyncEngine?
    }

    private let schedule: SyncSchedule
    private let tasks = Mutex<[Task<Void, Never>]>([])
    private let requests: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init(_ schedule: SyncSchedule) {
        self.schedule = schedule
        (requests, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Asks for a send.
    func requestSend() { continuation.yield() }

    /// Begins to send and fetch.
    ///
    /// The engine is not kept alive.
    func start(for engine: SyncEngine, subscriptionID: String) {
        let (requests, schedule, database, link) = (requests, schedule, engine.database, Link(engine: engine))
        let sending = Task {
            for await _ in requests {
                await Self.repeatFailing(schedule) {
                    guard let engine = link.engine, engine.state.hasPendingChanges else { return }
                    try await engine.send(.init(reason: .scheduled, options: .init()))
                }
            }
        }
        let fetching = Task {
            let fetch: @Sendable () async throws -> Void = {
                try await link.engine?.fetch(.init(reason: .scheduled, options: .init()))
            }
            await Self.repeatFailing(schedule) {
                _ = try await database.save(DatabaseSubscription(subscriptionID: subscriptionID))
            }
            await Self.repeatFailing(schedule) {
                do {
                    // The subscription and the position come first: notifications after it report every change that the fetch
                    // does not see. Without a position, those of the shared database begin later, because it stores none.
                    let notifications = try await database.newNotifications()
                    await Self.repeatFailing(schedule, fetch)
                    for try await notification in notifications
                    where notification.subscriptionID == subscriptionID
                        && notification.databaseScope == database.databaseScope
                    {
                        await Self.repeatFailing(schedule, fetch)
                    }
                } catch CabinetError.Code.serverRejectedRequest {
                    // iCloud stores no notifications. Its signals come at once, from notifications that the system delivers, and
                    // from a poll.
                    for await _ in try database.client.signals(of: [database.databaseScope]) {
                        await Self.repeatFailing(schedule, fetch)
                    }
                }
            }
        }
        tasks.withLock { $0 = [sending, fetching] }
        if engine.state.hasPendingChanges { requestSend() }
    }

    /// Ends the tasks.
    func stop() {
        continuation.finish()
        for task in tasks.withLock({ $0 }) { task.cancel() }
    }

    /// Runs a closure until it succeeds or its task is cancelled, with waits in between.
    private static func repeatFailing(
        _ schedule: SyncSchedule, _ body: @Sendable () async throws -> Void
    ) async {
        var failures = 0
        while !Task.isCancelled {
            do {
                return try await body()
            } catch {
                failures += 1
                guard (try? await schedule.wait(SyncSchedule.wait(after: error, failures: failures))) != nil else {
                    return
                }
            }
        }
    }
}

extension Database {
    /// Returns the notifications of the container's user from now on.
    fileprivate func newNotifications() async throws -> NotificationSequence {
        func notifications(since token: NotificationToken?) -> NotificationSequence {
            NotificationSequence(client: client, token: token, includesOwnChanges: false)
        }
        var reader = try NotificationReader(notifications(since: nil))
        while try await reader.next() != nil {}
        return notifications(since: reader.token)
    }
}
