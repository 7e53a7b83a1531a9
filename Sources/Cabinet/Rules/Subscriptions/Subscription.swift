import Foundation

/// A request of a user for notifications of changes: of records that a query finds, of a zone, or of a database.
///
/// <doc:Subscriptions> compares subscriptions with live queries.
///
/// A subscription is stored in the database that it observes, and belongs to the user who saves it; in the public database each
/// user has subscriptions of their own. ``Container/notifications(since:includingOwnChanges:)`` returns its notifications on
/// every device of the user.
///
/// ```swift
/// try await database.save(
///     QuerySubscription(
///         recordType: "Items", filter: .field("number") > 3,
///         options: .firesOnRecordCreation))
/// ```
public enum Subscription: Sendable, Hashable, Codable {
    /// A subscription to records that a query finds.
    case query(QuerySubscription)

    /// A subscription to a zone.
    case recordZone(RecordZoneSubscription)

    /// A subscription to a database.
    case database(DatabaseSubscription)

    /// The name of a subscription, unique among those of its user in its database.
    public typealias ID = String

    /// Returns a subscription ID that no other call returns.
    public static func uniqueID() -> ID { UUID().uuidString }

    /// The name of the subscription.
    public var subscriptionID: ID {
        switch self {
        case .query(let subscription): subscription.subscriptionID
        case .recordZone(let subscription): subscription.subscriptionID
        case .database(let subscription): subscription.subscriptionID
        }
    }

    /// The kind of the subscription, with CloudKit's number.
    public var subscriptionType: SubscriptionType {
        switch self {
        case .query: .query
        case .recordZone: .recordZone
        case .database: .database
        }
    }

    /// A kind of subscription.
    public enum SubscriptionType: Int, Sendable, Hashable, Codable, CaseIterable {
        /// A subscription to records that a query finds.
        case query = 1
        /// A subscription to a zone.
        case recordZone = 2
        /// A subscription to a database.
        case database = 3
    }
}

extension Subscription: Identifiable {
    /// The name of the subscription.
    public var id: ID { subscriptionID }
}
