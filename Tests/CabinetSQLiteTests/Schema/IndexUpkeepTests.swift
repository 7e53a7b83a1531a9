import Cabinet
import CabinetConformance
import CabinetTesting
import Foundation
import StorageTestSupport
import Testing

@testable import CabinetSQLite

/// The indexes of words and locations agree with the records.
@Suite struct IndexUpkeepTests {
    @Test(arguments: [1, 2, 3])
    func theyFollowEveryChange(seed: UInt64) async throws {
        let store = Store()
        var random = SeededGenerator(seed: seed)
        var plans = RandomPlans(random: random)
        let fields = ["s": FieldType.string, "t": .string, "place": .location, "n": .int64]
        try await store.backend.write(.public) { transaction in
            try await transaction.add(fields.map { StoredField(name: $0.key, type: $0.value) }, to: "Things")
            try await transaction.setIndexes(Self.indexes, of: "Things")
        }
        var stored: Set<String> = []
        for round in 0..<60 {
            var insertions: [StoredRecord] = []
            var updates: [StoredRecord] = []
            var removals: [RecordID] = []
            for name in (0..<12).map({ "x\($0)" }) where plans.chance(40) {
                var values: [(String, FieldValue)] = []
                for (key, type) in fields where plans.chance(70) {
                    values.append((key, plans.value(type, in: .default)))
                }
                let record = StoredRecord(name, type: "Things", values)
                if !stored.contains(name) {
                    insertions.append(record)
                    stored.insert(name)
                } else if Bool.random(using: &random) {
                    updates.append(record)
                } else {
                    removals.append(record.recordID)
                    stored.remove(name)
                }
            }
            let changes = (insertions, updates, removals)
            let readsFirst = plans.chance(50)
            try await store.backend.write(.public) { transaction in
                // Values that were read before are compared with the new state; others are replaced whole.
                if readsFirst { _ = try await transaction.records(for: changes.1.map(\.recordID), keys: nil) }
                let number = try await transaction.reserveSequenceNumbers(changes.2.count + changes.0.count + 1)
                try await transaction.remove(changes.2, firstSequenceNumber: number, date: Date())
                let inserted = changes.0.enumerated().map { offset, record in
                    var record = record
                    record.sequenceNumber = number + Int64(changes.2.count + offset)
                    record.insertionNumber = record.sequenceNumber
                    return record
                }
                try await transaction.insert(inserted)
                try await transaction.update(changes.1)
            }
            if round % 10 == 9 {
                let kept = try content(store)
                try await store.backend.write(.public) { transaction in
                    try await transaction.setIndexes([], of: "Things")
                    try await transaction.setIndexes(Self.indexes, of: "Things")
                }
                #expect(try content(store) == kept)
                #expect(!kept.isEmpty)
            }
        }
        #expect(try store.sql("PRAGMA integrity_check") == [["ok"]])
    }

    private static let indexes: Set<StoredIndex> = [.searchable("s"), .searchable("t"), .queryable("place")]

