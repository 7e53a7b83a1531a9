import CabinetCloudKit
import CoreLocation

// Uses of the members of CloudKit, each below its name in the table of the article "Members of CloudKit". They are
// compiled, and not run: `MemberTests` compares the names with the table.

private func useRecord(_ record: CKRecord, _ coder: NSCoder) {
    // member: CKRecord.init(recordType:recordID:)
    _ = CKRecord(recordType: "A", recordID: record.recordID)
    // member: CKRecord.init(coder:)
    _ = CKRecord(coder: coder)
    // member: CKRecord.recordType
    _ = record.recordType
    // member: CKRecord.recordID
    _ = record.recordID
    // member: CKRecord.recordChangeTag
    _ = record.recordChangeTag
    // member: CKRecord.creatorUserRecordID
    _ = record.creatorUserRecordID
    // member: CKRecord.creationDate
    _ = record.creationDate
    // member: CKRecord.lastModifiedUserRecordID
    _ = record.lastModifiedUserRecordID
    // member: CKRecord.modificationDate
    _ = record.modificationDate
    // member: CKRecord.parent
    record.parent = nil
    // member: CKRecord.setParent(_:)
    record.setParent(record)
    // member: CKRecord.subscript(_:)
    record["a"] = 1
    // member: CKRecord.subscript(_:) of a type
    let _: Int? = record["a"]
    // member: CKRecord.object(forKey:)
    _ = record.object(forKey: "a")
    // member: CKRecord.setObject(_:forKey:)
    record.setObject("a", forKey: "a")
    // member: CKRecord.value(forKey:)
    _ = record.value(forKey: "a")
    // member: CKRecord.setValue(_:forKey:)
    record.setValue(1, forKey: "a")
    // member: CKRecord.setValuesForKeys(_:)
    record.setValuesForKeys(["a": 1])
    // member: CKRecord.dictionaryWithValues(forKeys:)
    _ = record.dictionaryWithValues(forKeys: ["a"])
    // member: CKRecord.allKeys()
    _ = record.allKeys()
    // member: CKRecord.changedKeys()
    _ = record.changedKeys()
    // member: CKRecord.encryptedValues
    _ = record.encryptedValues["a"] as Int?
    // member: CKRecord.encodeSystemFields(with:)
    record.encodeSystemFields(with: coder)
    // member: CKRecord.encode(with:)
    record.encode(with: coder)
    // member: CKRecord.copy()
    _ = record.copy()
    // member: CKRecord as a Sequence
    for (_, _) in record {}
    // member: CKRecord.SystemType
    _ = [CKRecord.SystemType.userRecord]
    // member: CKRecord.SystemFieldKey
    _ = CKRecord.SystemFieldKey.creationDate
    // member: CKRecord.RecordType
    let _: CKRecord.RecordType = "A"
    // member: CKRecord.FieldKey
    let _: CKRecord.FieldKey = "a"
    // member: __CKRecordObjCValue
    record.setObject("a" as any __CKRecordObjCValue, forKey: "a")
}

private func useIdentities(_ record: CKRecord, _ id: CKRecord.ID, _ zone: CKRecordZone) {
    // member: CKRecord.ID.init(recordName:zoneID:)
    _ = CKRecord.ID(recordName: "a", zoneID: zone.zoneID)
    // member: CKRecord.ID.recordName
    _ = id.recordName
    // member: CKRecord.ID.zoneID
    _ = id.zoneID
    // member: CKRecordZone.init(zoneName:)
    _ = CKRecordZone(zoneName: "a")
    // member: CKRecordZone.init(zoneID:)
    _ = CKRecordZone(zoneID: zone.zoneID)
    // member: CKRecordZone.default()
    _ = CKRecordZone.default()
    // member: CKRecordZone.zoneID
    _ = zone.zoneID
    // member: CKRecordZone.capabilities
    _ = zone.capabilities.contains(.fetchChanges)
    // member: CKRecordZone.ID.init(zoneName:ownerName:)
    _ = CKRecordZone.ID(zoneName: "a", ownerName: CKCurrentUserDefaultName)
    _ = CKRecordZone.ID(zoneName: "a", ownerName: nil)
    // member: CKRecordZone.ID.zoneName
    _ = zone.zoneID.zoneName
    // member: CKRecordZone.ID.ownerName
    _ = zone.zoneID.ownerName
    // member: CKRecordZone.ID.default
    _ = CKRecordZone.ID.default
    // member: CKRecordZone.ID.defaultZoneName
    _ = CKRecordZone.ID.defaultZoneName
    // member: CKCurrentUserDefaultName
    _ = CKCurrentUserDefaultName
    // member: CKRecord.Reference.init(recordID:action:)
    let reference = CKRecord.Reference(recordID: id, action: .deleteSelf)
    // member: CKRecord.Reference.init(record:action:)
    _ = CKRecord.Reference(record: record, action: .none)
    // member: CKRecord.Reference.recordID
    _ = reference.recordID
    // member: CKRecord.Reference.action
    _ = reference.action == CKRecord.ReferenceAction.none
    // member: CKRecord_Reference_Action
    let _: CKRecord_Reference_Action = reference.action
    // member: CKAsset.init(fileURL:)
    let asset = CKAsset(fileURL: URL(fileURLWithPath: "/a"))
    // member: CKAsset.fileURL
    _ = asset.fileURL
}

