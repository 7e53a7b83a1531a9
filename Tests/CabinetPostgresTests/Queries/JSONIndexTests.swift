import Cabinet
import Foundation
import PostgresTestSupport
import Testing

@testable import CabinetPostgres

/// The index of a value in JSON finds the records in PostgreSQL.
@Suite struct JSONIndexTests {
    @Test func explanation() async throws {
        let backend = try await Stores.cheapBackend(Stores.configuration())
        let database = try Container(identifier: "a.b", backend: backend).privateDatabase
        try await database.save(
            (0..<5_000).map { number in
                var record = Record(recordType: "Contacts", recordID: RecordID(recordName: "r\(number)"))
                record["address"] = #"{"city":"city \#(number % 500)","floor":\#(number % 13)}"#
                return record
            })
        let query = Query(
            recordType: "Contacts", filter: .field("address.@string.city") == "city 7",
            sortedBy: [Sort("address.@int64.floor")])
        let before = try await database.allRecords(matching: query)
        let scan = try await database.explain(query)
        #expect(scan.evaluated != nil)
        var schema = try await database.schema()
        schema["Contacts"].indexes = [["address.@string.city", "address.@int64.floor"]]
        try await database.apply(schema)
        let table = "\(backend.starter.schemaCache.schema.quoted).\"Contacts\""
        let connection = try Connection(
            ConnectionParameters(try await PostgresServer.shared.value.connection()), connectionTimeLimit: 10,
            timeout: nil)
        _ = try connection.query("ANALYZE \(table)", [], isPrepared: false)

        let explanation = try await database.explain(query)
        #expect(explanation.pushedDown == query.filter)
        #expect(explanation.evaluated == nil)
        #expect(explanation.ordering == .byIndex, "\(explanation)")
        let fields = explanation.access.map { if case .index(_, let fields) = $0 { fields } else { ["scan"] } }
        #expect(fields == [["address.@string.city"]], "\(explanation)")
        let found = try await database.allRecords(matching: query)
        #expect(found.count == 10)
        #expect(found.map(\.recordID) == before.map(\.recordID))
        #expect(found.allSatisfy { $0.allKeys() == ["address"] })
    }
}
