import CabinetCloudKit
import CoreLocation

// Uses of the members of CloudKit, one a line, with their names in the table of the article "Members of CloudKit". They are
// compiled, and not run: `MemberTests` compares the names with the table.

private func useRecord(_ record: CKRecord, _ coder: NSCoder) {
    _ = CKRecord(recordType: "A", recordID: record.recordID)  // CKRecord.init(recordType:recordID:)
    _ = CKRecord(coder: coder)  // CKRecord.init(coder:)
    _ = record.recordType  // CKRecord.recordType
    _ = record.recordID  // CKRecord.recordID
    _ = record.recordChangeTag  // CKRecord.recordChangeTag
    _ = record.creatorUserRecordID  // CKRecord.creatorUserRecordID
    _ = record.creationDate  // CKRecord.creationDate
    _ = record.lastModifiedUserRecordID  // CKRecord.lastModifiedUserRecordID
    _ = record.modificationDate  // CKRecord.modificationDate
    record.parent = nil  // CKRecord.parent
    record.setParent(record)  // CKRecord.setParent(_:)
    record["a"] = 1  // CKRecord.subscript(_:)
    let _: Int? = record["a"]  // CKRecord.subscript(_:) of a type
    _ = record.object(forKey: "a")  // CKRecord.object(forKey:)
    record.setObject("a", forKey: "a")  // CKRecord.setObject(_:forKey:)
    _ = record.value(forKey: "a")  // CKRecord.value(forKey:)
    record.setValue(1, forKey: "a")  // CKRecord.setValue(_:forKey:)
    record.setValuesForKeys(["a": 1])  // CKRecord.setValuesForKeys(_:)
    _ = record.dictionaryWithValues(forKeys: ["a"])  // CKRecord.dictionaryWithValues(forKeys:)
    _ = record.allKeys()  // CKRecord.allKeys()
    _ = record.changedKeys()  // CKRecord.changedKeys()
    _ = record.encryptedValues["a"] as Int?  // CKRecord.encryptedValues
    record.encodeSystemFields(with: coder)  // CKRecord.encodeSystemFields(with:)
    record.encode(with: coder)  // CKRecord.encode(with:)
    _ = record.copy()  // CKRecord.copy()
    for (_, _) in record {}  // CKRecord as a Sequence
    _ = [CKRecord.SystemType.userRecord]  // CKRecord.SystemType
    _ = CKRecord.SystemFieldKey.creationDate  // CKRecord.SystemFieldKey
    let _: CKRecord.RecordType = "A"  // CKRecord.RecordType
    let _: CKRecord.FieldKey = "a"  // CKRecord.FieldKey
}

private func useIdentities(_ record: CKRecord, _ id: CKRecord.ID, _ zone: CKRecordZone) {
    _ = CKRecord.ID(recordName: "a", zoneID: zone.zoneID)  // CKRecord.ID.init(recordName:zoneID:)
    _ = id.recordName  // CKRecord.ID.recordName
    _ = id.zoneID  // CKRecord.ID.zoneID
    _ = CKRecordZone(zoneName: "a")  // CKRecordZone.init(zoneName:)
    _ = CKRecordZone(zoneID: zone.zoneID)  // CKRecordZone.init(zoneID:)
    _ = CKRecordZone.default()  // CKRecordZone.default()
    _ = zone.zoneID  // CKRecordZone.zoneID
    _ = zone.capabilities.contains(.fetchChanges)  // CKRecordZone.capabilities
    _ = CKRecordZone.ID(zoneName: "a", ownerName: CKCurrentUserDefaultName)  // CKRecordZone.ID.init(zoneName:ownerName:)
    _ = zone.zoneID.zoneName  // CKRecordZone.ID.zoneName
    _ = zone.zoneID.ownerName  // CKRecordZone.ID.ownerName
    _ = CKRecordZone.ID.default  // CKRecordZone.ID.default
    _ = CKRecordZone.ID.defaultZoneName  // CKRecordZone.ID.defaultZoneName
    _ = CKCurrentUserDefaultName  // CKCurrentUserDefaultName
    let reference = CKRecord.Reference(recordID: id, action: .deleteSelf)  // CKRecord.Reference.init(recordID:action:)
    _ = CKRecord.Reference(record: record, action: .none)  // CKRecord.Reference.init(record:action:)
    _ = reference.recordID  // CKRecord.Reference.recordID
    _ = reference.action == CKRecord.ReferenceAction.none  // CKRecord.Reference.action
    let asset = CKAsset(fileURL: URL(fileURLWithPath: "/a"))  // CKAsset.init(fileURL:)
    _ = asset.fileURL  // CKAsset.fileURL
}

