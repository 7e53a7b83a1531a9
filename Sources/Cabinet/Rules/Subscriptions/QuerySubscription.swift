/// A subscription that reports records which enter, change in, or leave the results of a query.
///
/// ```swift
/// try await database.save(
///     QuerySubscription(
///         recordType: "Items", filter: .field("isDone") == false,
///         options: [.firesOnRecordCreation, .firesOnRecordUpdate]))
/// ```
///
/// A change fires depending on whether the record matched the filter before, and whether it matches afterwards:
///
/// | Change | Matched before | Matches after | Fires with | Transition |
/// |---|---|---|---|---|
/// | created | | yes | ``Options/firesOnRecordCreation`` | entered |
/// | created | | no | nothing | |
/// | updated | no | yes | ``Options/firesOnRecordUpdate`` | entered |
/// | updated | yes | yes | ``Options/firesOnRecordUpdate`` | stayed |
/// | updated | yes | no | ``Options/firesOnRecordUpdate`` | left |
/// | updated | no | no | nothing | |
/// | deleted | yes | | ``Options/firesOnRecordDeletion`` | left |
/// | deleted | no | | nothing | |
public struct QuerySubscription: Sendable, Hashable, Codable {
    /// The name of the subscription, unique among those of its user in its database.
    public let subscriptionID: Subscription.ID

    /// The type of the records.
    public let recordType: Record.RecordType

    /// The filter of the records, which uses only the records' own fields and not `MATCHES`.
    ///
    /// It has at most 200 comparisons and operands, and constants of at most 10,000 bytes. If it cannot be evaluated for a
    /// change, the owner receives a ``SubscriptionNotification/FailureEvent`` instead.
    public let filter: Filter

    /// The kinds of changes that fire the subscription, and whether it fires only once.
    public let querySubscriptionOptions: Options

    /// The zone of the records, or `nil` for all zones.
    public var zoneID: RecordZone.ID?

    /// The fields that notifications include; by default none.
    ///
    /// Assets are never included.
    public var desiredKeys: [Record.FieldKey]

    /// Creates a subscription, which is checked when it is saved.
    ///
    /// - Parameters:
    ///   - recordType: The type of the records.
    ///   - filter: The filter of the records; by default all of the type match.
    ///   - subscriptionID: The name of the subscription: 1 to 255 printable ASCII characters; by default a new UUID.
    ///   - zoneID: The zone of the records, or `nil` for all zones.
    ///   - options: The changes that fire the subscription: creation, update or deletion, at least one of them.
    ///   - desiredKeys: The fields that notifications include.
    public init(
        recordType: Record.RecordType, filter: Filter = .constant(true),
        subscriptionID: Subscription.ID = Subscription.uniqueID(), zoneID: RecordZone.ID? = nil, options: Options,
        desiredKeys: [Record.FieldKey] = []
    ) {
        self.subscriptionID = subscriptionID
        self.recordType = recordType
        self.filter = filter
        self.zoneID = zoneID
        self.querySubscriptionOptions = options
        self.desiredKeys = desiredKeys
    }

    /// The kinds of changes that fire a query subscription.
    public struct Options: OptionSet, Sendable, Hashable, Codable {
        /// The options as bits, with CloudKit's numbers.
        public let rawValue: UInt

        /// Creates options from bits.
        ///
        /// - Parameter rawValue: The options as bits, with CloudKit's numbers.
        public init(rawValue: UInt) {
            self.rawValue = rawValue
        }

        /// The subscription fires when a matching record is created.
        public static let firesOnRecordCreation = Options(rawValue: 1)

        /// The subscription fires when a record that matches before or after is updated.
        public static let firesOnRecordUpdate = Options(rawValue: 2)

        /// The subscription fires when a matching record is deleted.
        public static let firesOnRecordDeletion = Options(rawValue: 4)

        /// The subscription fires once, on the change of any user, and is then removed.
        public static let firesOnce = Options(rawValue: 8)
    }
}
