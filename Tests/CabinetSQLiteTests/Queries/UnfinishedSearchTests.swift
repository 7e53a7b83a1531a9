import Cabinet
import StorageTestSupport
import Testing

@testable import CabinetSQLite

/// Searches with an unfinished word find the same, whether few or many records have the finished ones.
@Suite struct UnfinishedSearchTests {
    /// The first words are in all 1,200 notes, in a third of them, and in three.
    private static let texts = (0..<1200).map { number in
        "common \(number % 3 == 0 ? "third" : "other") word\(number % 7)\(number % 400 == 0 ? " anvil" : "")"
    }

    private func database(_ store: Store) async throws -> (Database, [Record]) {
        var schema = Schema()
        schema["Notes"]["text"] = Schema.Field(.string, .searchable)
        let container = try Container(
            identifier: "com.example.notes", backend: store.backend, schema: .strict(schema))
        let notes = Self.texts.map { text in
            var note = Record(recordType: "Notes")
            note["text"] = text
            return note
        }
        try await container.privateDatabase.save(notes)
        return (container.privateDatabase, notes)
    }

    @Test func fewAndMany() async throws {
        let store = Store()
        defer { withExtendedLifetime(store) {} }
        let (database, notes) = try await database(store)
        let searches = [
            "common word3", "common wo", "common", "common x", "common third wor", "common third word1", "anvil c",
            "anvil wo", "anvil other word2", "anvil x", "anvil com other", "nothing c", "\"common th", "\"third wo",
            "\"common third\" w", "\"common word\" w",
        ]
        for text in searches {
            for filter in [Filter.search(text), !.search(text), .search(text) || .search("anvil o")] {
                let expected = try notes.filter { try filter.matches($0) }.map(\.recordID)
                let query = Query(recordType: "Notes", filter: filter)
                let found = try await database.records(matching: query, resultsLimit: 2000).matchResults
                #expect(found.map(\.0) == expected, "\(filter)")
                #expect(try await database.count(matching: query) == expected.count)
            }
        }
    }
}
