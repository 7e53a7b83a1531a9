import CabinetCloudKit

private func useModify(_ operation: CKModifyRecordsOperation) {
    _ = CKModifyRecordsOperation(recordsToSave: nil, recordIDsToDelete: nil)  // CKModifyRecordsOperation.init(recordsToSave:recordIDsToDelete:)
    operation.recordsToSave = nil  // CKModifyRecordsOperation.recordsToSave
    operation.recordIDsToDelete = nil  // CKModifyRecordsOperation.recordIDsToDelete
    operation.savePolicy = .allKeys  // CKModifyRecordsOperation.savePolicy
    operation.isAtomic = false  // CKModifyRecordsOperation.isAtomic
    operation.perRecordProgressBlock = { _, _ in }  // CKModifyRecordsOperation.perRecordProgressBlock
    operation.perRecordSaveBlock = { _, _ in }  // CKModifyRecordsOperation.perRecordSaveBlock
    operation.perRecordDeleteBlock = { _, _ in }  // CKModifyRecordsOperation.perRecordDeleteBlock
    operation.perRecordCompletionBlock = { _, _ in }  // CKModifyRecordsOperation.perRecordCompletionBlock
    operation.modifyRecordsResultBlock = { _ in }  // CKModifyRecordsOperation.modifyRecordsResultBlock
    operation.modifyRecordsCompletionBlock = { _, _, _ in }  // CKModifyRecordsOperation.modifyRecordsCompletionBlock
}

private func useFetch(
    _ operation: CKFetchRecordsOperation, _ query: CKQueryOperation, _ cursor: CKQueryOperation.Cursor
) {
    _ = CKFetchRecordsOperation(recordIDs: [])  // CKFetchRecordsOperation.init(recordIDs:)
    _ = CKFetchRecordsOperation.fetchCurrentUserRecordOperation()  // CKFetchRecordsOperation.fetchCurrentUserRecordOperation()
    operation.desiredKeys = []  // CKFetchRecordsOperation.desiredKeys
    operation.perRecordProgressBlock = { _, _ in }  // CKFetchRecordsOperation.perRecordProgressBlock
    operation.perRecordResultBlock = { _, _ in }  // CKFetchRecordsOperation.perRecordResultBlock
    operation.perRecordCompletionBlock = { _, _, _ in }  // CKFetchRecordsOperation.perRecordCompletionBlock
    operation.fetchRecordsResultBlock = { _ in }  // CKFetchRecordsOperation.fetchRecordsResultBlock
    operation.fetchRecordsCompletionBlock = { _, _ in }  // CKFetchRecordsOperation.fetchRecordsCompletionBlock
    _ = CKQueryOperation(cursor: cursor)  // CKQueryOperation.init(cursor:)
    _ = query.query.map(CKQueryOperation.init(query:))  // CKQueryOperation.init(query:)
    _ = query.cursor  // CKQueryOperation.cursor
    query.zoneID = .default  // CKQueryOperation.zoneID
    query.resultsLimit = CKQueryOperation.maximumResults  // CKQueryOperation.resultsLimit
    query.desiredKeys = nil  // CKQueryOperation.desiredKeys
    query.recordMatchedBlock = { _, _ in }  // CKQueryOperation.recordMatchedBlock
    query.recordFetchedBlock = { _ in }  // CKQueryOperation.recordFetchedBlock
    query.queryResultBlock = { _ in }  // CKQueryOperation.queryResultBlock
    query.queryCompletionBlock = { _, _ in }  // CKQueryOperation.queryCompletionBlock
}

private func useZoneOperations(_ modify: CKModifyRecordZonesOperation, _ fetch: CKFetchRecordZonesOperation) {
    _ = CKModifyRecordZonesOperation(recordZonesToSave: [])  // CKModifyRecordZonesOperation.init(recordZonesToSave:recordZoneIDsToDelete:)
    modify.perRecordZoneSaveBlock = { _, _ in }  // CKModifyRecordZonesOperation.perRecordZoneSaveBlock
    modify.perRecordZoneDeleteBlock = { _, _ in }  // CKModifyRecordZonesOperation.perRecordZoneDeleteBlock
    modify.modifyRecordZonesResultBlock = { _ in }  // CKModifyRecordZonesOperation.modifyRecordZonesResultBlock
    modify.modifyRecordZonesCompletionBlock = { _, _, _ in }  // CKModifyRecordZonesOperation.modifyRecordZonesCompletionBlock
    _ = CKFetchRecordZonesOperation(recordZoneIDs: [])  // CKFetchRecordZonesOperation.init(recordZoneIDs:)
    _ = CKFetchRecordZonesOperation.fetchAllRecordZonesOperation()  // CKFetchRecordZonesOperation.fetchAllRecordZonesOperation()
    fetch.perRecordZoneResultBlock = { _, _ in }  // CKFetchRecordZonesOperation.perRecordZoneResultBlock
    fetch.fetchRecordZonesResultBlock = { _ in }  // CKFetchRecordZonesOperation.fetchRecordZonesResultBlock
    fetch.fetchRecordZonesCompletionBlock = { _, _ in }  // CKFetchRecordZonesOperation.fetchRecordZonesCompletionBlock
}

