import Cabinet
import CabinetCloudKit
import CabinetTesting
import Foundation
import Testing

/// Requests that the classes divide into several of the store.
@Suite("Batches over several zones, and with shares")
struct DividedBatchTests {
    private let zone = CKRecordZone(zoneName: "Lists")

    private func records(_ count: Int, in zoneID: CKRecordZone.ID) -> [CKRecord] {
        (0..<count).map { _ in CKRecord(recordType: "Items", recordID: CKRecord.ID(zoneID: zoneID)) }
    }

    @Test("the limit counts the items of all zones, before anything is saved", arguments: CloudStore.allCases)
    func limit(_ store: CloudStore) async throws {
        try await store.run { container in
            let database = container.privateCloudDatabase
            try await database.save(zone)
            let batch = records(10, in: .default) + records(391, in: zone.zoneID)
            #expect(await code { try await database.modifyRecords(saving: batch, deleting: []) } == .limitExceeded)
            #expect(batch.allSatisfy { $0.recordChangeTag == nil })
            _ = try await database.modifyRecords(saving: Array(batch.dropLast()), deleting: [])
        }
    }

    @Test("a failure of the custom zone's request is one of its items, because the default zone was saved")
    func laterFailure() async throws {
        let backend = FaultInjectingBackend()
        let container = CKContainer(identifier: "iCloud.com.example.test", backend: backend)
        let database = container.privateCloudDatabase
        try await database.save(zone)
        let (first, second) = (records(1, in: .default)[0], records(1, in: zone.zoneID)[0])
        try await database.save(records(1, in: zone.zoneID)[0])
        backend.inject(.failure(.networkFailure), on: .write, at: 2, times: nil)
        let errors = await partialErrors {
            try await database.modifyRecords(saving: [second, first], deleting: [])
        }
        #expect(errors == [second.recordID: .networkFailure])
        #expect(first.recordChangeTag != nil && second.recordChangeTag == nil)
        backend.removeAllInjections()
        // A failure of the first request is one of the whole.
        backend.inject(.failure(.networkFailure), on: .write, times: nil)
        #expect(
            await code { try await database.modifyRecords(saving: [second, first], deleting: []) } == .networkFailure)
    }

    @Test("a stale share conflicts under every policy, and the records of its batch fail with it")
    func staleShare() async throws {
        let backend = MemoryBackend()
        func device() -> CKDatabase {
            CKContainer(identifier: "iCloud.com.example.test", backend: backend).privateCloudDatabase
        }
        let (left, right) = (device(), device())
        try await left.save(zone)
        let share = CKShare(recordZoneID: zone.zoneID)
        share[CKShare.SystemFieldKey.title] = "Groceries"
        try await left.save(share)
        let stale = try #require(try await right.record(for: share.recordID) as? CKShare)
        share[CKShare.SystemFieldKey.title] = "Shopping"
        try await left.save(share)
        for policy in [CKModifyRecordsOperation.RecordSavePolicy.changedKeys, .allKeys] {
            stale[CKShare.SystemFieldKey.title] = "Old \(policy)"
            let record = records(1, in: zone.zoneID)[0]
            let errors = await partialErrors {
                try await right.modifyRecords(saving: [record, stale], deleting: [], savePolicy: policy)
            }
            #expect(errors == [stale.recordID: .serverRecordChanged, record.recordID: .batchRequestFailed])
            #expect(record.recordChangeTag == nil)
            // A share that was created apart is another version too.
            let other = CKShare(recordZoneID: zone.zoneID)
            let (results, _) = try await right.modifyRecords(
                saving: [other, record], deleting: [], savePolicy: policy, atomically: false)
            #expect(await code { try results[other.recordID]?.get() } == .serverRecordChanged)
            #expect(record.recordChangeTag != nil)
        }
        let fetched = try await left.record(for: share.recordID)
        #expect(fetched[CKShare.SystemFieldKey.title] as? String == "Shopping")
        // The share of a record is first saved in one batch with it, under every policy.
        try await left.deleteRecord(withID: share.recordID)
        let root = records(1, in: zone.zoneID)[0]
        let new = CKShare(rootRecord: root)
        _ = try await left.modifyRecords(saving: [root, new], deleting: [], savePolicy: .allKeys)
        #expect(new.recordChangeTag != nil)
        new[CKShare.SystemFieldKey.title] = "List"
        root["name"] = "Milk"
        _ = try await left.modifyRecords(saving: [root, new], deleting: [], savePolicy: .changedKeys)
        #expect(new.changedKeys().isEmpty && root.changedKeys().isEmpty)
    }

    @Test("a failure of the whole request ends a fetch of zones, and a missing zone fails alone")
    func zoneChanges() async throws {
        let backend = FaultInjectingBackend()
        let database = CKContainer(identifier: "iCloud.com.example.test", backend: backend).privateCloudDatabase
        try await database.save(zone)
        func outcome() async -> [String] {
            let log = Log()
            let missing = CKRecordZone.ID(zoneName: "None")
            let operation = CKFetchRecordZoneChangesOperation(recordZoneIDs: [missing, zone.zoneID])
            operation.recordZoneFetchResultBlock = { id, result in
                log.add("\(id.zoneName) \((try? result.get()) != nil)")
            }
            operation.fetchRecordZoneChangesResultBlock = { result in
                if case .failure(let error as CKError) = result { log.add("\(error.code)") } else { log.add("success") }
            }
            await database.run(operation)
            return log.all
        }
        #expect(await outcome() == ["None false", "Lists true", "partialFailure"])
        backend.inject(.failure(.networkFailure), times: nil)
        #expect(await outcome() == ["networkFailure"])
    }
}
