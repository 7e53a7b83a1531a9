/// Tells of records that a query finds: that they are created, updated, or deleted.
///
/// Which change fires is decided by whether the record matched the filter before, and whether it matches afterwards:
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

    /// Which records; a filter of the records' own fields, without key paths to other records and without `MATCHES`.
    ///
    /// It has at most 200 comparisons and operands, and constants of at most 10,000 bytes. If it cannot be evaluated for a change,
    /// the owner gets a ``SubscriptionNotification/FailureEvent`` instead.
    public let filter: Filter

    /// Which changes fire the subscription, and whether only once.
    public let querySubscriptionOptions: Options

    /// The zone of the records, or `nil` for all zones.
    public var zoneID: RecordZone.ID?

    /// The fields that notifications bring along; by default none.
    ///
    /// Assets stay with their records.
    public var desiredKeys: [Record.FieldKey]

    /// Creates a subscription, which is checked when it is saved.
    ///
    /// - Parameters:
    ///   - recordType: The type of the records.
    ///   - filter: Which records; by default all of the type.
    ///   - subscriptionID: The name of the subscription: 1 to 255 printable ASCII characters; by default a new UUID.
    ///   - zoneID: The zone of the records, or `nil` for all zones.
    ///   - options: Which changes fire the subscription: creation, update or deletion, at least one of them.
    ///   - desiredKeys: The fields that notifications bring along.
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

    /// Which changes fire a query subscription.
    public struct Options: OptionSet, Sendable, Hashable, Codable {
        /// The options as bits, with CloudKit's numbers.
        public let rawValue: UInt

        /// Creates options from bits.
        public init(rawValue: UInt) {
            self.rawValue = rawValue
        }

        /// A record is created that matches.
        public static let firesOnRecordCreation = Options(rawValue: 1)

        /// A record is updated that matched before, or matches afterwards.
        public static let firesOnRecordUpdate = Options(rawValue: 2)

        /// A record is deleted that matched.
        public static let firesOnRecordDeletion = Options(rawValue: 4)

        /// The first notification, whoever's change it is of, removes the subscription.
        public static let firesOnce = Options(rawValue: 8)
    }
}
