import Cabinet
import Foundation

extension ConformanceRule {
    /// The timelines of a database, and the tokens that name them.
    static let timelines: [ConformanceRule] = [
        ConformanceRule(
            .storage, "a number stays on its timeline",
            law:
                "A committed number's timeline never changes, and of three numbers the middle one is on no timeline of its own.",
            source: .storage("StorageSnapshot.timelines(of:)")
        ) { world in
            let backend = world.backend
            var known: [Int64: Int64?] = [:]
            for _ in 0..<4 {
                try await backend.write(.public) { transaction in
                    let first = try await transaction.reserveSequenceNumbers(3)
                    let found = try await transaction.timelines(of: [first, first + 2])
                    try expect("The timelines in a transaction", found.first ?? nil, equals: found.last ?? nil)
                }
                let found = try await backend.read(.public) { try await $0.allTimelines() }
                for (number, timeline) in known {
                    try expect("The timeline of \(number)", found[number] ?? nil, equals: timeline)
                }
                known = found
            }
            struct Undone: Error {}
            do {
                try await backend.write(.public) { transaction in
                    _ = try await transaction.reserveSequenceNumbers(1)
                    throw Undone()
                }
            } catch is Undone {}
            let found = try await backend.read(.public) { try await $0.allTimelines() }
            try expect(
                "The timelines after a write that was undone", found.filter { known[$0.key] != nil }, equals: known)
            try expect(
                "The timelines of no number", try await backend.read(.public) { try await $0.timelines(of: []) },
                equals: [])
        },
        ConformanceRule(
            .durability, "numbers stay on their timelines across openings",
            law:
                "When a store is closed, opened again and written to, earlier numbers are on the timelines that they were on.",
            source: .storage("StorageSnapshot.timelines(of:)"), needsReopening: true
        ) { world in
            for _ in 0..<3 {
                _ = try await world.backend.write(.public) { try await $0.reserveSequenceNumbers(2) }
            }
            let before = try await world.backend.read(.public) { try await $0.allTimelines() }
            try await world.reopened { world in
                for _ in 0..<2 {
                    let after = try await world.backend.read(.public) { try await $0.allTimelines() }
                    try expect("The timelines", after.filter { before[$0.key] != nil }, equals: before)
                    _ = try await world.backend.write(.public) { try await $0.reserveSequenceNumbers(2) }
                }
            }
        },
        ConformanceRule(
            .changes, "a token from a save brings later deletions",
            law: "A fetch with the token that a save returns brings every record, and the deletions since the save.",
            source: .cabinet("change feed")
        ) { world in
            let (anna, other) = (try world.privateDatabase(), try world.privateDatabase())
            try await other.saveAll([Record("Items", "old"), Record("Items", "early")])
            try await other.deleteRecord(withID: .named("early"))
            let (saved, _, token) = try await anna.modifyRecords(
                saving: ["a", "b", "c"].map { Record("Items", $0) }, deleting: [], inZoneWith: .default)
            for result in saved.values { _ = try result.get() }
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
            .changes, "a token from a save is of one zone",
            law: "A save that returns a token is about one zone, also if it saves nothing; other records are refused.",
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

extension StorageSnapshot {
    /// The timeline of each number; throws where one timeline lies within another.
    fileprivate func allTimelines() async throws -> [Int64: Int64?] {
        let last = try await lastSequenceNumber()
        let numbers = Array(stride(from: Int64(1), through: last, by: 1))
        let found = try await timelines(of: numbers)
        try expect("The number of timelines", found.count, equals: numbers.count)
        var ended: Set<Int64?> = []
        for (before, after) in zip(found, found.dropFirst()) where before != after {
            try expect(ended.insert(before).inserted && !ended.contains(after), "A timeline begins again.")
        }
        return Dictionary(zip(numbers, found), uniquingKeysWith: { first, _ in first })
    }
}
