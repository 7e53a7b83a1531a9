import Cabinet
import CabinetCloudKit
import Testing

@Suite("CKDatabase")
struct DatabaseTests {
    @Test("a save updates the object that was passed", arguments: CloudStore.allCases)
    func save(_ store: CloudStore) async throws {
        try await store.run { container in
            let database = container.privateCloudDatabase
            let record = CKRecord(recordType: "Items")
            record["name"] = "Milk"
            let saved = try await database.save(record)
            #expect(saved === record)
            let first = record.recordChangeTag
            #expect(first != nil && record.changedKeys().isEmpty && record.creationDate != nil)
            record["name"] = "Bread"
            try await database.save(record)
            #expect(record.recordChangeTag != first)
            let fetched = try await database.record(for: record.recordID)
            #expect(fetched["name"] as? String == "Bread" && fetched == record)
        }
    }

    @Test("a stale copy conflicts, and the error has the three records", arguments: CloudStore.allCases)
    func conflict(_ store: CloudStore) async throws {
        try await store.run { container in
            let database = container.privateCloudDatabase
            let record = CKRecord(recordType: "Items")
            record["name"] = "Milk"
            try await database.save(record)
            let other = try await database.record(for: record.recordID)
            other["name"] = "Bread"
            try await database.save(other)
            record["name"] = "Eggs"
            do {
                try await database.save(record)
                Issue.record("The save succeeded.")
            } catch let error as CKError {
                #expect(error.code == .serverRecordChanged)
                #expect(error.clientRecord === record)
                #expect(error.serverRecord?["name"] as? String == "Bread")
                #expect(error.ancestorRecord?["name"] as? String == "Milk")
                let bridged = error as NSError
                #expect(bridged.domain == CKErrorDomain && bridged.code == CKError.Code.serverRecordChanged.rawValue)
                #expect(bridged.userInfo[CKRecordChangedErrorServerRecordKey] is CKRecord)
            }
        }
    }

    @Test(
        "results of a batch are by ID, and an atomic batch of a custom zone fails whole", arguments: CloudStore.allCases
    )
    func batches(_ store: CloudStore) async throws {
        try await store.run { container in
            let database = container.privateCloudDatabase
            let zone = try await database.save(CKRecordZone(zoneName: "Lists"))
            func records(in zoneID: CKRecordZone.ID) async throws -> [CKRecord] {
                let stale = CKRecord(recordType: "Items", recordID: CKRecord.ID(zoneID: zoneID))
                try await database.save(stale)
                let good = CKRecord(recordType: "Items", recordID: CKRecord.ID(zoneID: zoneID))
                return [CKRecord(recordType: "Items", recordID: stale.recordID), good]
            }
            let custom = try await records(in: zone.zoneID)
            let errors = await partialErrors { try await database.modifyRecords(saving: custom, deleting: []) }
            #expect(errors == [custom[0].recordID: .serverRecordChanged, custom[1].recordID: .batchRequestFailed])
            // CloudKit's default zone is not atomic, and the call throws too.
            let standard = try await records(in: .default)
            let others = await partialErrors { try await database.modifyRecords(saving: standard, deleting: []) }
            #expect(others == [standard[0].recordID: .serverRecordChanged] && standard[1].recordChangeTag != nil)
            let (results, _) = try await database.modifyRecords(saving: custom, deleting: [], atomically: false)
            #expect(await code { try results[custom[0].recordID]?.get() } == .serverRecordChanged)
            #expect(try results[custom[1].recordID]?.get() === custom[1])
        }
    }

    @Test("cascades, deletions and unknown items", arguments: CloudStore.allCases)
    func deletions(_ store: CloudStore) async throws {
        try await store.run { container in
            let database = container.privateCloudDatabase
            let list = CKRecord(recordType: "Lists")
            let item = CKRecord(recordType: "Items")
            item["list"] = CKRecord.Reference(record: list, action: .deleteSelf)
            _ = try await database.modifyRecords(saving: [list, item], deleting: [])
            try await database.deleteRecord(withID: list.recordID)
            #expect(await code { try await database.record(for: item.recordID) } == .unknownItem)
            #expect(await code { try await database.deleteRecord(withID: list.recordID) } == nil)
            item["name"] = "late"
            #expect(await code { try await database.save(item) } == .unknownItem)
        }
    }

    @Test("assets are copied, and read from files of their own", arguments: CloudStore.allCases)
    func assets(_ store: CloudStore) async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try Data("picture".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try await store.run { container in
            let database = container.privateCloudDatabase
            let note = CKRecord(recordType: "Notes")
            note["image"] = CKAsset(fileURL: file)
            try await database.save(note)
            let fetched = try await database.record(for: note.recordID)
            let url = try #require((fetched["image"] as? CKAsset)?.fileURL)
            #expect(try Data(contentsOf: url) == Data("picture".utf8))
            #expect(url != file)
            let missing = CKRecord(recordType: "Notes")
            missing["image"] = CKAsset(fileURL: file.appendingPathExtension("missing"))
            #expect(await code { try await database.save(missing) } == .assetFileNotFound)
        }
    }

