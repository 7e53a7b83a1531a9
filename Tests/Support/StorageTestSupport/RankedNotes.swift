package import Cabinet
import CabinetTesting
import Testing

/// Notes with words of very different frequencies, and the order of relevance that the searches for them give.
package struct RankedNotes: Sendable {
    package let notes: [Record]

    package static let zone = RecordZone.ID(zoneName: "Other")

    package static let searches = [
        "a", "an", "anvil ", "x", "r", "\u{E9}t", "anvil r", "anvil rop", "anvil rope ", "a a", "a anvil",
        "rope anvil an", "and rope ", "\"anvil rope", "\"rope anvil\" a", "zz a", "and \u{E9}",
    ]

    /// The schema with two searchable fields.
    package static var schema: Schema {
        var schema = Schema()
        schema["Notes"]["title"] = Schema.Field(.string, .searchable)
        schema["Notes"]["body"] = Schema.Field(.string, .searchable)
        schema["Notes"]["n"] = Schema.Field(.int64)
        return schema
    }

    package init(_ count: Int, seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let words = ["a", "A", "anvil", "Anvil", "rope", "and", "anvils", "\u{C9}t\u{E9}", "ropes", "b", "r2", "z"]
        func text(_ limit: Int) -> String? {
            let count = Int.random(in: 0...limit, using: &random)
            if count == 0 { return nil }
            return (0..<count).map { _ in
                let index = Int.random(in: 0..<words.count, using: &random)
                return words[Int.random(in: 0...index, using: &random)]
            }.joined(separator: Bool.random(using: &random) ? " " : ", ")
        }
        notes = (0..<count).map { number in
            var note = Record(
                recordType: "Notes",
                recordID: RecordID(recordName: "n\(number)", zoneID: number.isMultiple(of: 7) ? Self.zone : .default))
            note["title"] = text(4)
            note["body"] = text(number.isMultiple(of: 50) ? 60 : 7)
            note["n"] = number % 3
            return note
        }
    }

    /// Saves the notes.
    package func save(in container: Container) async throws {
        try await container.privateDatabase.save(RecordZone(zoneID: Self.zone))
        try await container.privateDatabase.save(notes)
    }

    /// Returns the notes that a search finds, sorted by relevance.
    package func found(by text: String, where isIncluded: (Record) -> Bool = { _ in true }) throws -> [RecordID] {
        try ranked(by: text).filter(isIncluded).map(\.recordID)
    }

    private func ranked(by text: String) throws -> [Record] {
        let search = SearchText(text)
        let found = try notes.enumerated().map { number, note in
            let texts = [note["title"] as? String, note["body"] as? String].compactMap(\.self)
            return (points: try search.relevance(of: texts), number: number, note: note)
        }
        return found.filter { $0.points > 0 }.sorted { ($1.points, $0.number) < ($0.points, $1.number) }.map(\.note)
    }

    /// Expects the order of all searches, alone and with other conditions, in pages of several lengths.
    package func expectPages(in database: Database) async throws {
        for text in Self.searches {
            let filters: [(Filter, (Record) -> Bool)] = [
                (.search(text), { _ in true }),
                (.field("n") != 1 && (.search(text) && .constant(true)), { $0["n"] != 1 }),
            ]
            let ranked = try ranked(by: text)
            for (filter, isIncluded) in filters {
                for zone in [nil, RecordZone.ID.default] {
                    let expected = ranked.filter {
                        isIncluded($0) && (zone == nil || $0.recordID.zoneID == zone)
                    }.map(\.recordID)
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

    /// Expects the first records of searches among others, and in another direction.
    package func expectOtherForms(in database: Database) async throws {
        func expect(_ filter: Filter, _ expected: [RecordID]) async throws {
            let query = Query(recordType: "Notes", filter: filter, sortedBy: .relevance)
            let found = try await database.records(matching: query, resultsLimit: 100).matchResults
            #expect(found.map(\.0) == Array(expected.prefix(100)), "\(filter)")
        }
        let all = try found(by: "anvil r")
        try await expect(.search("anvil r") && .search(""), all)
        try await expect(.search("") && (.search("anvil r") || .constant(false)), all)
        let others = try found(by: "anvil r") {
            ($0["title"] as? String).map { SearchText("a").ranges(in: $0).isEmpty } ?? true
        }
        try await expect(.search("anvil r") && !.field("title").search("a"), others)
        // Records that the search does not find follow those it finds. Larger pages are not read by steps.
        for text in ["anvil r", "zz a"] {
            let found = try found(by: text)
            let rest = notes.filter { $0["n"] == 2 }.map(\.recordID).filter { !found.contains($0) }
            let query = Query(
                recordType: "Notes", filter: .search(text) || .field("n") == 2, sortedBy: .relevance)
            let page = try await database.records(matching: query, resultsLimit: 900).matchResults
            #expect(page.map(\.0) == Array((found + rest).prefix(900)), "\(text)")
        }
        let least = Query(recordType: "Notes", filter: .search("anvil r"), sortedBy: ["@relevance"])
        let first = try await database.records(matching: least, resultsLimit: 1).matchResults.first?.0
        let search = SearchText("anvil r")
        func points(_ id: RecordID?) throws -> Int64? {
            try notes.first { $0.recordID == id }.map { note in
                try search.relevance(of: [note["title"] as? String, note["body"] as? String].compactMap(\.self))
            }
        }
        #expect(try points(first) == points(all.last))
    }
}
