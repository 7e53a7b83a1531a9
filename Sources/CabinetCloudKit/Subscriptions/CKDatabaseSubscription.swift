import Cabinet
public import Foundation

/// A subscription to a database.
// Unchecked, and safe as its base class is.
open class CKDatabaseSubscription: CKSubscription, @unchecked Sendable {
    /// The type of the records whose changes fire the subscription, or `nil` for all.
    open var recordType: CKRecord.RecordType?

    /// Creates a subscription with a new ID.
    public convenience init() {
        self.init(subscriptionID: UUID().uuidString)
    }

    /// Creates a subscription.
    public init(subscriptionID: CKSubscription.ID) {
        super.init(.database, subscriptionID)
    }

    init(_ subscription: DatabaseSubscription) {
        recordType = subscription.recordType
        super.init(.database, subscription.subscriptionID)
    }

    /// Reads a subscription from an archive.
    public required init?(coder: NSCoder) {
        guard case .database(let database)? = coder.decodeContent() as Subscription? else { return nil }
        recordType = database.recordType
        super.init(coder: coder)
    }

    /// Returns a subscription with the same content, which changes independently.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = CKDatabaseSubscription(subscriptionID: subscriptionID)
        copy.recordType = recordType
        copy.takeSettings(of: self)
        return copy
    }

    override func converted() throws -> Subscription {
        .database(DatabaseSubscription(subscriptionID: subscriptionID, recordType: recordType))
    }
}
