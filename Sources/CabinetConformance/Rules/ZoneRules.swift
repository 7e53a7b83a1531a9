import Cabinet
import Foundation

extension ConformanceRule {
    /// Creating, finding and deleting zones.
    static let zones: [ConformanceRule] = [
        ConformanceRule(
            .zones, "an unknown zone is reported before an unknown type",
            law: "Every query of a type that no record has, in a zone that does not exist, is zoneNotFound.",
            source: .cabinet("Zones")
        ) { world in
            let database = try world.privateDatabase()
            try await database.save(Record("Items", "milk", ["number": 1]))
            let zoneID = RecordZone.ID(zoneName: "Travel")
            let query = Query(recordType: "Trips", filter: try Filter("price > 1"), sortedBy: ["price"])
            try await expectError(.zoneNotFound, naming: ["Travel"]) {
                try await database.records(matching: query, inZoneWith: zoneID)
            }
            try await expectError(.zoneNotFound) { try await database.count(matching: query, inZoneWith: zoneID) }
            try await expectError(.zoneNotFound) {
                try await database.sum(of: "price", matching: query, inZoneWith: zoneID)
            }
            try await expectError(.zoneNotFound) {
                try await database.counts(by: "price", matching: query, inZoneWith: zoneID)
            }
            try await expectError(.zoneNotFound) {
                try await database.sums(of: "price", by: "name", matching: query, inZoneWith: zoneID)
            }
            try await expectError(.zoneNotFound) { try await database.explain(query, inZoneWith: zoneID) }
            try await expectError(.zoneNotFound) {
                for try await _ in database.observe(query, inZoneWith: zoneID) {}
            }
        },
        ConformanceRule(
            .zones, "a saved zone can be fetched",
            law: "A saved zone is fetched and listed, beside the default zone, which always exists.",
            source: .cloudKit("CKDatabase, saveRecordZone")
        ) { world in
            let database = try world.privateDatabase()
            try expect("The zones", try await database.zoneNames(), equals: ["_defaultZone"])
            let saved = try await database.save(RecordZone(zoneName: "Travel"))
            try expect("The saved zone", saved.zoneID, equals: .travel)
            try await database.save(RecordZone(zoneName: "Work"))
            try expect("The zones", try await database.zoneNames(), equals: ["Travel", "Work", "_defaultZone"])
            try expect("The fetched zone", try await database.recordZone(for: .travel), equals: saved)
            let results = try await database.recordZones(for: [.travel, .default, RecordZone.ID(zoneName: "No")])
            try expect("The number of results", results.count, equals: 3)
            try expect("The default zone", try results[.default]?.get(), equals: .default())
            try await expectError(.zoneNotFound, naming: ["No"]) {
                try await database.recordZone(for: RecordZone.ID(zoneName: "No"))
            }
        },
        ConformanceRule(
            .zones, "saving a zone again changes nothing",
            law: "A zone that is saved again, including the default zone, keeps its records.",
            source: .cloudKit("CKDatabase, saveRecordZone")
        ) { world in
            let database = try await world.travelSamples()
            for zone in [RecordZone(zoneID: .travel), .default()] { try await database.save(zone) }
            try expect("The zones", try await database.zoneNames(), equals: ["Travel", "_defaultZone"])
            try expect("The records", try await database.names(in: nil), equals: ["a", "a", "b"])
        },
        ConformanceRule(
            .zones, "records live in their zone",
            law: "Records with one name in two zones are two records; a query searches one zone or all.",
            source: .cloudKit("CKRecordID.h")
        ) { world in
            let database = try await world.travelSamples()
            try expect("In the default zone", try await database.names(in: .default), equals: ["a"])
            try expect("In the other zone", try await database.names(in: .travel), equals: ["a", "b"])
            try expect("In all", try await database.names(in: nil), equals: ["a", "a", "b"])
            let found = try await database.record(for: .inTravel("a"))
            try expect("The record's value", found["x"] as? Int, equals: 10)
            try expect("The other's", try await database.fetch("a")["x"] as? Int, equals: 1)
            try await database.deleteRecord(withID: .inTravel("a"))
            try expect("In all", try await database.names(in: nil), equals: ["a", "b"])
            try expect(
                "The count", try await database.count(matching: Query(recordType: "Samples"), inZoneWith: .travel),
                equals: 1)
        },
        ConformanceRule(
            .zones, "pages cover all zones",
            law: "A query of all zones finds each record once, for any page size.",
            source: .cloudKit("CKQueryOperation.h, zoneID")
        ) { world in
            let database = try await world.travelSamples()
            let query = Query(recordType: "Samples", sortedBy: [Sort("even")])
            for size in 1...4 {
                var found: [RecordID] = []
                for try await record in database.recordSequence(matching: query, pageSize: size) {
                    found.append(record.recordID)
                }
                try expect("The records", found, equals: [.named("a"), .inTravel("a"), .inTravel("b")])
            }
        },
        ConformanceRule(
            .zones, "an unknown zone is zoneNotFound",
            law:
                "Nothing is fetched, saved, deleted or queried in a zone that was never saved, and the error names it.",
            source: .cloudKit("CKError.h, zoneNotFound")
        ) { world in
            let database = try await world.travelSamples()
            let unknown = RecordZone.ID(zoneName: "Elsewhere")
            let id = RecordID(recordName: "a", zoneID: unknown)
            try await expectError(.zoneNotFound, naming: ["Elsewhere"], about: id) {
                try await database.record(for: id)
            }
            try await expectError(.zoneNotFound, about: id) { try await database.deleteRecord(withID: id) }
            try await expectError(.zoneNotFound, naming: ["Elsewhere"]) { try await database.names(in: unknown) }
            try await expectError(.zoneNotFound, naming: ["Elsewhere"]) {
                try await database.deleteRecordZone(withID: unknown)
            }
            let failures = try await database.failures(
                saving: [Record(recordType: "Samples", recordID: id), Record("Samples", "new")])
            try await expectError(.zoneNotFound, about: id) { try failures[id]?.get() }
            try expect("The failed records", failures.count, equals: 1)
            try expect("The new record's name", try await database.fetch("new").recordID, equals: .named("new"))
        },
        ConformanceRule(
            .zones, "a failure stays in its zone",
            law:
                "In an atomic batch a failed record fails those of its own zone, and no others; the error names the failed ones alone.",
            source: .cloudKit("CKModifyRecordsOperation.h, atomic")
        ) { world in
            let database = try await world.travelSamples()
            let failures = try await database.failures(
                saving: [
                    Record("Samples", "a"), Record("Samples", "new"),
                    Record(recordType: "Samples", recordID: .inTravel("new")),
                ])
            try await expectFailure(failures[.named("a")], .serverRecordChanged)
            try await expectFailure(failures[.named("new")], .batchRequestFailed)
            try expect("The failed records", failures.count, equals: 2)
            try expect("In the default zone", try await database.names(in: .default), equals: ["a"])
            try expect("In the other zone", try await database.names(in: .travel), equals: ["a", "b", "new"])
        },
        ConformanceRule(
            .zones, "delete rules act within a zone",
            law:
                "Records that a deleted record owns are deleted in its zone; records with the same name elsewhere stay.",
            source: .cloudKit("CKReference.h, deleteSelf")
        ) { world in
            let database = try await world.travelSamples()
            for id in [RecordID.inTravel("c"), .named("c")] {
                var child = Record(recordType: "Samples", recordID: id)
                child["owner"] = Reference(
                    recordID: RecordID(recordName: "a", zoneID: id.zoneID), action: .deleteSelf)
                try await database.save(child)
            }
            try await database.deleteRecord(withID: .inTravel("a"))
            try expect("In the default zone", try await database.names(in: .default), equals: ["a", "c"])
            try expect("In the other zone", try await database.names(in: .travel), equals: ["b"])
        },
    ]