private func useContainer(_ container: CKContainer) async throws {
    // member: CKContainer.default()
    _ = CKContainer.default()
    // member: CKContainer.init(identifier:)
    _ = CKContainer(identifier: "a")
    // member: CKContainer.containerIdentifier
    _ = container.containerIdentifier
    // member: CKContainer.publicCloudDatabase
    _ = container.publicCloudDatabase
    // member: CKContainer.privateCloudDatabase
    _ = container.privateCloudDatabase
    // member: CKContainer.sharedCloudDatabase
    _ = container.sharedCloudDatabase
    // member: CKContainer.database(with:)
    _ = container.database(with: .private)
    // member: CKContainer.add(_:)
    container.add(CKFetchRecordZonesOperation())
    // member: CKContainer.accountStatus()
    _ = try await container.accountStatus()
    // member: CKContainer.accountStatus(completionHandler:)
    container.accountStatus { _, _ in }
    // member: CKContainer.userRecordID()
    _ = try await container.userRecordID()
    // member: CKContainer.fetchUserRecordID(completionHandler:)
    container.fetchUserRecordID { _, _ in }
    // member: Notification.Name.CKAccountChanged
    _ = Notification.Name.CKAccountChanged
    // member: CKAccountStatus
    let _: CKAccountStatus = .available
    // member: CKContainer_Application_PermissionStatus
    let _: CKContainer_Application_PermissionStatus = .denied
    let _: CKContainer_Application_Permissions = .userDiscoverability
    let _: CKContainer_Application_PermissionBlock = { _, _ in }
}

private func useRecords(_ database: CKDatabase, _ record: CKRecord) async throws {
    // member: CKDatabase.databaseScope
    _ = database.databaseScope
    // member: CKDatabase.add(_:)
    database.add(CKFetchRecordZonesOperation())
    // member: CKDatabase.record(for:)
    _ = try await database.record(for: record.recordID)
    // member: CKDatabase.save(_:) of a record
    try await database.save(record)
    // member: CKDatabase.deleteRecord(withID:)
    try await database.deleteRecord(withID: record.recordID)
    // member: CKDatabase.records(for:desiredKeys:)
    _ = try await database.records(for: [record.recordID])
    // member: CKDatabase.modifyRecords(saving:deleting:savePolicy:atomically:)
    _ = try await database.modifyRecords(saving: [], deleting: [])
    // member: CKDatabase.fetch(withRecordID:completionHandler:)
    database.fetch(withRecordID: record.recordID) { _, _ in }
    // member: CKDatabase.save(_:completionHandler:) of a record
    database.save(record) { _, _ in }
    // member: CKDatabase.delete(withRecordID:completionHandler:)
    database.delete(withRecordID: record.recordID) { _, _ in }
    // member: CKDatabase.fetch(withRecordIDs:desiredKeys:completionHandler:)
    database.fetch(withRecordIDs: []) { _ in }
    // member: CKDatabase.modifyRecords(saving:deleting:completionHandler:)
    database.modifyRecords(saving: [], deleting: []) { _ in }
}

private func useQueries(_ database: CKDatabase, _ predicate: NSPredicate) async throws {
    // member: CKQuery.init(recordType:predicate:)
    let query = CKQuery(recordType: "A", predicate: predicate)
    // member: CKQuery.recordType
    _ = query.recordType
    // member: CKQuery.predicate
    _ = query.predicate
    // member: CKQuery.sortDescriptors
    query.sortDescriptors = [NSSortDescriptor(key: "a", ascending: true)]
    // member: NSSortDescriptor.init(key:ascending:)
    _ = NSSortDescriptor(key: "a", ascending: true)
    // member: NSSortDescriptor.init(key:ascending:selector:)
    _ = NSSortDescriptor(key: "a", ascending: true, selector: nil)
    // member: NSPredicate.init(format:_:)
    _ = NSPredicate(format: "a == %@", 1)
    // member: NSPredicate.init(format:_:) with a CVarArg
    _ = NSPredicate(format: "a == %@", Date() as any CVarArg)
    // member: NSPredicate.init(format:argumentArray:)
    _ = NSPredicate(format: "a == %@", argumentArray: [1])
    // member: NSPredicate.init(value:)
    _ = NSPredicate(value: true)
    // member: NSCompoundPredicate
    _ = NSCompoundPredicate(andPredicateWithSubpredicates: [predicate])
    // member: CLLocation
    let location = CLLocation(latitude: 1, longitude: 2)
    // member: CKLocationSortDescriptor.init(key:relativeLocation:)
    _ = CKLocationSortDescriptor(key: "a", relativeLocation: location)
    // member: CKDatabase.records(matching:inZoneWith:desiredKeys:resultsLimit:)
    let page = try await database.records(matching: query)
    // member: CKQueryOperation.Cursor
    guard let cursor = page.queryCursor else { return }
    // member: CKDatabase.records(continuingMatchFrom:desiredKeys:resultsLimit:)
    _ = try await database.records(continuingMatchFrom: cursor)
    // member: CKDatabase.perform(_:inZoneWith:completionHandler:)
    database.perform(query, inZoneWith: nil) { _, _ in }
    // member: CKDatabase.fetch(withQuery:inZoneWith:desiredKeys:resultsLimit:completionHandler:)
    database.fetch(withQuery: query) { _ in }
    // member: CKDatabase.fetch(withCursor:desiredKeys:resultsLimit:completionHandler:)
    database.fetch(withCursor: cursor) { _ in }
}

