import Cabinet
import CabinetTesting
import Foundation
import StorageTestSupport
import Testing

@testable import CabinetSQLite

/// Pages by relevance have the records that sorting all of them gives, however many steps they are read in.
@Suite struct RankedSearchTests {
    private static let zone = RecordZone.ID(zoneName: "Other")
    private static let searches = [
        "a", "an", "anv", "anvil", "anvil ", "x", "zz", "r", "e", "\u{E9}t", "anvil r", "anvil rop", "anvil rope ",
        "a a",
        "a anvil", "rope a", "rope anvil an", "and rope ", "\"anvil rope", "\"rope anvil\" a", "\"anvil and\"", "zz a",
        "and \u{E9}",
    ]

    /// Notes with words of very different frequencies, in two fields and two zones.
    private static func notes(_ count: Int, seed: UInt64) -> [Record] {
        var random = SeededGenerator(seed: seed)
        let words = [
            "a", "A", "anvil", "Anvil", "rope", "and", "anvils", "\u{C9}t\u{E9}", "ropes", "b", "b", "r2", "z",
        ]
        func text(_ limit: Int) -> String? {
            let count = Int.random(in: 0...limit, using: &random)
            if count == 0 { return nil }
            return (0..<count).map { _ in
                let index = Int.random(in: 0..<words.count, using: &random)
                return words[Int.random(in: 0...index, using: &random)]
            }.joined(separator: Bool.random(using: &random) ? " " : ", ")
        }
        return (0..<count).map { number in
            var note = Record(
                recordType: "Notes",
                recordID: RecordID(recordName: "n\(number)", zoneID: number.isMultiple(of: 7) ? zone : .default))
            note["title"] = text(4)
            note["body"] = text(number.isMultiple(of: 50) ? 60 : 7)
            note["n"] = number % 3
            return note
        }
    }

    private func database(_ store: Store, _ notes: [Record]) async throws -> Database {
        var schema = Schema()
        schema["Notes"]["title"] = Schema.Field(.string, .searchable)
        schema["Notes"]["body"] = Schema.Field(.string, .searchable)
        schema["Notes"]["n"] = Schema.Field(.int64)
        let container = try Container(
            identifier: "com.example.notes", backend: store.backend, schema: .strict(schema))
        try await container.privateDatabase.save(RecordZone(zoneID: Self.zone))
        try await container.privateDatabase.save(notes)
        return container.privateDatabase
    }

    /// Returns the notes that a search finds, sorted by relevance.
    private func expected(_ text: String, _ notes: [Record], _ isIncluded: (Record) -> Bool) throws -> [RecordID] {
        let search = SearchText(text)
        let found = try notes.filter(isIncluded).enumerated().map { number, note in
            let texts = [note["title"] as? String, note["body"] as? String].compactMap(\.self)
            return (points: try search.relevance(of: texts), number: number, id: note.recordID)
        }
        return found.filter { $0.points > 0 }
            .sorted { ($1.points, $0.number) < ($0.points, $1.number) }.map(\.id)
    }

    @Test(arguments: [(3_500, 1), (500, 2)] as [(Int, UInt64)])
    func pages(count: Int, seed: UInt64) async throws {
        let store = Store()
        defer { withExtendedLifetime(store) {} }
        let notes = Self.notes(count, seed: seed)
        let database = try await database(store, notes)
        for text in Self.searches {
            let filters: [(Filter, (Record) -> Bool)] = [
                (.search(text), { _ in true }),
                (.search(text) && .compare("n", .equal, 1), { $0["n"] == 1 }),
                (.compare("n", .notEqual, 1) && (.search(text) && .constant(true)), { $0["n"] != 1 }),
            ]
            for (filter, isIncluded) in filters {
                for zone in [nil, RecordZone.ID.default] {
                    let expected = try expected(text, notes) {
                        isIncluded($0) && $0.recordID.zoneID == zone ?? $0.recordID.zoneID
                    }
                    let query = Query(recordType: "Notes", filter: filter, sortedBy: .relevance)
                    var page = try await database.records(
                        matching: query, inZoneWith: zone, desiredKeys: ["n"], resultsLimit: 9)
                    var found = page.matchResults.map(\.0)
                    for limit in [1, 300, 1000, 1000, 1000, 1000] {
                        guard let cursor = page.queryCursor else { break }
                        page = try await database.records(continuingMatchFrom: cursor, resultsLimit: limit)
                        found += page.matchResults.map(\.0)
                    }
                    #expect(found == expected, "\(filter) in \(zone?.zoneName ?? "all zones")")
                }
            }
        }
    }

