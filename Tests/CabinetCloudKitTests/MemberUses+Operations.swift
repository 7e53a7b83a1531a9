import CabinetCloudKit

private func useModify(_ operation: CKModifyRecordsOperation) {
    // member: CKModifyRecordsOperation.init(recordsToSave:recordIDsToDelete:)
    _ = CKModifyRecordsOperation(recordsToSave: nil, recordIDsToDelete: nil)
    // member: CKModifyRecordsOperation.recordsToSave
    operation.recordsToSave = nil
    // member: CKModifyRecordsOperation.recordIDsToDelete
    operation.recordIDsToDelete = nil
    // member: CKModifyRecordsOperation.savePolicy
    operation.savePolicy = .allKeys
    // member: CKModifyRecordsOperation.isAtomic
    operation.isAtomic = false
    // member: CKModifyRecordsOperation.perRecordProgressBlock
    operation.perRecordProgressBlock = { _, _ in }
    // member: CKModifyRecordsOperation.perRecordSaveBlock
    operation.perRecordSaveBlock = { _, _ in }
    // member: CKModifyRecordsOperation.perRecordDeleteBlock
    operation.perRecordDeleteBlock = { _, _ in }
    // member: CKModifyRecordsOperation.perRecordCompletionBlock
    operation.perRecordCompletionBlock = { _, _ in }
    // member: CKModifyRecordsOperation.modifyRecordsResultBlock
    operation.modifyRecordsResultBlock = { _ in }
    // member: CKModifyRecordsOperation.modifyRecordsCompletionBlock
    operation.modifyRecordsCompletionBlock = { _, _, _ in }
}

private func useFetch(
    _ operation: CKFetchRecordsOperation, _ query: CKQueryOperation, _ cursor: CKQueryOperation.Cursor
) {
    // member: CKFetchRecordsOperation.init(recordIDs:)
    _ = CKFetchRecordsOperation(recordIDs: [])
    // member: CKFetchRecordsOperation.fetchCurrentUserRecordOperation()
    _ = CKFetchRecordsOperation.fetchCurrentUserRecordOperation()
    // member: CKFetchRecordsOperation.desiredKeys
    operation.desiredKeys = []
    // member: CKFetchRecordsOperation.perRecordProgressBlock
    operation.perRecordProgressBlock = { _, _ in }
    // member: CKFetchRecordsOperation.perRecordResultBlock
    operation.perRecordResultBlock = { _, _ in }
    // member: CKFetchRecordsOperation.perRecordCompletionBlock
    operation.perRecordCompletionBlock = { _, _, _ in }
    // member: CKFetchRecordsOperation.fetchRecordsResultBlock
    operation.fetchRecordsResultBlock = { _ in }
    // member: CKFetchRecordsOperation.fetchRecordsCompletionBlock
    operation.fetchRecordsCompletionBlock = { _, _ in }
    // member: CKQueryOperation.init(cursor:)
    _ = CKQueryOperation(cursor: cursor)
    // member: CKQueryOperation.init(query:)
    _ = query.query.map(CKQueryOperation.init(query:))
    // member: CKQueryOperation.cursor
    _ = query.cursor
    // member: CKQueryOperation.zoneID
    query.zoneID = .default
    // member: CKQueryOperation.resultsLimit
    query.resultsLimit = CKQueryOperation.maximumResults
    // member: CKQueryOperation.desiredKeys
    query.desiredKeys = nil
    // member: CKQueryOperation.recordMatchedBlock
    query.recordMatchedBlock = { _, _ in }
    // member: CKQueryOperation.recordFetchedBlock
    query.recordFetchedBlock = { _ in }
    // member: CKQueryOperation.queryResultBlock
    query.queryResultBlock = { _ in }
    // member: CKQueryOperation.queryCompletionBlock
    query.queryCompletionBlock = { _, _ in }
}

