import Cabinet
import Testing

@Suite("A database limited to a zone")
struct DatabaseZoneTests {
    private let database: Database
    private let travel: Database
    private let query = Query(recordType: "Trips", sortedBy: ["days"])

    init() async throws {
        database = try Container(identifier: "com.example.trips", backend: MemoryBackend()).privateDatabase
        let zone = try await database.save(RecordZone(zoneName: "Travel"))
        travel = database.inZone(zone.zoneID)
        for (name, days) in [("lisbon", 3), ("rome", 5)] {
            var trip = travel.makeRecord("Trips", named: name)
            trip["days"] = days
            try await travel.save(trip)
        }
        try await database.save(Record(recordType: "Trips", recordID: "elsewhere"))
    }

    @Test("New records and IDs belong to its zone")
    func making() {
        #expect(travel.zoneID?.zoneName == "Travel")
        #expect(travel.makeRecord("Trips").recordID.zoneID == travel.zoneID)
        #expect(travel.recordID(named: "x") == RecordID(recordName: "x", zoneID: RecordZone.ID(zoneName: "Travel")))
        #expect(database.zoneID == nil)
        #expect(database.recordID(named: "x") == "x")
        #expect(travel.description == "com.example.trips: private database, zone Travel")
    }

    @Test("Queries find the records of its zone alone")
    func queries() async throws {
        #expect(try await database.count(matching: query) == 3)
        #expect(try await travel.count(matching: query) == 2)
        #expect(try await travel.allRecords(matching: query).map(\.recordID.recordName) == ["lisbon", "rome"])
        #expect(try await travel.first(matching: query)?.recordID.recordName == "lisbon")
        #expect(try await travel.sum(of: "days", matching: query, as: Int.self) == 8)
        #expect(try await travel.average(of: "days", matching: query) == 4)
        #expect(try await travel.minimum(of: "days", matching: query) as? Int == 3)
        #expect(try await travel.counts(by: "days", matching: query).map(\.count) == [1, 1])
        #expect(try await travel.sums(of: "days", by: "days", matching: query, as: Int.self).map(\.sum) == [3, 5])
        #expect(try await !travel.exists(matching: Query(recordType: "Trips", filter: .field("days") == nil)))
        let page = try await travel.records(matching: query, resultsLimit: 1)
        let cursor = try #require(page.queryCursor)
        for database in [travel, database] {
            let rest = try await database.records(continuingMatchFrom: cursor)
            #expect(rest.matchResults.map(\.0.recordName) == ["rome"])
        }
        var states = travel.observe(query).makeAsyncIterator()
        #expect(try await states.next()?.map(\.recordID.recordName) == ["lisbon", "rome"])
    }

    @Test("Its records are fetched, changed and deleted")
    func records() async throws {
        let rome = travel.recordID(named: "rome")
        try await travel.update(rome) { $0["days"] = 6 }
        #expect(try await travel.record(for: rome)["days"] as? Int == 6)
        try await travel.deleteRecord(withID: rome)
        #expect(try await database.count(matching: query) == 2)
        #expect(try await travel.allRecords(matching: query, inZoneWith: travel.zoneID).count == 1)
        let page = try await travel.recordZoneChanges(inZoneWith: rome.zoneID, since: nil)
        #expect(page.modificationResultsByID.values.compactMap(\.record).count == 1)
    }

    @Test("A name of another zone is refused, and changes nothing")
    func refusal() async throws {
        func expectRefusal(_ body: () async throws -> Void) async {
            let error = await #expect(throws: CabinetError.self) { try await body() }
            #expect(error?.code == .invalidArguments)
            #expect(error?.message.contains("limited to the zone 'Travel'") == true)
        }
        let before = try await database.allRecords(matching: query)
        var elsewhere = try await database.record(for: "elsewhere")
        elsewhere["days"] = 1
        let changed = elsewhere
        let own = travel.makeRecord("Trips")
        await expectRefusal { try await travel.save(changed) }
        await expectRefusal { try await travel.save(Record(recordType: "Trips")) }
        await expectRefusal { try await travel.save(Record(recordType: "Trips")) { _ in } }
        await expectRefusal {
            _ = try await travel.modifyRecords(saving: [own, changed], deleting: [], atomically: false)
        }
        await expectRefusal { _ = try await travel.modifyRecords(saving: [own], deleting: ["elsewhere"]) }
        await expectRefusal { _ = try await travel.record(for: "elsewhere") }
        await expectRefusal { try await travel.deleteRecord(withID: "elsewhere") }
        await expectRefusal { _ = try await travel.count(matching: query, inZoneWith: .default) }
        await expectRefusal { _ = try await travel.allRecords(matching: query, inZoneWith: .default) }
        await expectRefusal { _ = try await travel.recordZoneChanges(inZoneWith: .default, since: nil) }
        await expectRefusal {
            for try await _ in travel.observe(query, inZoneWith: .default) { break }
        }
        let cursor = try await database.records(matching: query, resultsLimit: 1).queryCursor
        let allZones = try #require(cursor)
        await expectRefusal { _ = try await travel.records(continuingMatchFrom: allZones) }
        #expect(try await database.allRecords(matching: query) == before)
    }

    @Test("The account's own name is the placeholder")
    func ownName() async throws {
        let own = RecordZone.ID(zoneName: "Travel", ownerName: Account.default.userRecordName)
        #expect(try await !travel.exists(matching: Query(recordType: "Nothing"), inZoneWith: travel.zoneID))
        let error = await #expect(throws: CabinetError.self) {
            _ = try await travel.record(for: RecordID(recordName: "nowhere", zoneID: own))
        }
        #expect(error?.message.contains("limited to") == false)
    }

    @Test("A missing record names its zone, and the deletion of what is missing gives no advice to save it")
    func messages() async throws {
        let absent = await #expect(throws: CabinetError.self) {
            try await travel.record(for: travel.recordID(named: "paris"))
        }
        #expect(absent?.message == "There is no such record in the zone 'Travel' of the private database.")
        let elsewhere = await #expect(throws: CabinetError.self) { try await database.record(for: "lisbon") }
        #expect(elsewhere?.message == "There is no such record in the default zone of the private database.")
        let zone = await #expect(throws: CabinetError.self) {
            try await database.deleteRecordZone(withID: RecordZone.ID(zoneName: "Work"))
        }
        #expect(zone?.code == .zoneNotFound && zone?.message.contains("Save") == false)
        let subscription = await #expect(throws: CabinetError.self) {
            try await database.deleteSubscription(withID: "all")
        }
        #expect(subscription?.code == .unknownItem && subscription?.message.contains("Save") == false)
    }
}
