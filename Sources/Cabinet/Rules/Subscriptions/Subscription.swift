import Foundation

/// What a user wants to be told of: changes of records that a query finds, of a zone, or of a database.
///
/// A subscription is stored in the database whose changes it is about, and belongs to the user who saves it; in the public
/// database each user has subscriptions of their own. What it tells comes out of ``Container/notifications(since:includingOwnChanges:)``,
/// on every device of the user.
///
/// ```swift
/// try await database.save(
///     QuerySubscription(recordType: "Items", filter: .field("number") > 3, options: .firesOnRecordCreation))
/// ```
public enum Subscription: Sendable, Hashable, Codable {
    /// Tells of records that a query finds.
    case query(QuerySubscription)

    /// Tells that something has changed in a zone.
    case recordZone(RecordZoneSubscription)

    /// Tells that something has changed in the database.
    case database(DatabaseSubscription)

    /// The name of a subscription, unique among those of its user in its database.
    public typealias ID = String

    /// A subscription ID that no other call returns.
    public static func uniqueID() -> ID { UUID().uuidString }

    /// The name of the subscription.
    public var subscriptionID: ID {
        switch self {
        case .query(let subscription): subscription.subscriptionID
        case .recordZone(let subscription): subscription.subscriptionID
        case .database(let subscription): subscription.subscriptionID
        }
    }

    /// What the subscription is about, with CloudKit's number.
    public var subscriptionType: SubscriptionType {
        switch self {
        case .query: .query
        case .recordZone: .recordZone
        case .database: .database
        }
    }

    /// What a subscription is about.
    public enum SubscriptionType: Int, Sendable, Hashable, Codable, CaseIterable {
        /// Records that a query finds.
        case query = 1
        /// A zone.
        case recordZone = 2
        /// A database.
        case database = 3
    }
}

extension Subscription: Identifiable {
    /// The name of the subscription.
    public var id: ID { subscriptionID }
}
