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

/// A subscription that reports changes in a database.
///
/// It fires when a program or a delete rule saves or deletes records in any zone, and when zones are created or deleted.
/// Notifications that wait to be fetched are merged. In the shared database, it fires after changes of every device and type, in
/// the zones that other users share. See <doc:Subscriptions>.
public struct DatabaseSubscription: Sendable, Hashable, Codable {
    /// The name of the subscription, unique among those of its user in its database.
    public let subscriptionID: Subscription.ID

    /// The type of the records whose changes fire the subscription, or `nil` for all.
    ///
    /// With a type, new zones do not fire it, because they are empty; deleted zones do.
    public var recordType: Record.RecordType?

    /// Creates a subscription, which is checked when it is saved.
    ///
    /// - Parameters:
    ///   - subscriptionID: The name of the subscription: 1 to 255 printable ASCII characters; by default a new UUID.
    ///   - recordType: The type of the records whose changes fire the subscription, or `nil` for all.
    public init(subscriptionID: Subscription.ID = Subscription.uniqueID(), recordType: Record.RecordType? = nil) {
        self.subscriptionID = subscriptionID
        self.recordType = recordType
    }
}

/// A subscription that reports changes in a zone.
///
/// It fires when a program or a delete rule saves or deletes records in the zone. It also fires when the zone is deleted, and is
/// then removed. Notifications that wait to be fetched are merged. See <doc:Subscriptions>.
public struct RecordZoneSubscription: Sendable, Hashable, Codable {
    /// The name of the subscription, unique among those of its user in its database.
    public let subscriptionID: Subscription.ID

    /// The zone, which may be the default zone.
    public let zoneID: RecordZone.ID

    /// The type of the records whose changes fire the subscription, or `nil` for all; the zone's deletion always fires it.
    public var recordType: Record.RecordType?

    /// Creates a subscription, which is checked when it is saved.
    ///
    /// - Parameters:
    ///   - zoneID: The zone.
    ///   - subscriptionID: The name of the subscription: 1 to 255 printable ASCII characters; by default a new UUID.
    ///   - recordType: The type of the records whose changes fire the subscription, or `nil` for all.
    public init(
        zoneID: RecordZone.ID, subscriptionID: Subscription.ID = Subscription.uniqueID(),
        recordType: Record.RecordType? = nil
    ) {
        self.subscriptionID = subscriptionID
        self.zoneID = zoneID
        self.recordType = recordType
    }
}
