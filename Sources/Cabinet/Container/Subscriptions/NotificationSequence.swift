extension Container {
    /// What the user's subscriptions tell: what has not been fetched yet, and then what comes, as it comes.
    ///
    /// ```swift
    /// for try await notification in container.notifications(since: token) {
    ///     refresh(notification)
    ///     token = notification.token
    /// }
    /// ```
    ///
    /// A notification is stored in the transaction of the change that it tells of, and delivered to every device that asks,
    /// in this process at once, in others within the time that the backend documents. Whoever keeps the token of the last one
    /// that was dealt with goes on after it, also in another process and after a restart: none is lost. Those of a
    /// ``RecordZoneSubscription`` or ``DatabaseSubscription`` that wait become one. Notifications of one database come in the
    /// order of its changes. The sequence ends when its task is cancelled or the container is closed.
    ///
    /// - Parameters:
    ///   - token: What is known, or `nil` for everything that is still remembered; the container's ``ChangeRetention`` says for
    ///     how long that is.
    ///   - includingOwnChanges: Whether changes that were made with this container's ``deviceID`` are told too; by default they
    ///     are not, as in CloudKit.
    /// - Returns: A sequence that throws ``CabinetError/Code/changeTokenExpired`` if notifications after the token are not
    ///   remembered any more, or the store was replaced by an older one: fetch what you need, and begin again without a token;
    ///   ``CabinetError/Code/invalidArguments`` if the token is of another container or user;
    ///   ``CabinetError/Code/notAuthenticated`` without an account, and the store's failures.
    public func notifications(
        since token: NotificationToken? = nil, includingOwnChanges: Bool = false
    ) -> NotificationSequence {
        NotificationSequence(
            service: service, containerIdentifier: containerIdentifier, token: token,
            includesOwnChanges: includingOwnChanges)
    }
}

extension Container {
    /// Fetches what the user's subscriptions have told and the user has not fetched yet, without waiting for more.
    ///
    /// For a program that looks now and then, where ``notifications(since:includingOwnChanges:)`` is for one that stays.
    ///
    /// - Parameters:
    ///   - token: What is known, or `nil` for everything that is still remembered.
    ///   - includingOwnChanges: Whether changes that were made with this container's ``deviceID`` are told too.
    ///   - resultsLimit: The most notifications to return; `nil` for all.
    /// - Returns: The notifications, a token with which to ask next time, and whether there may be more already.
    /// - Throws: What iterating over ``notifications(since:includingOwnChanges:)`` throws.
    /// - Complexity: proportional to the number of notifications since the token.
    public func fetchNotifications(
        since token: NotificationToken?, includingOwnChanges: Bool = false, resultsLimit: Int? = nil
    ) async throws -> (notifications: [SubscriptionNotification], token: NotificationToken, moreComing: Bool) {
        if let resultsLimit, resultsLimit < 1 {
            throw CabinetError(
                .invalidArguments, "The results limit is \(resultsLimit); expected a positive number, or nil.")
        }
        var reader = try NotificationReader(notifications(since: token, includingOwnChanges: includingOwnChanges))
        var notifications: [SubscriptionNotification] = []
        while notifications.count < resultsLimit ?? .max, let notification = try await reader.next() {
            notifications.append(notification)
        }
        return (notifications, reader.token, reader.mayHaveMore)
    }
}

/// What a user's subscriptions tell, one notification after the other, without an end.
public struct NotificationSequence: AsyncSequence, Sendable {
    let service: any DatabaseService
    let containerIdentifier: String
    let token: NotificationToken?
    let includesOwnChanges: Bool

    /// Begins after the token.
    public func makeAsyncIterator() -> Iterator {
        Iterator(sequence: self)
    }

    /// Waits for the next notification.
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

        /// The next notification; `nil` when the task is cancelled or the container closed.
        public mutating func next() async throws -> SubscriptionNotification? {
            if Task.isCancelled { return nil }
            var state = try self.state ?? begin()
            // Also when a look fails: the next call goes on where this one was.
            defer { self.state = state }
            do {
                while true {
                    if let notification = try await state.reader.next() { return notification }
                    guard await state.signals.next(isolation: #isolation) != nil, !Task.isCancelled else { return nil }
                    state.reader.lookAgain()
                }
            } catch {
                // A look that was under way fails when the sequence ends.
                if Task.isCancelled || sequence.service.isClosed { return nil }
                throw error
            }
        }

        private func begin() throws -> State {
            let reader = try NotificationReader(sequence)
            // The signals come before the first look, so that nothing is missed between the two.
            return State(signals: try sequence.service.notificationSignals().makeAsyncIterator(), reader: reader)
        }
    }
}
