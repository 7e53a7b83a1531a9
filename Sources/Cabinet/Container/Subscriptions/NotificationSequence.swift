extension Container {
    /// Returns the notifications of the user's subscriptions: those that were not fetched yet, and then new ones as
    /// they occur.
    ///
    /// ```swift
    /// for try await notification in container.notifications(since: token) {
    ///     refresh(notification)
    ///     token = notification.token
    /// }
    /// ```
    ///
    /// A notification is committed together with the change it describes, and is delivered to every device that asks:
    /// in this process at once, in others within the time that the backend documents. A program that stores the token
    /// of the last notification it has handled continues after it, also in another process or after a restart. No
    /// notification is lost. Waiting notifications of a ``RecordZoneSubscription`` or ``DatabaseSubscription`` are
    /// combined into one. Notifications of one database come in the order of its changes. The sequence ends when its
    /// task is cancelled or the container is closed. See <doc:Subscriptions>.
    ///
    /// The shared database stores no notifications: those of its subscriptions follow from a comparison with the token. Without a token
    /// they begin with the next change, and they always include changes of this device.
    ///
    /// - Parameters:
    ///   - token: The token of the last known notification, or `nil` for all that are kept. The container's
    ///     ``ChangeRetention`` says for how long that is.
    ///   - includingOwnChanges: Whether changes made with this container's ``deviceID`` are included. The default is
    ///     `false`, as in CloudKit.
    /// - Returns: A sequence that throws ``CabinetError/Code/changeTokenExpired`` if notifications after the token were
    ///   removed, or the store was replaced by an older one: fetch the data you need, and begin again without a token.
    ///   It throws ``CabinetError/Code/invalidArguments`` if the token is of another container or user,
    ///   ``CabinetError/Code/notAuthenticated`` without an account, and the failures of the store.
    public func notifications(
        since token: NotificationToken? = nil, includingOwnChanges: Bool = false
    ) -> NotificationSequence {
        NotificationSequence(
            client: client, token: token, includesOwnChanges: includingOwnChanges)
    }
}

extension Container {
    /// Fetches the notifications that the user has not fetched yet, without waiting for more.
    ///
    /// Use this method in a program that polls, and ``notifications(since:includingOwnChanges:)`` in one that keeps
    /// running.
    ///
    /// - Parameters:
    ///   - token: The token of the last known notification, or `nil` for all that are kept.
    ///   - includingOwnChanges: Whether changes made with this container's ``deviceID`` are included.
    ///   - resultsLimit: The maximum number of notifications, or `nil` for all.
    /// - Returns: The notifications, a token for the next call, and whether more notifications may exist already.
    /// - Throws: The errors of iterating over ``notifications(since:includingOwnChanges:)``. If one database fails after another one has
    ///   returned notifications, these are returned, and the next call throws the error.
    /// - Complexity: Proportional to the number of notifications since the token.
    public func fetchNotifications(
        since token: NotificationToken?, includingOwnChanges: Bool = false, resultsLimit: Int? = nil
    ) async throws -> (notifications: [SubscriptionNotification], token: NotificationToken, moreComing: Bool) {
        if let resultsLimit, resultsLimit < 1 {
            throw CabinetError(
                .invalidArguments, "The results limit is \(resultsLimit); expected a positive number, or nil.")
        }
        var reader = try NotificationReader(notifications(since: token, includingOwnChanges: includingOwnChanges))
        var notifications: [SubscriptionNotification] = []
        do {
            while notifications.count < resultsLimit ?? .max, let notification = try await reader.next() {
                notifications.append(notification)
            }
        } catch {
            // Otherwise, another database has answered, such as the copy of a mirror, and the next call throws: its token is before the failure.
            if notifications.isEmpty || Task.isCancelled { throw error }
        }
        return (notifications, reader.token, reader.mayHaveMore)
    }

    /// Fetches the first notification after a token, also of the caller's own changes.
    ///
    /// - Parameter token: The token.
    /// - Returns: The notification, and a text that all notifications of the same change to the user have in common; `nil` if there is none.
    /// - Throws: The errors of iterating over ``notifications(since:includingOwnChanges:)``.
    package func nextNotification(
        since token: NotificationToken
    ) async throws -> (notification: SubscriptionNotification, changeKey: String)? {
        var reader = try NotificationReader(notifications(since: token, includingOwnChanges: true))
        return try await reader.next().map { ($0, reader.changeKey) }
    }
}

/// The notifications of a user's subscriptions, one after the other, without an end.
public struct NotificationSequence: AsyncSequence, Sendable {
    let client: ServiceClient
    let token: NotificationToken?
    let includesOwnChanges: Bool

    /// Creates an iterator that begins after the token.
    public func makeAsyncIterator() -> Iterator {
        Iterator(sequence: self)
    }

    /// An iterator that waits for the next notification.
    public struct Iterator: AsyncIteratorProtocol {
        private let sequence: NotificationSequence
        private var state: State?

        private struct State {
            var signals: AsyncStream<Void>.Iterator
            var reader: NotificationReader
        }

        init(sequence: NotificationSequence) {
            self.sequence = sequence
        }

        /// Returns the next notification, or `nil` when the task is cancelled or the container is closed.
        ///
        /// - Throws: The errors that ``Container/notifications(since:includingOwnChanges:)`` describes. The next call continues after them.
        public mutating func next() async throws -> SubscriptionNotification? {
            if Task.isCancelled { return nil }
            var state = try self.state ?? begin()
            // Also after a failed read: the next call continues from the position of this one.
            defer { self.state = state }
            do {
                while true {
                    if let notification = try await state.reader.next() { return notification }
                    guard await state.signals.next(isolation: #isolation) != nil, !Task.isCancelled else { return nil }
                    state.reader.readAgain()
                }
            } catch {
                // A read in progress fails when the sequence ends.
                if Task.isCancelled { return nil }
                if await sequence.client.isClosed { return nil }
                throw error
            }
        }

        private func begin() throws -> State {
            let reader = try NotificationReader(sequence)
            // The signals are registered before the first read, so that no change between the two is missed.
            return State(
                signals: try sequence.client.signals(of: NotificationRule.scopes).makeAsyncIterator(), reader: reader)
        }
    }
}
