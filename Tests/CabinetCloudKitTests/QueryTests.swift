import CabinetCloudKit
import CoreLocation
import Synchronization
import Testing

@Suite("CKQuery")
struct QueryTests {
    private func fill(_ database: CKDatabase) async throws -> [CKRecord] {
        let records = ["Milk", "Bread", "Maize"].enumerated().map { index, name in
            let record = CKRecord(recordType: "Items", recordID: CKRecord.ID(recordName: name.lowercased()))
            record["name"] = name
            record["count"] = index
            record["tags"] = ["all", name]
            record["place"] = CLLocation(latitude: 50 + Double(index), longitude: 10)
            return record
        }
        _ = try await database.modifyRecords(saving: records, deleting: [])
        return records
    }

    private func names(
        _ database: CKDatabase, _ predicate: NSPredicate, _ sorts: [NSSortDescriptor] = []
    ) async throws
        -> [String]
    {
        let query = CKQuery(recordType: "Items", predicate: predicate)
        query.sortDescriptors = sorts.isEmpty ? [NSSortDescriptor(key: "name", ascending: true)] : sorts
        let (results, _) = try await database.records(matching: query)
        return try results.map { try $1.get() }.compactMap { $0["name"] as? String }
    }

    @Test("formats with arguments of every kind", arguments: CloudStore.allCases)
    func formats(_ store: CloudStore) async throws {
        try await store.run { container in
            let database = container.privateCloudDatabase
            let records = try await fill(database)
            #expect(try await names(database, NSPredicate(value: true)) == ["Bread", "Maize", "Milk"])
            #expect(try await names(database, NSPredicate(format: "TRUEPREDICATE")).count == 3)
            #expect(try await names(database, NSPredicate(value: false)) == [])
            #expect(try await names(database, NSPredicate(format: "name BEGINSWITH %@", "M")) == ["Maize", "Milk"])
            #expect(try await names(database, NSPredicate(format: "%K == %@", "name", "Milk")) == ["Milk"])
            #expect(
                try await names(database, NSPredicate(format: "count > %d AND name != %@", 0, "Maize")) == ["Bread"])
            #expect(try await names(database, NSPredicate(format: "tags CONTAINS %@", "Milk")) == ["Milk"])
            #expect(
                try await names(database, NSPredicate(format: "name IN %@", ["Milk", "Bread"])) == ["Bread", "Milk"])
            #expect(try await names(database, NSPredicate(format: "count == %@", NSNumber(value: 2))) == ["Maize"])
            #expect(
                try await names(database, NSPredicate(format: "count = %@", argumentArray: [1])) == ["Bread"])
            let id = records[0].recordID
            #expect(try await names(database, NSPredicate(format: "recordID == %@", id)) == ["Milk"])
            #expect(
                try await names(database, NSPredicate(format: "recordID IN %@", records.prefix(2).map(\.recordID)))
                    == ["Bread", "Milk"])
            #expect(
                try await names(database, NSPredicate(format: "creationDate > %@", Date.distantPast as NSDate)).count
                    == 3)
            let both = NSCompoundPredicate(andPredicateWithSubpredicates: [
                NSPredicate(format: "count >= 1"), NSPredicate(format: "name BEGINSWITH 'M'"),
            ])
            #expect(try await names(database, both) == ["Maize"])
            let not = NSCompoundPredicate(notPredicateWithSubpredicate: NSPredicate(format: "name = 'Milk'"))
            #expect(try await names(database, not) == ["Bread", "Maize"])
        }
    }

    @Test("arguments are also given as CVarArg, and numbers as CGFloat")
    func variableArguments() async throws {
        try await CloudStore.memory.run { container in
            let database = container.privateCloudDatabase
            let id = try await fill(database)[0].recordID
            let past = Date.distantPast
            #expect(
                try await names(database, NSPredicate(format: "creationDate >= %@", past as any CVarArg)).count == 3)
            #expect(try await names(database, NSPredicate(format: "recordID == %@", id as any CVarArg)) == ["Milk"])
            let list = ["Milk", "Bread"] as any CVarArg
            #expect(try await names(database, NSPredicate(format: "name IN %@", list)) == ["Bread", "Milk"])
            #expect(
                try await names(database, NSPredicate(format: "%K == %@", "count", NSNumber(value: 2) as any CVarArg))
                    == ["Maize"])
            #expect(try await names(database, NSPredicate(format: "count > %f", CGFloat(1.5))) == ["Maize"])
            let record = CKRecord(recordType: "Items")
            record.setValue(CGFloat(1.5), forKey: "width")
            #expect(record["width"] as? Double == 1.5)
            let order = NSSortDescriptor(key: "count", ascending: false, selector: nil)
            #expect(try await names(database, NSPredicate(value: true), [order]) == ["Maize", "Bread", "Milk"])
        }
    }

    @Test("references are found by record, reference and ID")
    func references() async throws {
        try await CloudStore.memory.run { container in
            let database = container.privateCloudDatabase
            let list = CKRecord(recordType: "Lists")
            let item = CKRecord(recordType: "Items")
            item["name"] = "Milk"
            item["list"] = CKRecord.Reference(record: list, action: .deleteSelf)
            _ = try await database.modifyRecords(saving: [list, item], deleting: [])
            let reference = CKRecord.Reference(recordID: list.recordID, action: .none)
            #expect(try await names(database, NSPredicate(format: "list == %@", reference)) == ["Milk"])
            #expect(try await names(database, NSPredicate(format: "list == %@", list)) == ["Milk"])
            #expect(try await names(database, NSPredicate(format: "list == %@", list.recordID)) == ["Milk"])
        }
    }

    @Test("ANY with IN and CONTAINS finds elements of lists, and no parts of them", arguments: CloudStore.allCases)
    func elements(_ store: CloudStore) async throws {
        try await store.run { container in
            let database = container.privateCloudDatabase
            _ = try await fill(database)
            let wanted = ["Milk", "Bread", "Salt"]
            #expect(try await names(database, NSPredicate(format: "ANY tags IN %@", wanted)) == ["Bread", "Milk"])
            #expect(try await names(database, NSPredicate(format: "SOME tags IN {'all'} AND count > 0")).count == 2)
            #expect(try await names(database, NSPredicate(format: "NOT ANY tags IN %@", wanted)) == ["Maize"])
            #expect(try await names(database, NSPredicate(format: "ANY tags CONTAINS %@", "Milk")) == ["Milk"])
            #expect(try await names(database, NSPredicate(format: "ANY tags CONTAINS 'Mil'")) == [])
            let others = NSPredicate(format: "NOT (SOME tags CONTAINS 'Milk') AND count > 1")
            #expect(try await names(database, others) == ["Maize"])
        }
    }

    @Test("orders by field, backwards and by distance", arguments: CloudStore.allCases)
    func orders(_ store: CloudStore) async throws {
        try await store.run { container in
            let database = container.privateCloudDatabase
            _ = try await fill(database)
            let all = NSPredicate(value: true)
            let descending = NSSortDescriptor(key: "count", ascending: false)
            #expect(try await names(database, all, [descending]) == ["Maize", "Bread", "Milk"])
            let near = CKLocationSortDescriptor(key: "place", relativeLocation: CLLocation(latitude: 52, longitude: 10))
            #expect(try await names(database, all, [near]) == ["Maize", "Bread", "Milk"])
            let far = try #require(near.reversedSortDescriptor as? CKLocationSortDescriptor)
            #expect(try await names(database, all, [far]) == ["Milk", "Bread", "Maize"])
            let query = CKQuery(recordType: "Items", predicate: all)
            query.sortDescriptors = [far]
            let data = try NSKeyedArchiver.archivedData(withRootObject: query, requiringSecureCoding: true)
            let read = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: CKQuery.self, from: data))
            #expect(try await names(database, all, read.sortDescriptors ?? []) == ["Milk", "Bread", "Maize"])
            let inside = NSPredicate(
                format: "distanceToLocation:fromLocation:(place, %@) < %f", CLLocation(latitude: 50, longitude: 10),
                150_000.0)
            #expect(try await names(database, inside) == ["Bread", "Milk"])
        }
    }

    @Test("pages continue at a cursor, also after an archive", arguments: CloudStore.allCases)
    func pages(_ store: CloudStore) async throws {
        try await store.run { container in
            let database = container.privateCloudDatabase
            _ = try await fill(database)
            let query = CKQuery(recordType: "Items", predicate: NSPredicate(value: true))
            query.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
            let first = try await database.records(matching: query, desiredKeys: ["name"], resultsLimit: 2)
            #expect(first.matchResults.count == 2)
            #expect(try first.matchResults.first?.1.get().allKeys() == ["name"])
            let cursor = try #require(first.queryCursor)
            let data = try NSKeyedArchiver.archivedData(withRootObject: cursor, requiringSecureCoding: true)
            let read = try #require(
                try NSKeyedUnarchiver.unarchivedObject(ofClass: CKQueryOperation.Cursor.self, from: data))
            let second = try await database.records(continuingMatchFrom: read)
            #expect(second.matchResults.map(\.0.recordName) == ["milk"] && second.queryCursor == nil)
        }
    }

    @Test("what CloudKit refuses is refused, and can be switched off")
    func refusals() async throws {
        let either = NSPredicate(format: "name = 'Milk' OR count = 1")
        try await CloudStore.memory.run { container in
            let database = container.privateCloudDatabase
            let query = CKQuery(recordType: "Items", predicate: NSPredicate(value: true))
            #expect(await code { try await database.records(matching: query) } == .unknownItem)
            _ = try await fill(database)
            #expect(await code { try await names(database, either) } == .invalidArguments)
            #expect(
                await code { try await names(database, NSPredicate(format: "colour = 'red'")) } == .invalidArguments)
            #expect(
                await code { try await names(database, NSPredicate(format: "name LIKE 'M*'")) } == .invalidArguments)
            #expect(await code { try await names(database, NSPredicate(format: "name ==")) } == .invalidArguments)
            #expect(await code { try await names(database, NSPredicate(block: { _, _ in true })) } == .invalidArguments)
            #expect(
                await code { try await names(database, NSPredicate(format: "name = %@", URL(fileURLWithPath: "/"))) }
                    == .invalidArguments)
            let zone = CKRecordZone(zoneName: "Custom")
            #expect(await code { try await container.publicCloudDatabase.save(zone) } == .badDatabase)
            #expect(
                await code { try await database.recordZoneChanges(inZoneWith: .default, since: nil) }
                    == .serverRejectedRequest)
            #expect(await code { try await container.publicCloudDatabase.databaseChanges(since: nil) } == .badDatabase)
        }
        try await CloudStore.memory.run(options: .init(refusesWhatCloudKitRefuses: false)) { container in
            let database = container.privateCloudDatabase
            _ = try await fill(database)
            #expect(try await names(database, either) == ["Bread", "Milk"])
            #expect(try await names(database, NSPredicate(format: "colour = 'red'")) == [])
            #expect(
                await code { try await container.publicCloudDatabase.save(CKRecordZone(zoneName: "Custom")) } == nil)
        }
    }

    @Test("either of two conditions, a set, and no value are arguments of a container without CloudKit's limits")
    func otherArguments() async throws {
        try await CloudStore.memory.run(options: .init(refusesWhatCloudKitRefuses: false)) { container in
            let database = container.privateCloudDatabase
            _ = try await fill(database)
            let either = NSCompoundPredicate(orPredicateWithSubpredicates: [
                NSPredicate(format: "name = 'Milk'"), NSPredicate(format: "count = 1"),
            ])
            #expect(try await names(database, either) == ["Bread", "Milk"])
            let set = NSPredicate(format: "name IN %@", NSSet(array: ["Milk", "Bread"]))
            #expect(try await names(database, set) == ["Bread", "Milk"])
            #expect(try await names(database, NSPredicate(format: "colour = %@", NSNull())).count == 3)
        }
    }

    @Test("records of users, orders by unknown fields, and all zones of the shared database are refused")
    func refusedQueries() async throws {
        try await CloudStore.memory.run { container in
            let database = container.privateCloudDatabase
            _ = try await fill(database)
            let all = NSPredicate(value: true)
            let users = CKQuery(recordType: "Users", predicate: all)
            #expect(await code { try await database.records(matching: users) } == .permissionFailure)
            let colour = [NSSortDescriptor(key: "colour", ascending: true)]
            #expect(await code { try await names(database, all, colour) } == .invalidArguments)
            let shared = container.sharedCloudDatabase
            #expect(
                await code { try await shared.records(matching: CKQuery(recordType: "Items", predicate: all)) }
                    == .invalidArguments)
        }
    }

    @Test("a zone that does not exist is reported before a type that does not", arguments: CloudStore.allCases)
    func unknownZone(_ store: CloudStore) async throws {
        try await store.run { container in
            let database = container.privateCloudDatabase
            let query = CKQuery(recordType: "Trips", predicate: NSPredicate(format: "price > 1"))
            query.sortDescriptors = [NSSortDescriptor(key: "price", ascending: true)]
            let zoneID = CKRecordZone.ID(zoneName: "Travel")
            func codes() async -> [CKError.Code?] {
                let operation = CKQueryOperation(query: query)
                operation.zoneID = zoneID
                let result = Mutex<CKError.Code?>(nil)
                operation.queryResultBlock = { outcome in
                    if case .failure(let error as CKError) = outcome { result.withLock { $0 = error.code } }
                }
                await database.run(operation)
                let call = await code {
                    try await database.records(matching: query, inZoneWith: zoneID, resultsLimit: 10)
                }
                return [call, result.withLock { $0 }]
            }
            #expect(await codes() == [.zoneNotFound, .zoneNotFound])
            // With the zone, the type is what lacks.
            try await database.save(CKRecordZone(zoneID: zoneID))
            #expect(await codes() == [.unknownItem, .unknownItem])
        }
    }
}