    private func content(_ store: Store) throws -> [[String?]] {
        try store.sql(#"SELECT rowid, words FROM "cabinet_search_Things.words" ORDER BY rowid"#)
            + store.sql(#"SELECT * FROM "cabinet_search_Things.place.places" ORDER BY id"#)
    }

    @Test func anotherSetOfSearchableFieldsIsAnotherIndex() async throws {
        let store = Store()
        try await store.insert([StoredRecord("a", [("s", .string("One")), ("t", .string("Two two, ÉÈ!"))])])
        for (indexes, words) in [
            ([.searchable("s")], "one ^3one"),
            ([.searchable("s"), .searchable("t")], "one two ee ^8one ^8two"),
            ([.searchable("t"), .queryable("s")], "two ee ^7two"),
        ] as [(Set<StoredIndex>, String)] {
            try await store.backend.write(.public) { try await $0.setIndexes(indexes, of: "Items") }
            #expect(try store.sql(#"SELECT words FROM "cabinet_search_Items.words""#) == [[words]])
        }
    }

    @Test func anUpdateOfOtherFieldsLeavesTheWordsAlone() async throws {
        let store = Store()
        try await store.insert([StoredRecord("a", [("s", .string("One")), ("n", .int64(1))])])
        try await store.backend.write(.public) { try await $0.setIndexes([.searchable("s")], of: "Items") }
        let before = try store.sql(#"SELECT hex(block) FROM "cabinet_search_Items.words_data" ORDER BY id"#)
        func change(_ record: StoredRecord) async throws {
            try await store.backend.write(.public) { transaction in
                _ = try await transaction.records(for: [record.recordID], keys: nil)
                try await transaction.update([record])
            }
        }
        try await change(StoredRecord("a", [("s", .string("One")), ("n", .int64(2))]))
        #expect(try store.sql(#"SELECT hex(block) FROM "cabinet_search_Items.words_data" ORDER BY id"#) == before)
        try await change(StoredRecord("a", [("n", .int64(2))]))
        #expect(try store.sql(#"SELECT words FROM "cabinet_search_Items.words""#) == [])
    }

    /// The tokenizer of the index takes each token of the core as one token, unchanged, for all scalars.
    @Test func theTokenizerTakesEveryScalarAsTheCoreDoes() async throws {
        let store = Store()
        try await store.create()
        try store.sql(
            "CREATE VIRTUAL TABLE t USING fts5(words, tokenize = \"ascii tokenchars '^'\", detail = none, columnsize = 0)"
        )
        try store.sql("CREATE VIRTUAL TABLE v USING fts5vocab(t, 'row')")
        var tokens: Set<String> = []
        var text = ""
        for value in UInt32(0)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            // Runs of some scalars, cut at the core's boundaries.
            text.unicodeScalars.append(scalar)
            if value % 16 == 15 { text.append(" ") }
        }
        tokens = Set(SearchTokens.tokens(in: text))
        let handle = try DatabaseHandle(path: store.path, creates: false)
        let insertion = try Statement("INSERT INTO t VALUES (?)", on: handle)
        try insertion.bind(tokens.joined(separator: " "), at: 1)
        try insertion.run()
        let found = Set(try store.sql("SELECT term FROM v").compactMap { $0[0] })
        #expect(tokens.count > 5000)
        // Compared by bytes: Swift's own equality treats canonical equivalents as equal.
        #expect(Set(found.map { Array($0.utf8) }) == Set(tokens.map { Array($0.utf8) }))
    }

    @Test(arguments: [1, 2])
    func boxesContainEveryLocationWithinTheDistance(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        func pick(_ values: [Double]) -> Double { values[Int.random(in: values.indices, using: &random)] }
        func place(near origin: Location? = nil) -> Location {
            if let origin, Bool.random(using: &random) {
                return Location(
                    latitude: min(max(origin.latitude + .random(in: -1...1, using: &random), -90), 90),
                    longitude: min(max(origin.longitude + .random(in: -1...1, using: &random), -180), 180))
            }
            let special = [-180, 180, -179.9999999, 179.9999999, 0.0]
            return Location(
                latitude: Int.random(in: 0..<4, using: &random) == 0
                    ? pick([90, -90, 89.9999, 0]) : .random(in: -90...90, using: &random),
                longitude: Int.random(in: 0..<3, using: &random) == 0
                    ? pick(special) : .random(in: -180...180, using: &random))
        }
        var large = 0
        for _ in 0..<20_000 {
            let origin = place()
            let other = place(near: origin)
            let distance = origin.distance(to: other)
            // The location lies just within the distance, so the box must contain it.
            let boxes = BoundingBox.boxes(around: origin, distance: distance)
            let isFound = boxes.contains {
                $0.south <= other.latitude && other.latitude <= $0.north && $0.west <= other.longitude
                    && other.longitude <= $0.east
            }
            #expect(isFound, "\(origin) \(other) \(distance) \(boxes)")
            if !isFound { return }
            large += boxes.contains(.everywhere) ? 1 : 0
        }
        #expect(large < 15_000)
        #expect(BoundingBox.boxes(around: Location(latitude: 0, longitude: 0), distance: -1) == [])
        #expect(BoundingBox.boxes(around: Location(latitude: 0, longitude: 0), distance: .infinity).count == 1)
    }
}
