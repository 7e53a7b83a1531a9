/// What a subscription tells.
public struct SubscriptionNotification: Sendable, Hashable, Codable {
    /// The subscription that tells it, which may be gone by now.
    public let subscriptionID: Subscription.ID

    /// The database in which something has changed.
    public let databaseScope: DatabaseScope

    /// What has changed.
    public let event: Event

    /// The place after this notification: with it one goes on later, see
    /// ``Container/notifications(since:includingOwnChanges:)``.
    public let token: NotificationToken

    /// Creates a notification, to test a program's handler with.
    ///
    /// - Parameters:
    ///   - subscriptionID: The subscription that reports it.
    ///   - databaseScope: The database in which something has changed.
    ///   - event: What has changed.
    ///   - token: The position after this notification. Get one from a container over a ``MemoryBackend``:
    ///     `try await container.fetchNotifications(since: nil).token`.
    public init(
        subscriptionID: Subscription.ID, databaseScope: DatabaseScope, event: Event, token: NotificationToken
    ) {
        self.subscriptionID = subscriptionID
        self.databaseScope = databaseScope
        self.event = event
        self.token = token
    }

    /// What has changed.
    public enum Event: Sendable, Hashable, Codable {
        /// A record that a ``QuerySubscription`` is about.
        case query(RecordEvent)

        /// Something in the zone of a ``RecordZoneSubscription``.
        case recordZone(RecordZone.ID)

        /// Something in the database of a ``DatabaseSubscription``.
        case database

        /// The filter of a ``QuerySubscription`` could not be evaluated, so a change may be missing.
        case failure(FailureEvent)
    }

    /// Why the filter of a ``QuerySubscription`` could not be evaluated for a change.
    ///
    /// The subscription stays, and fires again where its filter can be evaluated. Of several failures of a subscription, only the
    /// last one waits to be fetched. Fetch the records that the query finds, and save the subscription with another filter.
    public struct FailureEvent: Sendable, Hashable, Codable {
        /// The record whose change is not reported; `nil` if the zone was deleted with all its records.
        public let recordID: RecordID?

        /// The code of the failure: ``CabinetError/Code/limitExceeded`` if the filter takes too much work, ``CabinetError/Code/invalidArguments``
        /// if it does not fit the record or the schema.
        public let code: CabinetError.Code

        /// The description of the failure, as a sentence.
        public let message: String

        /// Creates an event.
        public init(recordID: RecordID?, code: CabinetError.Code, message: String) {
            self.recordID = recordID
            self.code = code
            self.message = message
        }
    }

    /// A change of a record that a ``QuerySubscription`` is about.
    public struct RecordEvent: Sendable, Hashable, Codable {
        /// The record.
        public let recordID: RecordID

        /// What was done to the record.
        public let reason: Reason

        /// What that means for the records that the query finds.
        public let transition: Transition

        /// The values of the fields that the subscription desires, as they are after the change; of a deleted record, as they were.
        ///
        /// Fields without a value are left out.
        public let recordFields: [Record.FieldKey: FieldValue]

        /// Creates an event.
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

    /// What was done to a record, with CloudKit's numbers.
    public enum Reason: Int, Sendable, Hashable, Codable, CaseIterable {
        /// It was created.
        case recordCreated = 1
        /// It was updated, by a save or by the delete rule of a reference.
        case recordUpdated = 2
        /// It was deleted, by a program, by a delete rule, or with its zone.
        case recordDeleted = 3
    }

    /// What a change means for the records that a query finds.
    public enum Transition: String, Sendable, Hashable, Codable, CaseIterable {
        /// The record is one of them now.
        case entered
        /// The record was and is one of them.
        case stayed
        /// The record is none of them any more.
        case left
    }
}
