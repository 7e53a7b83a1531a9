import Cabinet
import Foundation

extension ConformanceRule {
    /// The rules about the tokens that saves return.
    static let timelines: [ConformanceRule] = [
        ConformanceRule(
            .changes, "a token from a save yields later deletions",
            law: "A fetch with the token that a save returns yields every record, and the deletions since the save.",
            source: .cabinet("change feed")
        ) { world in
            let (anna, other) = (try world.privateDatabase(), try world.privateDatabase())
            try await other.saveAll([Record("Items", "old"), Record("Items", "early")])
            try await other.deleteRecord(withID: .named("early"))
            let token = try await anna.modifyRecords(
                saving: ["a", "b", "c"].map { Record("Items", $0) }, deleting: [], inZoneWith: .default
            ).changeToken
            try await other.deleteRecord(withID: .named("a"))
            try await other.save(Record("Items", "late"))
            var without = Device(anna)
            try expect(
                "The changes without a token", try await without.update(), equals: ["+b", "+c", "+late", "+old"])
            for pageSize in [nil, 1, 2] {
                var device = Device(anna, pageSize: pageSize, token: token)
                try expect("The changes", try await device.update(), equals: ["+b", "+c", "+late", "+old", "-a"])
                try expect("The changes after them", try await device.update(), equals: [])
            }
            let kept = try JSONDecoder().decode([ServerChangeToken].self, from: JSONEncoder().encode([token]))
            try expect("The token", kept, equals: [token])
        },
        ConformanceRule(
            .changes, "a token from a save belongs to one zone",
            law:
                "A save that returns a token is limited to one zone, even if it saves nothing; other records are refused.",
            source: .cabinet("change feed")
        ) { world in
            let database = try world.privateDatabase()
            let travel = try await database.save(RecordZone(zoneName: "Travel")).zoneID
            try await expectError(.invalidArguments, naming: ["Travel"], about: .named("a")) {
                try await database.modifyRecords(saving: [Record("Items", "a")], deleting: [], inZoneWith: travel)
            }
            let id = RecordID(recordName: "a", zoneID: travel)
            try await database.save(Record(recordType: "Items", recordID: id))
            let token = try await database.modifyRecords(saving: [], deleting: [], inZoneWith: travel).changeToken
            try await expectError(.invalidArguments, naming: ["Travel"]) {
                try await database.recordZoneChanges(inZoneWith: .default, since: token)
            }
            try await database.deleteRecord(withID: id)
            var device = Device(database, zoneID: travel, token: token)
            try expect("The changes", try await device.update(), equals: ["-a"])
        },
    ]
}
