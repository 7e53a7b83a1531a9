import CabinetCloudKit
import Synchronization
import Testing

/// A list that blocks of operations append to.
final class Log: Sendable {
    private let entries = Mutex<[String]>([])
    func add(_ entry: String) { entries.withLock { $0.append(entry) } }
    var all: [String] { entries.withLock { $0 } }
}

extension CKDatabase {
    /// Runs an operation, and waits for its end.
    func run(_ operation: CKDatabaseOperation) async {
        await withCheckedContinuation { continuation in
            operation.completionBlock = { continuation.resume() }
            add(operation)
        }
    }
}

@Suite("CKOperation")
struct OperationTests {
    @Test(
        "saving calls both families of blocks, and reports partial failures to the older one",
        arguments: CloudStore.allCases)
    func modify(_ store: CloudStore) async throws {
        try await store.run { container in
            let database = container.privateCloudDatabase
            let stale = CKRecord(recordType: "Items", recordID: CKRecord.ID(recordName: "stale"))
            try await database.save(CKRecord(recordType: "Items", recordID: stale.recordID))
            let good = CKRecord(recordType: "Items", recordID: CKRecord.ID(recordName: "good"))
            let operation = CKModifyRecordsOperation(
                recordsToSave: [good, stale], recordIDsToDelete: [CKRecord.ID(recordName: "none")])
            let log = Log()
            operation.qualityOfService = .userInitiated
            operation.queuePriority = .high
            operation.perRecordProgressBlock = { record, progress in
                log.add("progress \(record.recordID.recordName) \(progress)")
            }
            operation.perRecordSaveBlock = { id, result in
                log.add("save \(id.recordName) \((try? result.get()) === good)")
            }
            operation.perRecordDeleteBlock = { id, _ in log.add("delete \(id.recordName)") }
            operation.perRecordCompletionBlock = { record, error in
                log.add("older \(record.recordID.recordName) \(error == nil)")
            }
            operation.modifyRecordsResultBlock = { result in log.add("result \((try? result.get()) != nil)") }
            operation.modifyRecordsCompletionBlock = { saved, deleted, error in
                let error = error as? CKError
                let item = error?.partialErrorsByItemID?[stale.recordID] as? CKError
                log.add(
                    "end \(saved?.count ?? -1) \(deleted?.count ?? -1) \(error?.code == .partialFailure) \(item?.code == .serverRecordChanged)"
                )
            }
            await database.run(operation)
            #expect(
                log.all == [
                    "progress good 1.0", "older good true", "save good true", "older stale false", "save stale false",
                    "delete none", "result false", "end 1 1 true true",
                ])
            #expect(good.recordChangeTag != nil && operation.isFinished && !operation.isExecuting)
        }
    }

    @Test("queries page by cursor in operations", arguments: CloudStore.allCases)
    func queries(_ store: CloudStore) async throws {
        try await store.run { container in
            let database = container.privateCloudDatabase
            let records = (0..<5).map { CKRecord(recordType: "Items", recordID: CKRecord.ID(recordName: "\($0)")) }
            for (index, record) in records.enumerated() { record["index"] = index }
            _ = try await database.modifyRecords(saving: records, deleting: [])
            let query = CKQuery(recordType: "Items", predicate: NSPredicate(value: true))
            query.sortDescriptors = [NSSortDescriptor(key: "index", ascending: false)]
            let log = Log()
            var operation: CKQueryOperation? = CKQueryOperation(query: query)
            while let current = operation {
                current.resultsLimit = 2
                current.recordMatchedBlock = { id, _ in log.add(id.recordName) }
                current.recordFetchedBlock = { record in log.add("old \(record.recordID.recordName)") }
                let next = Mutex<CKQueryOperation.Cursor?>(nil)
                current.queryResultBlock = { result in next.withLock { $0 = (try? result.get()) ?? nil } }
                await database.run(current)
                operation = next.withLock { $0 }.map(CKQueryOperation.init(cursor:))
            }
            #expect(log.all == (0..<5).reversed().flatMap { ["old \($0)", "\($0)"] })
        }
    }

    @Test("fetches by ID, of the user, of zones and of subscriptions")
    func fetches() async throws {
        try await CloudStore.memory.run { container in
            let database = container.privateCloudDatabase
            let record = CKRecord(recordType: "Items")
            record["count"] = 1
            try await database.save(record)
            let log = Log()
            let missing = CKRecord.ID(recordName: "missing")
            let fetch = CKFetchRecordsOperation(recordIDs: [record.recordID, missing])
            fetch.fetchRecordsCompletionBlock = { records, error in
                log.add("\(records?.count ?? -1) \((error as? CKError)?.code == .partialFailure)")
            }
            fetch.perRecordResultBlock = { id, result in log.add("\(id == missing) \((try? result.get()) != nil)") }
            await database.run(fetch)
            #expect(log.all == ["false true", "true false", "1 true"])

            let user = CKFetchRecordsOperation.fetchCurrentUserRecordOperation()
            user.perRecordResultBlock = { _, result in log.add((try? result.get())?.recordType ?? "none") }
            await database.run(user)
            #expect(log.all.last == "Users")

            let zone = CKModifyRecordZonesOperation(
                recordZonesToSave: [CKRecordZone(zoneName: "A")], recordZoneIDsToDelete: nil)
            zone.perRecordZoneSaveBlock = { id, _ in log.add(id.zoneName) }
            zone.modifyRecordZonesCompletionBlock = { zones, _, error in
                log.add("\(zones?.count ?? -1) \(error == nil)")
            }
            await database.run(zone)
            #expect(log.all.suffix(2) == ["A", "1 true"])
            let zones = CKFetchRecordZonesOperation.fetchAllRecordZonesOperation()
            zones.fetchRecordZonesCompletionBlock = { zones, _ in log.add("\(zones?.count ?? -1)") }
            await database.run(zones)
            #expect(log.all.last == "2")

            let subscription = CKQuerySubscription(
                recordType: "Items", predicate: NSPredicate(format: "count > 1"), subscriptionID: "s",
                options: [.firesOnRecordCreation])
            let modify = CKModifySubscriptionsOperation(
                subscriptionsToSave: [subscription], subscriptionIDsToDelete: [])
            modify.modifySubscriptionsResultBlock = { log.add("\((try? $0.get()) != nil)") }
            await database.run(modify)
            let subscriptions = CKFetchSubscriptionsOperation.fetchAllSubscriptionsOperation()
            subscriptions.perSubscriptionResultBlock = { id, result in
                log.add("\(id) \((try? result.get()) == subscription)")
            }
            await database.run(subscriptions)
            #expect(log.all.suffix(2) == ["true", "s true"])
        }
    }

    @Test("changes of the database and of zones, page by page", arguments: CloudStore.allCases)
    func changes(_ store: CloudStore) async throws {
        try await store.run { container in
            let database = container.privateCloudDatabase
            let zone = try await database.save(CKRecordZone(zoneName: "Lists"))
            let records = (0..<3).map { _ in CKRecord(recordType: "Items", recordID: CKRecord.ID(zoneID: zone.zoneID)) }
            _ = try await database.modifyRecords(saving: records, deleting: [])
            let log = Log()
            let databaseChanges = CKFetchDatabaseChangesOperation(previousServerChangeToken: nil)
            databaseChanges.recordZoneWithIDChangedBlock = { log.add("zone \($0.zoneName)") }
            databaseChanges.fetchDatabaseChangesResultBlock = { log.add("end \((try? $0.get().moreComing) == false)") }
            await database.run(databaseChanges)
            #expect(log.all == ["zone Lists", "end true"])

            let zoneChanges = CKFetchRecordZoneChangesOperation(
                recordZoneIDs: [zone.zoneID, CKRecordZone.ID(zoneName: "None")],
                configurationsByRecordZoneID: [zone.zoneID: .init(previousServerChangeToken: nil, resultsLimit: 2)])
            let token = Mutex<CKServerChangeToken?>(nil)
            zoneChanges.recordWasChangedBlock = { _, _ in log.add("record") }
            zoneChanges.recordZoneChangeTokensUpdatedBlock = { _, _, _ in log.add("page") }
            zoneChanges.recordZoneFetchResultBlock = { id, result in
                if let page = try? result.get() { token.withLock { $0 = page.serverChangeToken } }
                log.add("\(id.zoneName) \((try? result.get()) != nil)")
            }
            zoneChanges.fetchRecordZoneChangesCompletionBlock = { error in
                log.add("\((error as? CKError)?.code == .partialFailure)")
            }
            await database.run(zoneChanges)
            #expect(
                log.all.dropFirst(2) == ["record", "record", "page", "record", "Lists true", "None false", "true"])

            try await database.deleteRecord(withID: records[0].recordID)
            let next = CKFetchRecordZoneChangesOperation(
                recordZoneIDs: [zone.zoneID],
                configurationsByRecordZoneID: [zone.zoneID: .init(previousServerChangeToken: token.withLock { $0 })])
            next.recordWithIDWasDeletedBlock = { id, type in log.add("\(id == records[0].recordID) \(type)") }
            await database.run(next)
            #expect(log.all.last == "true Items")
        }
    }

    @Test("dependencies, cancellation and subclasses")
    func queue() async throws {
        final class Counting: CKFetchRecordsOperation, @unchecked Sendable {
            var name2 = "subclass"
            override func cancel() {
                name2 = "cancelled"
                super.cancel()
            }
        }
        try await CloudStore.memory.run { container in
            let database = container.privateCloudDatabase
            let record = CKRecord(recordType: "Items")
            let log = Log()
            let save = CKModifyRecordsOperation(recordsToSave: [record])
            save.modifyRecordsResultBlock = { _ in log.add("saved") }
            let fetch = Counting(recordIDs: [record.recordID])
            fetch.perRecordResultBlock = { _, result in log.add("fetched \((try? result.get()) == record)") }
            fetch.addDependency(save)
            fetch.group = CKOperationGroup()
            fetch.configuration.timeoutIntervalForRequest = 5
            save.database = database
            fetch.database = database
            let queue = OperationQueue()
            queue.addOperation(fetch)
            queue.addOperation(save)
            await withCheckedContinuation { continuation in queue.addBarrierBlock { continuation.resume() } }
            #expect(log.all == ["saved", "fetched true"] && fetch.name2 == "subclass")

            let cancelled = Counting(recordIDs: [record.recordID])
            cancelled.fetchRecordsResultBlock = { result in
                if case .failure(let error) = result { log.add("\((error as? CKError)?.code == .operationCancelled)") }
            }
            cancelled.cancel()
            await database.run(cancelled)
            #expect(log.all.last == "true" && cancelled.name2 == "cancelled" && cancelled.isFinished)
        }
    }
}
