import Cabinet
import CloudKit

/// Writes subscriptions as CloudKit's objects.
struct SubscriptionWriter {
    let queries: QueryWriter

    /// Returns CloudKit's object, which sends silent notifications.
    func object(_ subscription: Subscription) throws(CabinetError) -> CKSubscription {
        let information = CKSubscription.NotificationInfo()
        information.shouldSendContentAvailable = true
        let object: CKSubscription
        switch subscription {
        case .query(let query):
            let writable = CKQuerySubscription(
                recordType: query.recordType, predicate: try queries.predicate(query.filter),
                subscriptionID: query.subscriptionID,
                options: CKQuerySubscription.Options(rawValue: query.querySubscriptionOptions.rawValue))
            writable.zoneID = query.zoneID?.object(user: queries.user)
            if !query.desiredKeys.isEmpty { information.desiredKeys = query.desiredKeys }
            object = writable
        case .recordZone(let zone):
            let writable = CKRecordZoneSubscription(
                zoneID: zone.zoneID.object(user: queries.user), subscriptionID: zone.subscriptionID)
            writable.recordType = zone.recordType
            object = writable
        case .database(let database):
            let writable = CKDatabaseSubscription(subscriptionID: database.subscriptionID)
            writable.recordType = database.recordType
            object = writable
        }
        object.notificationInfo = information
        return object
    }
}