private func useChanges(_ zone: CKFetchRecordZoneChangesOperation, _ database: CKFetchDatabaseChangesOperation) {
    _ = CKFetchRecordZoneChangesOperation(recordZoneIDs: [])  // CKFetchRecordZoneChangesOperation.init(recordZoneIDs:configurationsByRecordZoneID:)
    zone.configurationsByRecordZoneID = [:]  // CKFetchRecordZoneChangesOperation.configurationsByRecordZoneID
    _ = CKFetchRecordZoneChangesOperation.ZoneConfiguration()  // CKFetchRecordZoneChangesOperation.ZoneConfiguration
    zone.fetchAllChanges = true  // CKFetchRecordZoneChangesOperation.fetchAllChanges
    zone.recordWasChangedBlock = { _, _ in }  // CKFetchRecordZoneChangesOperation.recordWasChangedBlock
    zone.recordChangedBlock = { _ in }  // CKFetchRecordZoneChangesOperation.recordChangedBlock
    zone.recordWithIDWasDeletedBlock = { _, _ in }  // CKFetchRecordZoneChangesOperation.recordWithIDWasDeletedBlock
    zone.recordZoneChangeTokensUpdatedBlock = { _, _, _ in }  // CKFetchRecordZoneChangesOperation.recordZoneChangeTokensUpdatedBlock
    zone.recordZoneFetchResultBlock = { _, _ in }  // CKFetchRecordZoneChangesOperation.recordZoneFetchResultBlock
    zone.recordZoneFetchCompletionBlock = { _, _, _, _, _ in }  // CKFetchRecordZoneChangesOperation.recordZoneFetchCompletionBlock
    zone.fetchRecordZoneChangesResultBlock = { _ in }  // CKFetchRecordZoneChangesOperation.fetchRecordZoneChangesResultBlock
    zone.fetchRecordZoneChangesCompletionBlock = { _ in }  // CKFetchRecordZoneChangesOperation.fetchRecordZoneChangesCompletionBlock
    database.previousServerChangeToken = nil  // CKFetchDatabaseChangesOperation.previousServerChangeToken
    database.resultsLimit = 0  // CKFetchDatabaseChangesOperation.resultsLimit
    database.fetchAllChanges = true  // CKFetchDatabaseChangesOperation.fetchAllChanges
    database.recordZoneWithIDChangedBlock = { _ in }  // CKFetchDatabaseChangesOperation.recordZoneWithIDChangedBlock
    database.recordZoneWithIDWasDeletedBlock = { _ in }  // CKFetchDatabaseChangesOperation.recordZoneWithIDWasDeletedBlock
    database.changeTokenUpdatedBlock = { _ in }  // CKFetchDatabaseChangesOperation.changeTokenUpdatedBlock
    database.fetchDatabaseChangesResultBlock = { _ in }  // CKFetchDatabaseChangesOperation.fetchDatabaseChangesResultBlock
    database.fetchDatabaseChangesCompletionBlock = { _, _, _ in }  // CKFetchDatabaseChangesOperation.fetchDatabaseChangesCompletionBlock
}

