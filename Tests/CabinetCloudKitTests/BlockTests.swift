import CabinetCloudKit
import Synchronization
import Testing

/// The blocks of operations that older programs set, and the properties that limit what operations do.
@Suite("Blocks and properties of operations", .timeLimit(.minutes(15)))
struct BlockTests {
    private func records(_ names: String..., zone: CKRecordZone.ID = .default) -> [CKRecord] {
        names.map { name in
            let record = CKRecord(recordType: "Items", recordID: CKRecord.ID(recordName: name, zoneID: zone))
            record["name"] = name
            record["count"] = 1
            return record
        }
    }

    @Test("a fetch calls its older blocks, and has the desired keys alone")
    func fetches() async throws {
        try await CloudStore.memory.run { container in
            let database = container.privateCloudDatabase
            let saved = records("a")
            _ = try await database.modifyRecords(saving: saved, deleting: [])
            let log = Log()
            let fetch = CKFetchRecordsOperation(recordIDs: [saved[0].recordID, CKRecord.ID(recordName: "none")])
            fetch.desiredKeys = ["name"]
            fetch.perRecordProgressBlock = { id, progress in log.add("\(id.recordName) \(progress)") }
            fetch.perRecordCompletionBlock = { record, id, error in
                log.add(
                    "\(id?.recordName ?? "-") \(record?.allKeys() ?? []) \((error as? CKError)?.code == .unknownItem)")
            }
            await database.run(fetch)
            #expect(log.all == ["a 1.0", #"a ["name"] false"#, "none [] true"])
        }
    }

    @Test("a query operation of a zone finds its records, in the older blocks too")
    func queries() async throws {
        try await CloudStore.memory.run { container in
            let database = container.privateCloudDatabase
            let zone = try await database.save(CKRecordZone(zoneName: "Lists"))
            let batch = records("a") + records("b", zone: zone.zoneID)
            _ = try await database.modifyRecords(saving: batch, deleting: [])
            let log = Log()
            let query = CKQueryOperation(query: CKQuery(recordType: "Items", predicate: NSPredicate(value: true)))
            query.zoneID = zone.zoneID
            query.recordFetchedBlock = { log.add($0.recordID.recordName) }
            query.queryCompletionBlock = { cursor, error in log.add("\(cursor == nil) \(error == nil)") }
            await database.run(query)
            #expect(log.all == ["b", "true true"])
        }
    }

    @Test("a save has its policy, need not be atomic, and a failed deletion is in the older block's error")
    func saves() async throws {
        try await CloudStore.memory.run { container in
            let database = container.privateCloudDatabase
            let zone = try await database.save(CKRecordZone(zoneName: "Lists"))
            let (stale, parent) = (records("a", zone: zone.zoneID), records("parent", zone: zone.zoneID))
            let child = records("child", zone: zone.zoneID)[0]
            child.setParent(parent[0])
            _ = try await database.modifyRecords(saving: stale + parent + [child], deleting: [])
            let errors = Mutex<[String]>([])
            func run(_ policy: CKModifyRecordsOperation.RecordSavePolicy) async {
                let operation = CKModifyRecordsOperation(
                    recordsToSave: records("a", "new", zone: zone.zoneID), recordIDsToDelete: [parent[0].recordID])
                operation.savePolicy = policy
                operation.isAtomic = false
                operation.modifyRecordsCompletionBlock = { _, _, error in
                    let items = (error as? CKError)?.partialErrorsByItemID?.keys.compactMap { $0 as? CKRecord.ID }
                    errors.withLock { $0 = (items ?? []).map(\.recordName).sorted() }
                }
                await database.run(operation)
            }
            await run(.ifServerRecordUnchanged)
            #expect(errors.withLock { $0 } == ["a", "parent"])
            #expect(await code { try await database.record(for: records("new", zone: zone.zoneID)[0].recordID) } == nil)
            await run(.allKeys)
            #expect(errors.withLock { $0 } == ["parent"])
        }
    }

