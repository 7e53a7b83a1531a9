import Cabinet
import CloudKit
import Foundation

/// Reads subscriptions of CloudKit.
struct SubscriptionReader {
    /// The record name of the user.
    let user: String?

    func result(_ object: CKSubscription) -> Result<Subscription, CabinetError> {
        Result { try read(object) }.mapError { CabinetError(cloudKit: $0) }
    }

    /// - Throws: ``/Cabinet/CabinetError/Code/incompatibleVersion`` for a kind of subscription, or a predicate, that is unknown.
    func read(_ object: CKSubscription) throws -> Subscription {
        switch object {
        case let query as CKQuerySubscription:
            return .query(
                QuerySubscription(
                    recordType: query.recordType ?? "", filter: try filter(query), subscriptionID: query.subscriptionID,
                    zoneID: query.zoneID.map { .init($0, user: user) },
                    options: QuerySubscription.Options(rawValue: query.querySubscriptionOptions.rawValue),
                    desiredKeys: query.notificationInfo?.desiredKeys ?? []))
        case let zone as CKRecordZoneSubscription:
            return .recordZone(
                RecordZoneSubscription(
                    zoneID: .init(zone.zoneID, user: user), subscriptionID: zone.subscriptionID,
                    recordType: zone.recordType))
        case let database as CKDatabaseSubscription:
            return .database(
                DatabaseSubscription(subscriptionID: database.subscriptionID, recordType: database.recordType))
        default: throw unreadable(object, "it is of an unknown kind")
        }
    }

    /// Reads the filter of a subscription.
    ///
    /// Apple's predicates have a text in the same language; only objects, such as references, have none. The predicates of this
    /// package keep their format and its arguments.
    private func filter(_ subscription: CKQuerySubscription) throws -> Filter {
        do {
            #if canImport(ObjectiveC)
            return try Filter(subscription.predicate.predicateFormat)
            #else
            return try Filter(predicate: subscription.predicate)
            #endif
        } catch {
            throw unreadable(subscription, "its predicate cannot be read: \(error)")
        }
    }

    private func unreadable(_ subscription: CKSubscription, _ reason: String) -> CabinetError {
        CabinetError(
            .incompatibleVersion, "The subscription '\(subscription.subscriptionID)' is not one of Cabinet: \(reason).")
    }
}
