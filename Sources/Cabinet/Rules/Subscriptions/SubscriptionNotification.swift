/// A notification of a subscription: the change that fired it, and a token.
///
/// ``Container/notifications(since:includingOwnChanges:)`` returns notifications. See <doc:Subscriptions>.
public struct SubscriptionNotification: Sendable, Hashable, Codable {
    /// The ID of the subscription that fired, which may be deleted by now.
    public let subscriptionID: Subscription.ID

    /// The database that has changed.
    public let databaseScope: DatabaseScope

    /// The reported change.
    public let event: Event

    /// The position after this notification, from which to continue later.
    ///
    /// Pass it to ``Container/notifications(since:includingOwnChanges:)``.
    public let token: NotificationToken

    /// Creates a notification, to test a program's handler with.
    ///
    /// - Parameters:
    ///   - subscriptionID: The ID of the subscription that fired.
    ///   - databaseScope: The database that has changed.
    ///   - event: The reported change.
    ///   - token: The position after this notification. Get one from a container over a ``MemoryBackend``: `try await
    ///     container.fetchNotifications(since: nil).token`.
    public init(
        subscriptionID: Subscription.ID, databaseScope: DatabaseScope, event: Event, token: NotificationToken
    ) {
        self.subscriptionID = subscriptionID
        self.databaseScope = databaseScope
        self.event = event
        self.token = token
    }

    /// A change that a subscription reports.
    public enum Event: Sendable, Hashable, Codable {
        /// A change of a record that a ``QuerySubscription`` selects.
        case query(RecordEvent)

        /// A change in the zone of a ``RecordZoneSubscription``.
        case recordZone(RecordZone.ID)

        /// A change in the database of a ``DatabaseSubscription``.
        case database

        /// Further changes of the same transaction, after the first 100 that fired the user's subscriptions in the database.
        ///
        /// They are not reported one by one, and may concern any of the subscriptions, not only the named one. Fetch what the
        /// program shows again. A subscription that fires once, and whose change is among them, stays.
        case manyChanges

        /// The filter of a ``QuerySubscription`` could not be evaluated, so a change may be missing.
        case failure(FailureEvent)
    }

    /// A failure to evaluate the filter of a ``QuerySubscription`` for a change.
    ///
    /// The subscription stays, and fires for changes whose evaluation succeeds. If a subscription fails several times, only the
    /// last failure waits to be fetched. Fetch the records that the query finds, and save the subscription with another filter.
    public struct FailureEvent: Sendable, Hashable, Codable {
        /// The record whose change is not reported; `nil` if the zone was deleted with all its records.
        public let recordID: RecordID?

        /// The code of the failure: ``CabinetError/Code/limitExceeded`` if the filter takes too much work, ``CabinetError/Code/invalidArguments``
        /// if it does not fit the record or the schema.
        public let code: CabinetError.Code

        /// The description of the failure, as a sentence.
        public let message: String

        /// Creates an event.
        ///
        /// - Parameters:
        ///   - recordID: The record whose change is not reported; `nil` if the zone was deleted with all its records.
        ///   - code: The code of the failure.
        ///   - message: The description of the failure, as a sentence.
        public init(recordID: RecordID?, code: CabinetError.Code, message: String) {
            self.recordID = recordID
            self.code = code
            self.message = message
        }
    }

    /// A change of a record that a ``QuerySubscription`` selects.
    public struct RecordEvent: Sendable, Hashable, Codable {
        /// The record.
        public let recordID: RecordID

        /// The kind of the change.
        public let reason: Reason

        /// The effect of the change on the results of the query.
        public let transition: Transition

        /// The values of the desired fields after the change, or before the deletion of the record.
        ///
        /// Fields without a value are omitted.
        public let recordFields: [Record.FieldKey: FieldValue]

        /// Creates an event.
        ///
        /// - Parameters:
        ///   - recordID: The record.
        ///   - reason: The kind of the change.
        ///   - transition: The effect of the change on the results of the query.
        ///   - recordFields: The values of the desired fields.
        public init(
            recordID: RecordID, reason: Reason, transition: Transition,
            recordFields: [Record.FieldKey: FieldValue] = [:]
        ) {
            self.recordID = recordID
            self.reason = reason
            self.transition = transition
            self.recordFields = recordFields
        }
    }

    /// A kind of change of a record, with CloudKit's numbers.
    public enum Reason: Int, Sendable, Hashable, Codable, CaseIterable {
        /// The record was created.
        case recordCreated = 1
        /// A save or the delete rule of a reference updated the record.
        case recordUpdated = 2
        /// A program or a delete rule deleted the record, or it was deleted with its zone.
        case recordDeleted = 3
    }

    /// An effect of a change on the results of a query.
    public enum Transition: String, Sendable, Hashable, Codable, CaseIterable {
        /// The record has entered the results.
        case entered
        /// The record was and is in the results.
        case stayed
        /// The record has left the results.
        case left
    }
}