private func useZoneOperations(_ modify: CKModifyRecordZonesOperation, _ fetch: CKFetchRecordZonesOperation) {
    // member: CKModifyRecordZonesOperation.init(recordZonesToSave:recordZoneIDsToDelete:)
    _ = CKModifyRecordZonesOperation(recordZonesToSave: [])
    // member: CKModifyRecordZonesOperation.perRecordZoneSaveBlock
    modify.perRecordZoneSaveBlock = { _, _ in }
    // member: CKModifyRecordZonesOperation.perRecordZoneDeleteBlock
    modify.perRecordZoneDeleteBlock = { _, _ in }
    // member: CKModifyRecordZonesOperation.modifyRecordZonesResultBlock
    modify.modifyRecordZonesResultBlock = { _ in }
    // member: CKModifyRecordZonesOperation.modifyRecordZonesCompletionBlock
    modify.modifyRecordZonesCompletionBlock = { _, _, _ in }
    // member: CKFetchRecordZonesOperation.init(recordZoneIDs:)
    _ = CKFetchRecordZonesOperation(recordZoneIDs: [])
    // member: CKFetchRecordZonesOperation.fetchAllRecordZonesOperation()
    _ = CKFetchRecordZonesOperation.fetchAllRecordZonesOperation()
    // member: CKFetchRecordZonesOperation.perRecordZoneResultBlock
    fetch.perRecordZoneResultBlock = { _, _ in }
    // member: CKFetchRecordZonesOperation.fetchRecordZonesResultBlock
    fetch.fetchRecordZonesResultBlock = { _ in }
    // member: CKFetchRecordZonesOperation.fetchRecordZonesCompletionBlock
    fetch.fetchRecordZonesCompletionBlock = { _, _ in }
}

private func useChanges(_ zone: CKFetchRecordZoneChangesOperation, _ database: CKFetchDatabaseChangesOperation) {
    // member: CKFetchRecordZoneChangesOperation.init(recordZoneIDs:configurationsByRecordZoneID:)
    _ = CKFetchRecordZoneChangesOperation(recordZoneIDs: [])
    // member: CKFetchRecordZoneChangesOperation.configurationsByRecordZoneID
    zone.configurationsByRecordZoneID = [:]
    // member: CKFetchRecordZoneChangesOperation.ZoneConfiguration
    _ = CKFetchRecordZoneChangesOperation.ZoneConfiguration()
    // member: CKFetchRecordZoneChangesOperation.fetchAllChanges
    zone.fetchAllChanges = true
    // member: CKFetchRecordZoneChangesOperation.recordWasChangedBlock
    zone.recordWasChangedBlock = { _, _ in }
    // member: CKFetchRecordZoneChangesOperation.recordChangedBlock
    zone.recordChangedBlock = { _ in }
    // member: CKFetchRecordZoneChangesOperation.recordWithIDWasDeletedBlock
    zone.recordWithIDWasDeletedBlock = { _, _ in }
    // member: CKFetchRecordZoneChangesOperation.recordZoneChangeTokensUpdatedBlock
    zone.recordZoneChangeTokensUpdatedBlock = { _, _, _ in }
    // member: CKFetchRecordZoneChangesOperation.recordZoneFetchResultBlock
    zone.recordZoneFetchResultBlock = { _, _ in }
    // member: CKFetchRecordZoneChangesOperation.recordZoneFetchCompletionBlock
    zone.recordZoneFetchCompletionBlock = { _, _, _, _, _ in }
    // member: CKFetchRecordZoneChangesOperation.fetchRecordZoneChangesResultBlock
    zone.fetchRecordZoneChangesResultBlock = { _ in }
    // member: CKFetchRecordZoneChangesOperation.fetchRecordZoneChangesCompletionBlock
    zone.fetchRecordZoneChangesCompletionBlock = { _ in }
    // member: CKFetchRecordChangesOperation
    _ = CKFetchRecordChangesOperation(recordZoneID: .default, previousServerChangeToken: nil)
    // member: CKFetchDatabaseChangesOperation.previousServerChangeToken
    database.previousServerChangeToken = nil
    // member: CKFetchDatabaseChangesOperation.resultsLimit
    database.resultsLimit = 0
    // member: CKFetchDatabaseChangesOperation.fetchAllChanges
    database.fetchAllChanges = true
    // member: CKFetchDatabaseChangesOperation.recordZoneWithIDChangedBlock
    database.recordZoneWithIDChangedBlock = { _ in }
    // member: CKFetchDatabaseChangesOperation.recordZoneWithIDWasDeletedBlock
    database.recordZoneWithIDWasDeletedBlock = { _ in }
    // member: CKFetchDatabaseChangesOperation.changeTokenUpdatedBlock
    database.changeTokenUpdatedBlock = { _ in }
    // member: CKFetchDatabaseChangesOperation.fetchDatabaseChangesResultBlock
    database.fetchDatabaseChangesResultBlock = { _ in }
    // member: CKFetchDatabaseChangesOperation.fetchDatabaseChangesCompletionBlock
    database.fetchDatabaseChangesCompletionBlock = { _, _, _ in }
}

