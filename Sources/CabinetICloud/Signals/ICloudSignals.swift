import Cabinet
import CloudKit
import Foundation
import Synchronization

/// Signals that a database may have changed: after the container's own changes, received notifications, and some time.
final class ICloudSignals: Sendable {
    private struct State {
        var isClosed = false
        var listeners: [UUID: (scopes: Set<DatabaseScope>, continuation: AsyncStream<Void>.Continuation)] = [:]
        var subscribed: Set<DatabaseScope> = []
    }

    /// The ID of the subscriptions that the service saves, which the program does not see.
    static let subscriptionID = "com.cabinet.live"

    private let container: CKContainer
    private let configuration: ICloudConfiguration
    private let state = Mutex(State())

    init(_ container: CKContainer, _ configuration: ICloudConfiguration) {
        (self.container, self.configuration) = (container, configuration)
    }

    /// Ends all streams, also those that are created later.
    func close() {
        let listeners = state.withLock { state in
            defer { state = State(isClosed: true) }
            return state.listeners.values.map(\.continuation)
        }
        for listener in listeners { listener.finish() }
    }

    /// Signals that a database may have changed.
    func send(to scope: DatabaseScope) {
        let listeners = state.withLock { $0.listeners.values.filter { $0.scopes.contains(scope) } }
        for listener in listeners { listener.continuation.yield() }
    }

    /// Signals the database that a notification is about.
    func didReceive(_ notification: CKNotification) -> Bool {
        guard notification.containerIdentifier == container.containerIdentifier else { return false }
        let scope: CKDatabase.Scope? =
            switch notification {
            case let notification as CKQueryNotification: notification.databaseScope
            case let notification as CKRecordZoneNotification: notification.databaseScope
            case let notification as CKDatabaseNotification: notification.databaseScope
            default: nil
            }
        guard let scope = scope.flatMap({ DatabaseScope(rawValue: $0.rawValue) }) else { return false }
        send(to: scope)
        return true
    }

    func stream(of scopes: Set<DatabaseScope>) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let id = UUID()
        if state.withLock({ $0.isClosed }) {
            continuation.finish()
            return stream
        }
        continuation.yield()
        let poll = Task { [weak self, interval = configuration.pollInterval] in
            while !Task.isCancelled {
                // Changes before the subscription send no notification.
                if await self?.subscribe(to: scopes) == true { continuation.yield() }
                try? await Task.sleep(for: interval)
                continuation.yield()
            }
        }
        continuation.onTermination = { [weak self] _ in
            poll.cancel()
            self?.state.withLock { _ = $0.listeners.removeValue(forKey: id) }
        }
        // The end of the stream cancels the poll, so a stream that `close` may end is complete.
        let isClosed = state.withLock { state in
            if !state.isClosed { state.listeners[id] = (scopes, continuation) }
            return state.isClosed
        }
        if isClosed { continuation.finish() }
        return stream
    }

    /// Saves a subscription to each database that can have one; after a failure, the next poll tries again.
    ///
    /// - Returns: Whether a subscription was saved.
    private func subscribe(to scopes: Set<DatabaseScope>) async -> Bool {
        guard configuration.subscribes else { return false }
        var hasSaved = false
        for scope in scopes.subtracting([.public]) where state.withLock({ $0.subscribed.insert(scope).inserted }) {
            let subscription = CKDatabaseSubscription(subscriptionID: Self.subscriptionID)
            let information = CKSubscription.NotificationInfo()
            information.shouldSendContentAvailable = true
            subscription.notificationInfo = information
            let database = scope == .shared ? container.sharedCloudDatabase : container.privateCloudDatabase
            do {
                _ = try await database.save(subscription)
                hasSaved = true
            } catch {
                state.withLock { _ = $0.subscribed.remove(scope) }
            }
        }
        return hasSaved
    }
}