    @Test("zones, their changes and tokens", arguments: CloudStore.allCases)
    func changes(_ store: CloudStore) async throws {
        try await store.run { container in
            let database = container.privateCloudDatabase
            let zone = CKRecordZone(zoneName: "Lists")
            let record = CKRecord(recordType: "Items", recordID: CKRecord.ID(zoneID: zone.zoneID))
            #expect(await code { try await database.save(record) } == .zoneNotFound)
            try await database.save(zone)
            #expect(try await database.allRecordZones().map(\.zoneID.zoneName).sorted() == ["Lists", "_defaultZone"])
            try await database.save(record)
            let first = try await database.recordZoneChanges(inZoneWith: zone.zoneID, since: nil)
            #expect(try first.modificationResultsByID[record.recordID]?.get().record == record)
            try await database.deleteRecord(withID: record.recordID)
            let second = try await database.recordZoneChanges(inZoneWith: zone.zoneID, since: first.changeToken)
            #expect(
                second.deletions.map(\.recordID) == [record.recordID] && second.deletions.first?.recordType == "Items")
            let all = try await database.databaseChanges(since: nil)
            #expect(all.modifications.map(\.zoneID) == [zone.zoneID])
            try await database.deleteRecordZone(withID: zone.zoneID)
            let gone = try await database.databaseChanges(since: all.changeToken)
            #expect(await code { try await database.deleteRecordZone(withID: zone.zoneID) } == nil)
            #expect(gone.deletions.map(\.zoneID) == [zone.zoneID] && gone.deletions.first?.reason == .deleted)
            let data = try NSKeyedArchiver.archivedData(withRootObject: gone.changeToken, requiringSecureCoding: true)
            let token = try NSKeyedUnarchiver.unarchivedObject(ofClass: CKServerChangeToken.self, from: data)
            #expect(token == gone.changeToken)
        }
    }

    @Test(
        "shares are queried, and come whole, also more of them than a request may name", arguments: CloudStore.allCases)
    func shares(_ store: CloudStore) async throws {
        try await store.run(options: .init(limits: Limits(itemsPerRequest: 20))) { container in
            let database = container.privateCloudDatabase
            let zoneID = try await database.save(CKRecordZone(zoneName: "Lists")).zoneID
            for _ in 0..<3 {
                let roots = (0..<10).map { _ in CKRecord(recordType: "Lists", recordID: CKRecord.ID(zoneID: zoneID)) }
                let shares = roots.map { root -> CKRecord in
                    let share = CKShare(rootRecord: root)
                    share.publicPermission = .readOnly
                    return share
                }
                _ = try await database.modifyRecords(saving: roots + shares, deleting: [])
            }
            let query = CKQuery(recordType: CKRecord.SystemType.share, predicate: NSPredicate(value: true))
            let found = try await database.records(
                matching: query, inZoneWith: zoneID, desiredKeys: [], resultsLimit: 100)
            let changes = try await database.recordZoneChanges(
                inZoneWith: zoneID, since: nil, desiredKeys: [], resultsLimit: 100)
            for records in [
                try found.matchResults.map { try $0.1.get() },
                try changes.modificationResultsByID.values.map { try $0.get().record },
            ] {
                let shares = records.compactMap { $0 as? CKShare }
                #expect(shares.count == 30 && shares.allSatisfy { $0.publicPermission == .readOnly })
            }
            let zones = try await database.databaseChanges(since: nil, resultsLimit: 0)
            #expect(zones.modifications.map(\.zoneID) == [zoneID])
        }
    }

    @Test("completion handlers get what the async methods return")
    func handlers() async throws {
        try await CloudStore.memory.run { container in
            let database = container.privateCloudDatabase
            let record = CKRecord(recordType: "Items")
            let saved: CKRecord? = await withCheckedContinuation { continuation in
                database.save(record) { record, error in
                    #expect(error == nil)
                    continuation.resume(returning: record)
                }
            }
            #expect(saved === record)
            let failed: (any Error)? = await withCheckedContinuation { continuation in
                database.fetch(withRecordID: CKRecord.ID(recordName: "missing")) { record, error in
                    #expect(record == nil)
                    continuation.resume(returning: error)
                }
            }
            #expect((failed as? CKError)?.code == .unknownItem)
            let found: [CKRecord]? = await withCheckedContinuation { continuation in
                let query = CKQuery(recordType: "Items", predicate: NSPredicate(value: true))
                database.perform(query, inZoneWith: nil) { records, _ in continuation.resume(returning: records) }
            }
            #expect(found == [record])
        }
    }

    @Test("accounts: without one, only the public database is read")
    func accounts() async throws {
        try await CloudStore.memory.run(options: .init(account: nil)) { container in
            let status = try await container.accountStatus()
            #expect(status == .noAccount)
            #expect(await code { try await container.userRecordID() } == .notAuthenticated)
            #expect(await code { try await container.privateCloudDatabase.allRecordZones() } == .notAuthenticated)
            #expect(
                await code { try await container.publicCloudDatabase.save(CKRecord(recordType: "A")) }
                    == .notAuthenticated)
        }
        try await CloudStore.memory.run { container in
            #expect(try await container.accountStatus() == .available)
            let id = try await container.userRecordID()
            #expect(
                try await container.privateCloudDatabase.record(for: id).recordType == CKRecord.SystemType.userRecord)
        }
    }
}
