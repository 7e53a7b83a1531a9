import Cabinet
import Foundation
import PostgresTestSupport
import StorageTestSupport
import Testing

@testable import CabinetPostgres

/// The server computes the relevance that the core computes.
@Suite struct RankedSearchTests {
    @Test func pages() async throws {
        let notes = RankedNotes(600, seed: 5)
        let container = try await container(Stores.configuration(), notes)
        try await notes.expectPages(in: container.privateDatabase)
        try await notes.expectOtherForms(in: container.privateDatabase)
        await container.close()
    }

    @Test("A row whose words the server does not know whole leaves the order to the core", arguments: 0...3)
    func unrankedRows(number: Int) async throws {
        let texts = [
            String(repeating: "w", count: 500), String(repeating: "b ", count: 300),
            (0..<17_000).map { "w\($0)" }.joined(separator: " "), "b\0\u{1}",
        ]
        var long = Record(recordType: "Notes")
        long["title"] = "anvil rope " + texts[number]
        let notes = RankedNotes(100, seed: 6)
        let container = try await container(Stores.configuration(), notes)
        let database = container.privateDatabase
        try await database.save(long)
        for text in ["anvil rop", "a", "rope anvil"] {
            let query = Query(recordType: "Notes", filter: .search(text), sortedBy: .relevance)
            let found = try await database.records(matching: query, resultsLimit: 1000).matchResults.map(\.0)
            #expect(found.filter { $0 != long.recordID } == (try notes.found(by: text)), "\(text)")
            #expect(found.contains(long.recordID))
        }
        await container.close()
    }

    @Test("Words of an earlier layout have no positions, and the core computes the relevance")
    func earlierLayout() async throws {
        let (notes, configuration) = (RankedNotes(200, seed: 7), Stores.configuration())
        await (try await container(configuration, notes)).close()
        let connection = try Connection(
            ConnectionParameters(try await PostgresServer.shared.value.connection()), configuration: configuration)
        let schema = "\"\(configuration.schema)\""
        try connection.run(
            """
            UPDATE \(schema)."Notes" SET "___words" = (
                SELECT array_to_tsvector(array_agg(word)) FROM unnest(tsvector_to_array("___words")) AS word
                WHERE word NOT LIKE '%^%') WHERE "___words" IS NOT NULL
            """)
        try connection.run("UPDATE \(schema).cabinet_layout SET version = 3")
        let container = try Container(
            identifier: "com.example.notes", backend: try await Stores.backend(configuration))
        try await notes.expectOtherForms(in: container.privateDatabase)
        #expect(try connection.query("SELECT version FROM \(schema).cabinet_layout").first?.integer(0) == 3)
        try await container.privateDatabase.save(Record(recordType: "Others"))
        #expect(try connection.query("SELECT version FROM \(schema).cabinet_layout").first?.integer(0) == 4)
        try await notes.expectOtherForms(in: container.privateDatabase)
        await container.close()
    }

    private func container(_ configuration: PostgresConfiguration, _ notes: RankedNotes) async throws -> Container {
        let container = try Container(
            identifier: "com.example.notes", backend: try await Stores.backend(configuration),
            schema: .strict(RankedNotes.schema))
        try await notes.save(in: container)
        return container
    }
}