private func useContainer(_ container: CKContainer) async throws {
    _ = CKContainer.default()  // CKContainer.default()
    _ = CKContainer(identifier: "a")  // CKContainer.init(identifier:)
    _ = container.containerIdentifier  // CKContainer.containerIdentifier
    _ = container.publicCloudDatabase  // CKContainer.publicCloudDatabase
    _ = container.privateCloudDatabase  // CKContainer.privateCloudDatabase
    _ = container.sharedCloudDatabase  // CKContainer.sharedCloudDatabase
    _ = container.database(with: .private)  // CKContainer.database(with:)
    container.add(CKFetchRecordZonesOperation())  // CKContainer.add(_:)
    _ = try await container.accountStatus()  // CKContainer.accountStatus()
    container.accountStatus { _, _ in }  // CKContainer.accountStatus(completionHandler:)
    _ = try await container.userRecordID()  // CKContainer.userRecordID()
    container.fetchUserRecordID { _, _ in }  // CKContainer.fetchUserRecordID(completionHandler:)
    _ = Notification.Name.CKAccountChanged  // Notification.Name.CKAccountChanged
    let _: CKAccountStatus = .available  // CKAccountStatus
}

private func useRecords(_ database: CKDatabase, _ record: CKRecord) async throws {
    _ = database.databaseScope  // CKDatabase.databaseScope
    database.add(CKFetchRecordZonesOperation())  // CKDatabase.add(_:)
    _ = try await database.record(for: record.recordID)  // CKDatabase.record(for:)
    try await database.save(record)  // CKDatabase.save(_:) of a record
    try await database.deleteRecord(withID: record.recordID)  // CKDatabase.deleteRecord(withID:)
    _ = try await database.records(for: [record.recordID])  // CKDatabase.records(for:desiredKeys:)
    _ = try await database.modifyRecords(saving: [], deleting: [])  // CKDatabase.modifyRecords(saving:deleting:savePolicy:atomically:)
    database.fetch(withRecordID: record.recordID) { _, _ in }  // CKDatabase.fetch(withRecordID:completionHandler:)
    database.save(record) { _, _ in }  // CKDatabase.save(_:completionHandler:) of a record
    database.delete(withRecordID: record.recordID) { _, _ in }  // CKDatabase.delete(withRecordID:completionHandler:)
    database.fetch(withRecordIDs: []) { _ in }  // CKDatabase.fetch(withRecordIDs:desiredKeys:completionHandler:)
    database.modifyRecords(saving: [], deleting: []) { _ in }  // CKDatabase.modifyRecords(saving:deleting:completionHandler:)
}

private func useQueries(_ database: CKDatabase, _ predicate: NSPredicate) async throws {
    let query = CKQuery(recordType: "A", predicate: predicate)  // CKQuery.init(recordType:predicate:)
    _ = query.recordType  // CKQuery.recordType
    _ = query.predicate  // CKQuery.predicate
    query.sortDescriptors = [NSSortDescriptor(key: "a", ascending: true)]  // CKQuery.sortDescriptors
    _ = NSSortDescriptor(key: "a", ascending: true)  // NSSortDescriptor.init(key:ascending:)
    _ = NSPredicate(format: "a == %@", 1)  // NSPredicate.init(format:_:)
    _ = NSPredicate(format: "a == %@", argumentArray: [1])  // NSPredicate.init(format:argumentArray:)
    _ = NSPredicate(value: true)  // NSPredicate.init(value:)
    _ = NSCompoundPredicate(andPredicateWithSubpredicates: [predicate])  // NSCompoundPredicate
    let location = CLLocation(latitude: 1, longitude: 2)  // CLLocation
    _ = CKLocationSortDescriptor(key: "a", relativeLocation: location)  // CKLocationSortDescriptor.init(key:relativeLocation:)
    let page = try await database.records(matching: query)  // CKDatabase.records(matching:inZoneWith:desiredKeys:resultsLimit:)
    guard let cursor = page.queryCursor else { return }  // CKQueryOperation.Cursor
    _ = try await database.records(continuingMatchFrom: cursor)  // CKDatabase.records(continuingMatchFrom:desiredKeys:resultsLimit:)
    database.perform(query, inZoneWith: nil) { _, _ in }  // CKDatabase.perform(_:inZoneWith:completionHandler:)
    database.fetch(withQuery: query) { _ in }  // CKDatabase.fetch(withQuery:inZoneWith:desiredKeys:resultsLimit:completionHandler:)
    database.fetch(withCursor: cursor) { _ in }  // CKDatabase.fetch(withCursor:desiredKeys:resultsLimit:completionHandler:)
}