private func useSubscriptions(_ database: CKDatabase, _ query: NSPredicate) async throws {
    // member: CKQuerySubscription.init(recordType:predicate:subscriptionID:options:)
    let subscription = CKQuerySubscription(recordType: "A", predicate: query, options: [.firesOnRecordCreation])
    // member: CKQuerySubscription.zoneID
    subscription.zoneID = nil
    // member: CKSubscription.notificationInfo
    subscription.notificationInfo = CKSubscription.NotificationInfo()
    // member: CKSubscription.NotificationInfo as NSSecureCoding
    let _: (any NSSecureCoding)? = subscription.notificationInfo
    // member: CKSubscription.copy()
    _ = subscription.copy()
    // member: CKSubscription.subscriptionID
    _ = subscription.subscriptionID
    // member: CKSubscription.subscriptionType
    _ = subscription.subscriptionType
    // member: CKRecordZoneSubscription.init(zoneID:subscriptionID:)
    _ = CKRecordZoneSubscription(zoneID: .default)
    // member: CKDatabaseSubscription.init(subscriptionID:)
    _ = CKDatabaseSubscription(subscriptionID: "a")
    // member: CKDatabase.save(_:) of a subscription
    try await database.save(subscription)
    // member: CKDatabase.subscription(for:)
    _ = try await database.subscription(for: "a")
    // member: CKDatabase.allSubscriptions()
    _ = try await database.allSubscriptions()
    // member: CKDatabase.deleteSubscription(withID:)
    try await database.deleteSubscription(withID: "a")
    // member: CKDatabase.modifySubscriptions(saving:deleting:)
    _ = try await database.modifySubscriptions(saving: [], deleting: [])
    // member: CKDatabase.save(_:completionHandler:) of a subscription
    database.save(subscription) { _, _ in }
    // member: CKDatabase.fetchAllSubscriptions(completionHandler:)
    database.fetchAllSubscriptions { _, _ in }
    // member: CKDatabase.fetch(withSubscriptionID:completionHandler:)
    database.fetch(withSubscriptionID: "a") { _, _ in }
    // member: CKDatabase.delete(withSubscriptionID:completionHandler:)
    database.delete(withSubscriptionID: "a") { _, _ in }
    // member: CKModifySubscriptionsOperation.init(subscriptionsToSave:subscriptionIDsToDelete:)
    let modify = CKModifySubscriptionsOperation(subscriptionsToSave: [])
    // member: CKModifySubscriptionsOperation.modifySubscriptionsResultBlock
    modify.modifySubscriptionsResultBlock = { _ in }
    // member: CKModifySubscriptionsOperation.modifySubscriptionsCompletionBlock
    modify.modifySubscriptionsCompletionBlock = { _, _, _ in }
    // member: CKFetchSubscriptionsOperation.fetchAllSubscriptionsOperation()
    let fetch = CKFetchSubscriptionsOperation.fetchAllSubscriptionsOperation()
    // member: CKFetchSubscriptionsOperation.fetchSubscriptionsResultBlock
    fetch.fetchSubscriptionsResultBlock = { _ in }
    // member: CKFetchSubscriptionsOperation.fetchSubscriptionCompletionBlock
    fetch.fetchSubscriptionCompletionBlock = { _, _ in }
    // member: CKNotification.init(fromRemoteNotificationDictionary:)
    let notification = CKNotification(fromRemoteNotificationDictionary: [:])
    // member: CKNotification.notificationType
    _ = notification?.notificationType
    // member: CKNotification.subscriptionID
    _ = notification?.subscriptionID
    // member: CKNotification.title
    _ = notification?.title
    // member: CKNotification.category
    _ = notification?.category
    // member: CKNotification.badge
    _ = notification?.badge
    // member: CKNotification.soundName
    _ = notification?.soundName
    // member: CKQueryNotification.recordID
    _ = (notification as? CKQueryNotification)?.recordID
    // member: CKQueryNotification.queryNotificationReason
    _ = (notification as? CKQueryNotification)?.queryNotificationReason
    // member: CKQueryNotification.recordFields
    _ = (notification as? CKQueryNotification)?.recordFields
    // member: CKRecordZoneNotification.recordZoneID
    _ = (notification as? CKRecordZoneNotification)?.recordZoneID
    // member: CKDatabaseNotification.databaseScope
    _ = (notification as? CKDatabaseNotification)?.databaseScope
}