    @Test func otherFormsOfQueries() async throws {
        let store = Store()
        defer { withExtendedLifetime(store) {} }
        let notes = Self.notes(1_500, seed: 3)
        let database = try await database(store, notes)
        func found(_ filter: Filter, _ order: Sort = .relevance) async throws -> [RecordID] {
            let query = Query(recordType: "Notes", filter: filter, sortedBy: [order])
            return try await database.records(matching: query, resultsLimit: 1000).matchResults.map(\.0)
        }
        let all = try expected("anvil r", notes) { _ in true }
        #expect(try await found(.search("anvil r") && .search("")) == Array(all.prefix(1000)))
        #expect(try await found(.search("") && (.search("anvil r") || .constant(false))) == Array(all.prefix(1000)))
        let others = try expected("anvil r", notes) {
            ($0["title"] as? String).map { SearchText("a").ranges(in: $0).isEmpty } ?? true
        }
        #expect(
            try await found(.search("anvil r") && !.field("title").search("a")) == Array(others.prefix(1000)))
        let least = try await found(.search("anvil r"), Sort("@relevance"))
        #expect(Set(all.suffix(1)).isSubset(of: least))
    }

    @Test("The classes of length are in ascending order and have no gaps")
    func lengthClasses() {
        var last = 0
        for length in 1...200_000 {
            let lengthClass = IndexedWords.lengthClass(of: length)
            #expect(lengthClass >= last && IndexedWords.lengthClasses.contains(lengthClass))
            if let greatest = IndexedWords.greatestLength(of: lengthClass) { #expect(length <= greatest) }
            if lengthClass > last, let greatest = IndexedWords.greatestLength(of: last) { #expect(length > greatest) }
            last = lengthClass
        }
        #expect(last == IndexedWords.lengthClasses.upperBound && IndexedWords.greatestLength(of: last) == nil)
        #expect(IndexedWords.lengthClass(of: 0) == 0 && IndexedWords.lengthClass(of: .max) == last)
    }

    @Test("A store whose index has no marks gives the same, and its first write adds them")
    func earlierLayout() async throws {
        let store = Store()
        let notes = Self.notes(1_500, seed: 4)
        _ = try await database(store, notes)
        await store.backend.close()
        let path = store.directory.appendingPathComponent("private-_default_user.sqlite").path
        try lowerLayout(path, store)
        let old = Store(in: store.directory)
        let container = try Container(identifier: "com.example.notes", backend: old.backend)
        func check() async throws {
            for text in ["a", "an", "anvil ", "anvil r", "rope anvil"] {
                let query = Query(recordType: "Notes", filter: .search(text), sortedBy: .relevance)
                let found = try await container.privateDatabase.records(matching: query, resultsLimit: 1000)
                let expected = try expected(text, notes) { _ in true }
                #expect(found.matchResults.map(\.0) == Array(expected.prefix(1000)), "\(text)")
            }
            #expect(try await container.verify().isClean)
        }
        try await check()
        #expect(try store.sql("PRAGMA user_version", path: path) == [["8"]])
        try await container.privateDatabase.save(Record(recordType: "Others"))
        #expect(try store.sql("PRAGMA user_version", path: path) == [["9"]])
        try await check()
        await container.close()
    }

    /// Replaces the full-text index by one of layout 8, which has no marks.
    private func lowerLayout(_ path: String, _ store: Store) throws {
        let rows = try store.sql(#"SELECT rowid, words FROM "cabinet_search_Notes.words""#, path: path)
        let values = rows.map { row in
            let words = (row[1] ?? "").split(separator: " ").filter { !$0.hasPrefix("^") }
            return "(\(row[0] ?? "0"), '\(words.joined(separator: " "))')"
        }
        try withExtendedLifetime(DatabaseHandle(path: path, creates: false)) { handle in
            try handle.execute(
                """
                DROP TABLE "cabinet_search_Notes.words";
                CREATE VIRTUAL TABLE "cabinet_search_Notes.words" USING fts5(
                    words, tokenize = 'ascii', detail = none, columnsize = 0);
                INSERT INTO "cabinet_search_Notes.words" (rowid, words) VALUES \(values.joined(separator: ","));
                PRAGMA user_version = 8
                """)
        }
    }
}