    @Test("operations on zones and subscriptions call each block, for deletions too")
    func zonesAndSubscriptions() async throws {
        try await CloudStore.memory.run { container in
            let database = container.privateCloudDatabase
            let zone = try await database.save(CKRecordZone(zoneName: "A"))
            let log = Log()
            let fetch = CKFetchRecordZonesOperation(recordZoneIDs: [zone.zoneID])
            fetch.perRecordZoneResultBlock = { id, result in log.add("\(id.zoneName) \((try? result.get()) == zone)") }
            await database.run(fetch)
            let subscription = CKDatabaseSubscription(subscriptionID: "s")
            let save = CKModifySubscriptionsOperation(subscriptionsToSave: [subscription])
            save.perSubscriptionSaveBlock = { id, _ in log.add("saved \(id)") }
            await database.run(save)
            let list = CKFetchSubscriptionsOperation.fetchAllSubscriptionsOperation()
            list.fetchSubscriptionCompletionBlock = { found, _ in log.add("\(found?.keys.sorted() ?? [])") }
            await database.run(list)
            let delete = CKModifySubscriptionsOperation(subscriptionIDsToDelete: ["s"])
            delete.perSubscriptionDeleteBlock = { id, _ in log.add("deleted \(id)") }
            await database.run(delete)
            let zones = CKModifyRecordZonesOperation(recordZoneIDsToDelete: [zone.zoneID])
            zones.perRecordZoneDeleteBlock = { id, _ in log.add("deleted \(id.zoneName)") }
            await database.run(zones)
            #expect(log.all == ["A true", "saved s", #"["s"]"#, "deleted s", "deleted A"])
        }
    }

    @Test("changes of zones are fetched page by page if the program asks for it, and deletions are reported")
    func databaseChanges() async throws {
        try await CloudStore.memory.run { container in
            let database = container.privateCloudDatabase
            let zones = try await [
                database.save(CKRecordZone(zoneName: "A")), database.save(CKRecordZone(zoneName: "B")),
            ]
            let token = try await database.databaseChanges(since: nil).changeToken
            try await database.deleteRecordZone(withID: zones[0].zoneID)
            let log = Log()
            let operation = CKFetchDatabaseChangesOperation(previousServerChangeToken: token)
            operation.recordZoneWithIDWasDeletedBlock = { log.add("deleted \($0.zoneName)") }
            operation.changeTokenUpdatedBlock = { _ in log.add("token") }
            operation.fetchDatabaseChangesCompletionBlock = { token, isMore, _ in log.add("\(token != nil) \(isMore)") }
            await database.run(operation)
            #expect(log.all == ["deleted A", "token", "true false"])
            try await database.save(CKRecordZone(zoneName: "C"))
            let page = CKFetchDatabaseChangesOperation(previousServerChangeToken: nil)
            page.resultsLimit = 1
            page.fetchAllChanges = false
            page.fetchDatabaseChangesResultBlock = { log.add("more \((try? $0.get().moreComing) == true)") }
            await database.run(page)
            #expect(log.all.last == "more true")
        }
    }

    @Test("changes of records are fetched page by page if the program asks for it, in the older blocks too")
    func zoneChanges() async throws {
        try await CloudStore.memory.run { container in
            let database = container.privateCloudDatabase
            let zone = try await database.save(CKRecordZone(zoneName: "Lists"))
            _ = try await database.modifyRecords(saving: records("a", "b", "c", zone: zone.zoneID), deleting: [])
            let log = Log()
            func operation() -> CKFetchRecordZoneChangesOperation {
                CKFetchRecordZoneChangesOperation(
                    recordZoneIDs: [zone.zoneID], configurationsByRecordZoneID: [zone.zoneID: .init(resultsLimit: 1)])
            }
            let page = operation()
            page.fetchAllChanges = false
            page.recordChangedBlock = { log.add($0.recordID.recordName) }
            page.recordZoneFetchCompletionBlock = { _, token, _, isMore, _ in log.add("\(token != nil) \(isMore)") }
            await database.run(page)
            #expect(log.all == ["a", "true true"])
            // A cancellation stops an operation that runs.
            let cancelled = operation()
            cancelled.recordChangedBlock = { [weak cancelled] record in
                log.add(record.recordID.recordName)
                cancelled?.cancel()
            }
            cancelled.fetchRecordZoneChangesCompletionBlock = { error in
                log.add("\((error as? CKError)?.code == .operationCancelled)")
            }
            await database.run(cancelled)
            #expect(log.all.suffix(2) == ["a", "true"])
        }
    }