private func useZones(_ database: CKDatabase, _ zone: CKRecordZone, _ token: CKServerChangeToken) async throws {
    // member: CKDatabase.allRecordZones()
    _ = try await database.allRecordZones()
    // member: CKDatabase.recordZone(for:)
    _ = try await database.recordZone(for: zone.zoneID)
    // member: CKDatabase.recordZones(for:)
    _ = try await database.recordZones(for: [zone.zoneID])
    // member: CKDatabase.save(_:) of a zone
    try await database.save(zone)
    // member: CKDatabase.deleteRecordZone(withID:)
    try await database.deleteRecordZone(withID: zone.zoneID)
    // member: CKDatabase.modifyRecordZones(saving:deleting:)
    _ = try await database.modifyRecordZones(saving: [], deleting: [])
    // member: CKDatabase.fetchAllRecordZones(completionHandler:)
    database.fetchAllRecordZones { _, _ in }
    // member: CKDatabase.fetch(withRecordZoneID:completionHandler:)
    database.fetch(withRecordZoneID: zone.zoneID) { _, _ in }
    // member: CKDatabase.save(_:completionHandler:) of a zone
    database.save(zone) { _, _ in }
    // member: CKDatabase.delete(withRecordZoneID:completionHandler:)
    database.delete(withRecordZoneID: zone.zoneID) { _, _ in }
    // member: CKDatabase.databaseChanges(since:resultsLimit:)
    _ = try await database.databaseChanges(since: token)
    // member: CKDatabase.recordZoneChanges(inZoneWith:since:desiredKeys:resultsLimit:)
    let changes = try await database.recordZoneChanges(inZoneWith: zone.zoneID, since: nil)
    // member: CKDatabase.RecordZoneChange
    _ = changes.deletions.map(\.recordType)
    // member: CKDatabase.DatabaseChange
    let _: [CKDatabase.DatabaseChange.Deletion] = []
    // member: CKServerChangeToken
    _ = changes.changeToken
    // member: CKDatabase.fetchDatabaseChanges(since:resultsLimit:completionHandler:)
    database.fetchDatabaseChanges(since: nil) { _ in }
    // member: CKDatabase.fetchRecordZoneChanges(inZoneWith:since:completionHandler:)
    database.fetchRecordZoneChanges(inZoneWith: zone.zoneID, since: nil) { _ in }
}

private func useErrors(_ error: CKError) {
    // member: CKError.code
    _ = error.code
    // member: CKError.userInfo
    _ = error.userInfo
    // member: CKError.localizedDescription
    _ = error.localizedDescription
    // member: CKError.partialErrorsByItemID
    _ = error.partialErrorsByItemID
    // member: CKError.serverRecord
    _ = error.serverRecord
    // member: CKError.clientRecord
    _ = error.clientRecord
    // member: CKError.ancestorRecord
    _ = error.ancestorRecord
    // member: CKError.retryAfterSeconds
    _ = error.retryAfterSeconds
    // member: CKError.Code
    _ = CKError.Code.unknownItem ~= error
    // member: CKErrorDomain
    _ = CKErrorDomain
    // member: CKErrorRetryAfterKey
    _ = CKErrorRetryAfterKey
    // member: CKPartialErrorsByItemIDKey
    _ = CKPartialErrorsByItemIDKey
    // member: CKRecordChangedErrorServerRecordKey
    _ = CKRecordChangedErrorServerRecordKey
    // member: CKRecordChangedErrorClientRecordKey
    _ = CKRecordChangedErrorClientRecordKey
    // member: CKRecordChangedErrorAncestorRecordKey
    _ = CKRecordChangedErrorAncestorRecordKey
}
