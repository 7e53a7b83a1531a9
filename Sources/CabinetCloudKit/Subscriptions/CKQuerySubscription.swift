import Cabinet
public import Foundation

/// A subscription to records that a query finds.
// Unchecked, and safe as its base class is.
open class CKQuerySubscription: CKSubscription, @unchecked Sendable {
    /// The kinds of changes that fire a subscription, with CloudKit's numbers.
    public struct Options: OptionSet, Sendable, Hashable {
        /// The options as bits.
        public let rawValue: UInt

        /// Creates options from bits.
        public init(rawValue: UInt) {
            self.rawValue = rawValue
        }

        /// A matching record was created.
        public static let firesOnRecordCreation = Options(rawValue: 1)
        /// A matching record was changed.
        public static let firesOnRecordUpdate = Options(rawValue: 2)
        /// A matching record was deleted.
        public static let firesOnRecordDeletion = Options(rawValue: 4)
        /// The subscription fires once, and is then removed.
        public static let firesOnce = Options(rawValue: 8)
    }

    /// The type of the records, which every query subscription has.
    public let recordType: CKRecord.RecordType?
    private let type: CKRecord.RecordType
    /// The condition of the records.
    public let predicate: NSPredicate
    /// The kinds of changes that fire the subscription.
    public let querySubscriptionOptions: Options
    /// The zone of the records, or `nil` for all.
    open var zoneID: CKRecordZone.ID?

    /// Creates a subscription.
    public init(
        recordType: CKRecord.RecordType, predicate: NSPredicate, subscriptionID: CKSubscription.ID = UUID().uuidString,
        options querySubscriptionOptions: Options = [
            .firesOnRecordCreation, .firesOnRecordUpdate, .firesOnRecordDeletion,
        ]
    ) {
        self.recordType = recordType
        type = recordType
        self.predicate = predicate
        self.querySubscriptionOptions = querySubscriptionOptions
        super.init(.query, subscriptionID)
    }

    init(_ subscription: QuerySubscription) {
        recordType = subscription.recordType
        type = subscription.recordType
        predicate = NSPredicate(filter: subscription.filter)
        querySubscriptionOptions = Options(rawValue: subscription.querySubscriptionOptions.rawValue)
        zoneID = subscription.zoneID.map(CKRecordZone.ID.init)
        super.init(.query, subscription.subscriptionID)
        notificationInfo = .init(desiredKeys: subscription.desiredKeys)
    }

    /// Reads a subscription from an archive.
    public required init?(coder: NSCoder) {
        guard case .query(let query)? = coder.decodeContent() as Subscription? else { return nil }
        recordType = query.recordType
        type = query.recordType
        predicate = NSPredicate(filter: query.filter)
        querySubscriptionOptions = Options(rawValue: query.querySubscriptionOptions.rawValue)
        zoneID = query.zoneID.map(CKRecordZone.ID.init)
        super.init(coder: coder)
        if notificationInfo == nil, !query.desiredKeys.isEmpty {
            notificationInfo = .init(desiredKeys: query.desiredKeys)
        }
    }

    /// Returns a subscription with the same content, which changes independently.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = CKQuerySubscription(
            recordType: type, predicate: predicate, subscriptionID: subscriptionID, options: querySubscriptionOptions)
        copy.zoneID = zoneID
        copy.takeSettings(of: self)
        return copy
    }

    override func converted() throws -> Subscription {
        .query(
            QuerySubscription(
                recordType: type, filter: try Filter(predicate), subscriptionID: subscriptionID,
                zoneID: zoneID?.value, options: .init(rawValue: querySubscriptionOptions.rawValue),
                desiredKeys: notificationInfo?.desiredKeys ?? []))
    }
}