    @Test("the older operation fetches the changes of a zone page by page")
    func recordChanges() async throws {
        try await CloudStore.memory.run { container in
            let database = container.privateCloudDatabase
            let zone = try await database.save(CKRecordZone(zoneName: "Lists"))
            let batch = records("a", "b", zone: zone.zoneID)
            _ = try await database.modifyRecords(saving: batch, deleting: [])
            let log = Log()
            let token = Mutex<CKServerChangeToken?>(nil)
            func run(_ zoneID: CKRecordZone.ID, limit: Int = 0) async {
                let operation = CKFetchRecordChangesOperation(
                    recordZoneID: zoneID, previousServerChangeToken: token.withLock { $0 })
                operation.resultsLimit = limit
                operation.desiredKeys = ["name"]
                operation.recordChangedBlock = { log.add("\($0.recordID.recordName) \($0.allKeys())") }
                operation.recordWithIDWasDeletedBlock = { log.add("deleted \($0.recordName)") }
                operation.fetchRecordChangesCompletionBlock = { [unowned operation] next, _, error in
                    if let next { token.withLock { $0 = next } }
                    log.add("\(operation.moreComing) \((error as? CKError)?.code == .zoneNotFound)")
                }
                await database.run(operation)
            }
            await run(zone.zoneID, limit: 1)
            #expect(log.all == [#"a ["name"]"#, "true false"])
            await run(zone.zoneID)
            #expect(log.all.suffix(2) == [#"b ["name"]"#, "false false"])
            try await database.deleteRecord(withID: batch[0].recordID)
            await run(zone.zoneID)
            #expect(log.all.suffix(2) == ["deleted a", "false false"])
            token.withLock { $0 = nil }
            await run(CKRecordZone.ID(zoneName: "None"))
            #expect(log.all.last == "false true")
        }
    }

    @Test("operations with one configuration keep containers of their own")
    func configurations() {
        let shared = CKOperation.Configuration()
        shared.qualityOfService = .utility
        let containers = ["iCloud.a", "iCloud.b"].map { CKContainer(identifier: $0) }
        let operations = containers.map { container in
            let operation = CKFetchRecordZonesOperation.fetchAllRecordZonesOperation()
            operation.configuration = shared
            operation.container = container
            return operation
        }
        #expect(operations.map(\.container) == containers && shared.container == nil)
        #expect(operations.map(\.configuration.qualityOfService) == [.utility, .utility])
        operations[0].configuration.qualityOfService = .background
        #expect(operations[0].configuration.qualityOfService == .background && shared.qualityOfService == .utility)
        let copy = shared.copy() as? CKOperation.Configuration
        #expect(copy?.qualityOfService == .utility && copy !== shared)
    }

    @Test("an operation of a container is one of its private database")
    func containers() async throws {
        try await CloudStore.memory.run { container in
            let record = records("a")[0]
            let operation = CKModifyRecordsOperation(recordsToSave: [record])
            await withCheckedContinuation { continuation in
                operation.completionBlock = { continuation.resume() }
                container.add(operation)
            }
            let saved = try await container.privateCloudDatabase.record(for: record.recordID)
            #expect(saved == record)
        }
    }
}