    /// Deleting zones, and the permission to create and delete them.
    static let zoneDeletion: [ConformanceRule] = [
        ConformanceRule(
            .zones, "a zone is deleted with its records",
            law: "Deleting a zone deletes every record in it, regardless of references to them, and no other record.",
            source: .cloudKit("CKDatabase, deleteRecordZoneWithID")
        ) { world in
            let database = try await world.travelSamples()
            var guardian = Record(recordType: "Samples", recordID: .inTravel("guardian"))
            guardian["ward"] = Reference(recordID: .inTravel("a"), action: .deny)
            guardian["wards"] = [Reference(recordID: .inTravel("b"), action: .deny)]
            guardian.parent = Reference(recordID: .inTravel("b"), action: .none)
            try await database.save(guardian)
            try await database.save(Record(recordType: "Others", recordID: .inTravel("other")))
            try await database.deleteRecordZone(withID: .travel)
            try expect("The zones", try await database.zoneNames(), equals: ["_defaultZone"])
            try expect("The records", try await database.names(in: nil), equals: ["a"])
            try await expectError(.zoneNotFound) { try await database.recordZone(for: .travel) }
            try await expectError(.zoneNotFound) { try await database.record(for: .inTravel("a")) }
            try await expectError(.zoneNotFound) { try await database.names(in: .travel) }
            try await expectError(.zoneNotFound) {
                try await database.save(Record(recordType: "Samples", recordID: .inTravel("new")))
            }
        },
        ConformanceRule(
            .zones, "a recreated zone is empty",
            law: "A zone that is saved after it was deleted has no records, and accepts new ones under the old names.",
            source: .cloudKit("CKDatabase, deleteRecordZoneWithID")
        ) { world in
            let database = try await world.travelSamples()
            let old = try await database.record(for: .inTravel("a"))
            try await database.deleteRecordZone(withID: .travel)
            try await database.save(RecordZone(zoneID: .travel))
            try expect("The records", try await database.names(in: .travel), equals: [])
            try await expectError(.unknownItem) { try await database.record(for: .inTravel("a")) }
            try await expectError(.unknownItem) { try await database.save(old.with(["x": 2])) }
            var new = Record(recordType: "Others", recordID: .inTravel("a"))
            new["owner"] = Reference(recordID: .inTravel("a"), action: .deleteSelf)
            try await database.save(new)
            try await database.deleteRecord(withID: .inTravel("a"))
            try await expectError(.unknownItem) { try await database.record(for: .inTravel("a")) }
        },
        ConformanceRule(
            .zones, "the default zone cannot be deleted",
            law: "Deleting the default zone is refused, and its records stay.",
            source: .cloudKit("CKRecordZone.h, defaultRecordZone")
        ) { world in
            let database = try await world.travelSamples()
            try await expectError(.invalidArguments, naming: ["default zone"]) {
                try await database.deleteRecordZone(withID: .default)
            }
            try expect("The records", try await database.names(in: .default), equals: ["a"])
        },
        ConformanceRule(
            .zones, "one zone's failure does not affect another",
            law: "Zones of one request that can be saved or deleted are, and each has a result of its own.",
            source: .cloudKit("CKModifyRecordZonesOperation.h")
        ) { world in
            let database = try await world.travelSamples()
            let unknown = RecordZone.ID(zoneName: "Elsewhere")
            let malformed = RecordZone.ID(zoneName: "_x")
            let results = try await database.modifyRecordZones(
                saving: [RecordZone(zoneName: "Work"), RecordZone(zoneID: malformed)], deleting: [unknown, .travel])
            try expect("The number of results", results.saveResults.count + results.deleteResults.count, equals: 4)
            _ = try require(results.saveResults[RecordZone.ID(zoneName: "Work")], "The result for Work").get()
            try require(results.deleteResults[.travel], "The result for Travel").get()
            try await expectError(.invalidArguments) { try results.saveResults[malformed]?.get() }
            try await expectError(.zoneNotFound) { try results.deleteResults[unknown]?.get() }
            try expect("The zones", try await database.zoneNames(), equals: ["Work", "_defaultZone"])
        },
        ConformanceRule(
            .zones, "a malformed zone is refused",
            law:
                "A zone's name has 1 to 255 printable ASCII characters and no leading underscore; its owner is the user.",
            source: .cloudKit("CKRecordZoneID.h")
        ) { world in
            let database = try world.privateDatabase()
            for name in ["", "_a", "é", "a\u{7}", String(repeating: "x", count: 256)] {
                try await expectError(.invalidArguments) { try await database.save(RecordZone(zoneName: name)) }
            }
            let foreign = RecordZone.ID(zoneName: "Travel", ownerName: "_ben")
            try await expectError(.invalidArguments, naming: ["_ben"]) {
                try await database.save(RecordZone(zoneID: foreign))
            }
            let longest = String(repeating: "x", count: 255)
            for name in ["a", "A b'c\"d;--", longest] { try await database.save(RecordZone(zoneName: name)) }
            try expect(
                "The zones", try await database.zoneNames(), equals: ["A b'c\"d;--", "_defaultZone", "a", longest])
        },
        ConformanceRule(
            .zones, "a request names a zone once",
            law: "A request that names a zone twice is refused as a whole, and changes nothing.",
            source: .cabinet("batches")
        ) { world in
            let database = try await world.travelSamples()
            let work = RecordZone(zoneName: "Work")
            for (saved, deleted) in [([work, work], []), ([work], [work.zoneID]), ([work], [.travel, .travel])] {
                try await expectError(.invalidArguments, naming: ["twice"]) {
                    try await database.modifyRecordZones(saving: saved, deleting: deleted)
                }
            }
            try expect("The zones", try await database.zoneNames(), equals: ["Travel", "_defaultZone"])
        },
        ConformanceRule(
            .zones, "a user's zones are private",
            law: "A zone in one user's private database is in no other user's, nor in the public one.",
            source: .cloudKit("CKContainer.h")
        ) { world in
            let anna = try await world.travelSamples()
            let container = try world.container(account: Account(userRecordName: "_ben"))
            for database in [container.privateDatabase, container.publicDatabase] {
                try expect("The zones", try await database.zoneNames(), equals: ["_defaultZone"])
                try await database.save(RecordZone(zoneID: .travel))
                try expect("The records", try await database.names(in: .travel), equals: [])
                try await database.deleteRecordZone(withID: .travel)
            }
            try expect("Anna's records", try await anna.names(in: .travel), equals: ["a", "b"])
        },
        ConformanceRule(
            .zones, "a public zone is deleted by its creator",
            law:
                "In the public database the records of all users share a zone, and only the zone's creator may delete it.",
            source: .cabinet("differences from CloudKit")
        ) { world in
            let anna = try world.container().publicDatabase
            let ben = try world.container(account: Account(userRecordName: "_ben")).publicDatabase
            try await anna.save(RecordZone(zoneID: .travel))
            try await ben.save(RecordZone(zoneID: .travel))
            try await ben.save(Record(recordType: "Samples", recordID: .inTravel("b")))
            try await expectError(.permissionFailure, naming: ["_anna"]) {
                try await ben.deleteRecordZone(withID: .travel)
            }
            try expect("The records", try await anna.names(in: .travel), equals: ["b"])
            try await anna.deleteRecordZone(withID: .travel)
            try expect("The records", try await ben.names(in: nil), equals: [])
        },
        ConformanceRule(
            .zones, "zones cannot be created in the shared database",
            law: "The shared database has no zones of its own: it lists, saves and deletes none.",
            source: .cloudKit("CKError.h, badDatabase")
        ) { world in
            let shared = try world.container().sharedDatabase
            try expect("The zones", try await shared.zoneNames(), equals: [])
            try await expectError(.badDatabase) { try await shared.save(RecordZone(zoneID: .travel)) }
            for zone in [RecordZone.ID.travel, .default] {
                try await expectError(.zoneNotFound) { try await shared.recordZone(for: zone) }
                try await expectError(.zoneNotFound) { try await shared.deleteRecordZone(withID: zone) }
            }
        },
        ConformanceRule(
            .zones, "a deleted zone includes late records",
            law:
                "A record that is saved during the deletion of its zone is deleted with it, or was never saved.",
            source: .cabinet("consistency")
        ) { world in
            let database = try await world.travelSamples()
            try await withThrowingTaskGroup { group in
                for number in 0..<20 {
                    group.addTask {
                        let id = RecordID.inTravel("late\(number)")
                        do {
                            try await database.save(Record(recordType: "Samples", recordID: id))
                        } catch let error as CabinetError where error.code == .zoneNotFound {}
                    }
                }
                group.addTask { try await database.deleteRecordZone(withID: .travel) }
                try await group.waitForAll()
            }
            try expect("The records", try await database.names(in: nil), equals: ["a"])
        },
    ]
}

extension RecordZone.ID {
    fileprivate static let travel = RecordZone.ID(zoneName: "Travel")
}

extension RecordID {
    fileprivate static func inTravel(_ name: String) -> RecordID { RecordID(recordName: name, zoneID: .travel) }
}

extension ConformanceWorld {
    /// A database with the record `a` in the default zone, and `a` and `b` in the zone `Travel`.
    fileprivate func travelSamples() async throws -> Database {
        let database = try privateDatabase()
        try await database.save(RecordZone(zoneID: .travel))
        var records: [Record] = []
        for (id, x) in [(RecordID.named("a"), 1), (.inTravel("a"), 10), (.inTravel("b"), 20)] {
            var record = Record(recordType: "Samples", recordID: id)
            record["x"] = x
            record["even"] = true
            records.append(record)
        }
        try await database.saveAll(records)
        return database
    }
}

extension Database {
    fileprivate func zoneNames() async throws -> [String] {
        try await allRecordZones().map(\.zoneID.zoneName).sorted()
    }

    fileprivate func names(in zoneID: RecordZone.ID?) async throws -> [String] {
        try await allRecords(matching: Query(recordType: "Samples"), inZoneWith: zoneID).map(\.recordID.recordName)
    }
}
