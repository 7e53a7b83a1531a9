import Cabinet
public import Foundation

/// A subscription to a zone.
// Unchecked, and safe as its base class is.
open class CKRecordZoneSubscription: CKSubscription, @unchecked Sendable {
    /// The zone.
    public let zoneID: CKRecordZone.ID
    /// The type of the records whose changes fire the subscription, or `nil` for all.
    open var recordType: CKRecord.RecordType?

    /// Creates a subscription.
    public init(zoneID: CKRecordZone.ID, subscriptionID: CKSubscription.ID = UUID().uuidString) {
        self.zoneID = zoneID
        super.init(.recordZone, subscriptionID)
    }

    init(_ subscription: RecordZoneSubscription) {
        zoneID = CKRecordZone.ID(subscription.zoneID)
        recordType = subscription.recordType
        super.init(.recordZone, subscription.subscriptionID)
    }

    /// Reads a subscription from an archive.
    public required init?(coder: NSCoder) {
        guard case .recordZone(let zone)? = coder.decodeContent() as Subscription? else { return nil }
        zoneID = CKRecordZone.ID(zone.zoneID)
        recordType = zone.recordType
        super.init(coder: coder)
    }

    /// Returns a subscription with the same content, which changes independently.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = CKRecordZoneSubscription(zoneID: zoneID, subscriptionID: subscriptionID)
        copy.recordType = recordType
        copy.takeSettings(of: self)
        return copy
    }

    override func converted() throws -> Subscription {
        .recordZone(
            RecordZoneSubscription(zoneID: zoneID.value, subscriptionID: subscriptionID, recordType: recordType))
    }
}