private func useOperations(_ operation: CKDatabaseOperation) {
    // member: CKDatabaseOperation.database
    operation.database = nil
    // member: CKOperation.container
    operation.container = nil
    // member: CKOperation.operationID
    _ = operation.operationID
    // member: CKOperation.cancel()
    operation.cancel()
    // member: CKOperation.addDependency(_:)
    operation.addDependency(CKFetchRecordsOperation())
    // member: CKOperation.completionBlock
    operation.completionBlock = nil
    // member: CKOperation.queuePriority
    operation.queuePriority = .high
    // member: CKOperation.qualityOfService
    operation.qualityOfService = .utility
}

private func useSyncEngine(_ engine: CKSyncEngine, _ id: CKRecord.ID) async throws {
    // member: CKSyncEngine.database
    _ = engine.database
    // member: CKSyncEngine.fetchChanges(_:)
    try await engine.fetchChanges()
    // member: CKSyncEngine.sendChanges(_:)
    try await engine.sendChanges()
    // member: CKSyncEngine.cancelOperations()
    await engine.cancelOperations()
    // member: CKSyncEngine.State.add(pendingRecordZoneChanges:)
    engine.state.add(pendingRecordZoneChanges: [.saveRecord(id)])
    // member: CKSyncEngine.State.add(pendingDatabaseChanges:)
    engine.state.add(pendingDatabaseChanges: [.deleteZone(id.zoneID)])
    // member: CKSyncEngine.State.pendingRecordZoneChanges
    _ = engine.state.pendingRecordZoneChanges
    // member: CKSyncEngine.State.pendingDatabaseChanges
    _ = engine.state.pendingDatabaseChanges
    // member: CKSyncEngine.State.hasPendingUntrackedChanges
    _ = engine.state.hasPendingUntrackedChanges
    // member: CKSyncEngine.State.zoneIDsWithUnfetchedServerChanges
    _ = engine.state.zoneIDsWithUnfetchedServerChanges
    // member: CKSyncEngine.State.Serialization
    let _: CKSyncEngine.State.Serialization? = nil
    // member: CKSyncEngine.RecordZoneChangeBatch
    _ = await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: []) { _ in nil }
    // member: CKSyncEngine.Event
    let _: CKSyncEngine.Event? = nil
    // member: CKSyncEngine.Event.description
    let _: (any CustomStringConvertible)? = nil as CKSyncEngine.Event?
    // member: CKSyncEngine.Event.StateUpdate.description
    let _: (any CustomStringConvertible)? = nil as CKSyncEngine.Event.StateUpdate?
    // member: CKSyncEngine.SendChangesContext.description
    let _: (any CustomStringConvertible)? = nil as CKSyncEngine.SendChangesContext?
    // member: CKSyncEngine.FetchChangesOptions.description
    _ = CKSyncEngine.FetchChangesOptions().description
    // member: CKSyncEngine.SyncReason.description
    _ = CKSyncEngine.SyncReason.manual.description
    // member: CKSyncEngine.PendingRecordZoneChange.description
    _ = CKSyncEngine.PendingRecordZoneChange.saveRecord(id).description
    // member: CKSyncEngine.PendingDatabaseChange.description
    _ = CKSyncEngine.PendingDatabaseChange.deleteZone(id.zoneID).description
    // member: CKSyncEngineDelegate
    let _: (any CKSyncEngineDelegate)? = nil
}
