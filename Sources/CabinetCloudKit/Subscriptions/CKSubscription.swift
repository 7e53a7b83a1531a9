import Cabinet
public import Foundation

/// A request for notifications about changes: the base class of the three kinds.
// Unchecked, and safe as far as CloudKit's own is: the settings are set before the subscription is saved.
open class CKSubscription: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    /// The name of a subscription.
    public typealias ID = String
    /// The settings of notifications.
    public typealias NotificationInfo = CKNotificationInfo

    /// A kind of subscription.
    public enum SubscriptionType: Int, Sendable, Hashable {
        /// A subscription to records that a query finds.
        case query = 1
        /// A subscription to a zone.
        case recordZone = 2
        /// A subscription to a database.
        case database = 3
    }

    /// The name of the subscription.
    public let subscriptionID: ID

    /// The kind of the subscription.
    public let subscriptionType: SubscriptionType

    /// The settings of notifications.
    ///
    /// The store keeps their ``CKNotificationInfo/desiredKeys`` alone.
    open var notificationInfo: NotificationInfo?

    init(_ type: SubscriptionType, _ subscriptionID: ID) {
        subscriptionType = type
        self.subscriptionID = subscriptionID
    }

    /// Returns the subscription as Cabinet has it.
    func converted() throws -> Subscription {
        throw CKError(.invalidArguments, "Use a query, zone or database subscription.")
    }

    /// Whether archives are read securely: always.
    public class var supportsSecureCoding: Bool { true }

    /// Reads a subscription from an archive.
    public required init?(coder: NSCoder) {
        guard let subscription: Subscription = coder.decodeContent(),
            let type = SubscriptionType(rawValue: subscription.subscriptionType.rawValue)
        else {
            return nil
        }
        subscriptionID = subscription.subscriptionID
        subscriptionType = type
        notificationInfo =
            coder.containsValue(forKey: Self.notificationInfoKey)
            ? coder.decodeObject(of: NotificationInfo.self, forKey: Self.notificationInfoKey) : nil
    }

    private static let notificationInfoKey = "CabinetNotificationInfo"

    /// Writes the subscription into an archive.
    open func encode(with coder: NSCoder) {
        if let subscription = try? converted() { coder.encodeContent(subscription) }
        if let notificationInfo { coder.encode(notificationInfo, forKey: Self.notificationInfoKey) }
    }

    /// Returns a subscription with the same content, which changes independently.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = CKSubscription(subscriptionType, subscriptionID)
        copy.takeSettings(of: self)
        return copy
    }

    /// Sets the settings of notifications to a copy of those of another subscription.
    func takeSettings(of other: CKSubscription) {
        notificationInfo = other.notificationInfo?.copy() as? NotificationInfo
    }

    /// Returns a Boolean value that indicates whether another object is a subscription with the same content.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CKSubscription, other.subscriptionID == subscriptionID else { return false }
        return other === self || (try? other.converted()) == (try? converted())
    }

    /// A hash of the ID.
    open override var hash: Int { subscriptionID.hashValue }

    /// The kind and the ID, for logs.
    open override var description: String { "<CKSubscription: \(subscriptionType) \(subscriptionID)>" }

    /// Creates the object for a subscription.
    static func object(_ subscription: Subscription) -> CKSubscription {
        switch subscription {
        case .query(let query): CKQuerySubscription(query)
        case .recordZone(let zone): CKRecordZoneSubscription(zone)
        case .database(let database): CKDatabaseSubscription(database)
        }
    }
}