private func useZones(_ database: CKDatabase, _ zone: CKRecordZone, _ token: CKServerChangeToken) async throws {
    _ = try await database.allRecordZones()  // CKDatabase.allRecordZones()
    _ = try await database.recordZone(for: zone.zoneID)  // CKDatabase.recordZone(for:)
    _ = try await database.recordZones(for: [zone.zoneID])  // CKDatabase.recordZones(for:)
    try await database.save(zone)  // CKDatabase.save(_:) of a zone
    try await database.deleteRecordZone(withID: zone.zoneID)  // CKDatabase.deleteRecordZone(withID:)
    _ = try await database.modifyRecordZones(saving: [], deleting: [])  // CKDatabase.modifyRecordZones(saving:deleting:)
    database.fetchAllRecordZones { _, _ in }  // CKDatabase.fetchAllRecordZones(completionHandler:)
    database.fetch(withRecordZoneID: zone.zoneID) { _, _ in }  // CKDatabase.fetch(withRecordZoneID:completionHandler:)
    database.save(zone) { _, _ in }  // CKDatabase.save(_:completionHandler:) of a zone
    database.delete(withRecordZoneID: zone.zoneID) { _, _ in }  // CKDatabase.delete(withRecordZoneID:completionHandler:)
    _ = try await database.databaseChanges(since: token)  // CKDatabase.databaseChanges(since:resultsLimit:)
    let changes = try await database.recordZoneChanges(inZoneWith: zone.zoneID, since: nil)  // CKDatabase.recordZoneChanges(inZoneWith:since:desiredKeys:resultsLimit:)
    _ = changes.deletions.map(\.recordType)  // CKDatabase.RecordZoneChange
    let _: [CKDatabase.DatabaseChange.Deletion] = []  // CKDatabase.DatabaseChange
    _ = changes.changeToken  // CKServerChangeToken
    database.fetchDatabaseChanges(since: nil) { _ in }  // CKDatabase.fetchDatabaseChanges(since:resultsLimit:completionHandler:)
    database.fetchRecordZoneChanges(inZoneWith: zone.zoneID, since: nil) { _ in }  // CKDatabase.fetchRecordZoneChanges(inZoneWith:since:completionHandler:)
}

private func useErrors(_ error: CKError) {
    _ = error.code  // CKError.code
    _ = error.userInfo  // CKError.userInfo
    _ = error.localizedDescription  // CKError.localizedDescription
    _ = error.partialErrorsByItemID  // CKError.partialErrorsByItemID
    _ = error.serverRecord  // CKError.serverRecord
    _ = error.clientRecord  // CKError.clientRecord
    _ = error.ancestorRecord  // CKError.ancestorRecord
    _ = error.retryAfterSeconds  // CKError.retryAfterSeconds
    _ = CKError.Code.unknownItem ~= error  // CKError.Code
    _ = CKErrorDomain  // CKErrorDomain
    _ = CKErrorRetryAfterKey  // CKErrorRetryAfterKey
    _ = CKPartialErrorsByItemIDKey  // CKPartialErrorsByItemIDKey
    _ = CKRecordChangedErrorServerRecordKey  // CKRecordChangedErrorServerRecordKey
    _ = CKRecordChangedErrorClientRecordKey  // CKRecordChangedErrorClientRecordKey
    _ = CKRecordChangedErrorAncestorRecordKey  // CKRecordChangedErrorAncestorRecordKey
}