private func useSubscriptions(_ database: CKDatabase, _ query: NSPredicate) async throws {
    let subscription = CKQuerySubscription(recordType: "A", predicate: query, options: [.firesOnRecordCreation])  // CKQuerySubscription.init(recordType:predicate:subscriptionID:options:)
    subscription.zoneID = nil  // CKQuerySubscription.zoneID
    subscription.notificationInfo = CKSubscription.NotificationInfo()  // CKSubscription.notificationInfo
    _ = subscription.subscriptionID  // CKSubscription.subscriptionID
    _ = subscription.subscriptionType  // CKSubscription.subscriptionType
    _ = CKRecordZoneSubscription(zoneID: .default)  // CKRecordZoneSubscription.init(zoneID:subscriptionID:)
    _ = CKDatabaseSubscription(subscriptionID: "a")  // CKDatabaseSubscription.init(subscriptionID:)
    try await database.save(subscription)  // CKDatabase.save(_:) of a subscription
    _ = try await database.subscription(for: "a")  // CKDatabase.subscription(for:)
    _ = try await database.allSubscriptions()  // CKDatabase.allSubscriptions()
    try await database.deleteSubscription(withID: "a")  // CKDatabase.deleteSubscription(withID:)
    _ = try await database.modifySubscriptions(saving: [], deleting: [])  // CKDatabase.modifySubscriptions(saving:deleting:)
    database.save(subscription) { _, _ in }  // CKDatabase.save(_:completionHandler:) of a subscription
    database.fetchAllSubscriptions { _, _ in }  // CKDatabase.fetchAllSubscriptions(completionHandler:)
    database.fetch(withSubscriptionID: "a") { _, _ in }  // CKDatabase.fetch(withSubscriptionID:completionHandler:)
    database.delete(withSubscriptionID: "a") { _, _ in }  // CKDatabase.delete(withSubscriptionID:completionHandler:)
    let modify = CKModifySubscriptionsOperation(subscriptionsToSave: [])  // CKModifySubscriptionsOperation.init(subscriptionsToSave:subscriptionIDsToDelete:)
    modify.modifySubscriptionsResultBlock = { _ in }  // CKModifySubscriptionsOperation.modifySubscriptionsResultBlock
    modify.modifySubscriptionsCompletionBlock = { _, _, _ in }  // CKModifySubscriptionsOperation.modifySubscriptionsCompletionBlock
    let fetch = CKFetchSubscriptionsOperation.fetchAllSubscriptionsOperation()  // CKFetchSubscriptionsOperation.fetchAllSubscriptionsOperation()
    fetch.fetchSubscriptionsResultBlock = { _ in }  // CKFetchSubscriptionsOperation.fetchSubscriptionsResultBlock
    fetch.fetchSubscriptionCompletionBlock = { _, _ in }  // CKFetchSubscriptionsOperation.fetchSubscriptionCompletionBlock
    let notification = CKNotification(fromRemoteNotificationDictionary: [:])  // CKNotification.init(fromRemoteNotificationDictionary:)
    _ = notification?.notificationType  // CKNotification.notificationType
    _ = notification?.subscriptionID  // CKNotification.subscriptionID
    _ = (notification as? CKQueryNotification)?.recordID  // CKQueryNotification.recordID
    _ = (notification as? CKQueryNotification)?.queryNotificationReason  // CKQueryNotification.queryNotificationReason
    _ = (notification as? CKQueryNotification)?.recordFields  // CKQueryNotification.recordFields
    _ = (notification as? CKRecordZoneNotification)?.recordZoneID  // CKRecordZoneNotification.recordZoneID
    _ = (notification as? CKDatabaseNotification)?.databaseScope  // CKDatabaseNotification.databaseScope
}

private func useOperations(_ operation: CKDatabaseOperation) {
    operation.database = nil  // CKDatabaseOperation.database
    operation.container = nil  // CKOperation.container
    _ = operation.operationID  // CKOperation.operationID
    operation.cancel()  // CKOperation.cancel()
    operation.addDependency(CKFetchRecordsOperation())  // CKOperation.addDependency(_:)
    operation.completionBlock = nil  // CKOperation.completionBlock
    operation.queuePriority = .high  // CKOperation.queuePriority
    operation.qualityOfService = .utility  // CKOperation.qualityOfService
}

private func useSyncEngine(_ engine: CKSyncEngine, _ id: CKRecord.ID) async throws {
    _ = engine.database  // CKSyncEngine.database
    try await engine.fetchChanges()  // CKSyncEngine.fetchChanges(_:)
    try await engine.sendChanges()  // CKSyncEngine.sendChanges(_:)
    await engine.cancelOperations()  // CKSyncEngine.cancelOperations()
    engine.state.add(pendingRecordZoneChanges: [.saveRecord(id)])  // CKSyncEngine.State.add(pendingRecordZoneChanges:)
    engine.state.add(pendingDatabaseChanges: [.deleteZone(id.zoneID)])  // CKSyncEngine.State.add(pendingDatabaseChanges:)
    _ = engine.state.pendingRecordZoneChanges  // CKSyncEngine.State.pendingRecordZoneChanges
    _ = engine.state.pendingDatabaseChanges  // CKSyncEngine.State.pendingDatabaseChanges
    _ = engine.state.hasPendingUntrackedChanges  // CKSyncEngine.State.hasPendingUntrackedChanges
    _ = engine.state.zoneIDsWithUnfetchedServerChanges  // CKSyncEngine.State.zoneIDsWithUnfetchedServerChanges
    let _: CKSyncEngine.State.Serialization? = nil  // CKSyncEngine.State.Serialization
    _ = await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: []) { _ in nil }  // CKSyncEngine.RecordZoneChangeBatch
    let _: CKSyncEngine.Event? = nil  // CKSyncEngine.Event
    let _: (any CKSyncEngineDelegate)? = nil  // CKSyncEngineDelegate
}
