import Cabinet
import Foundation
import StorageTestSupport
import Testing

@testable import CabinetSQLite

/// The index of a value in JSON finds the records in SQLite.
@Suite struct JSONIndexTests {
    private static let query = Query(
        recordType: "Contacts", filter: .field("address.@string.city") == "city 7",
        sortedBy: [Sort("address.@int64.floor")])

    /// A store with 5,000 contacts in 500 cities.
    private func database(limits: Limits = .default, _ store: Store) async throws -> Database {
        try Container(identifier: "a.b", backend: store.backend, limits: limits).publicDatabase
    }

    private func filled(_ store: Store) async throws -> Database {
        let database = try await database(store)
        try await database.save(
            (0..<5_000).map { number in
                var record = Record(recordType: "Contacts", recordID: RecordID(recordName: "r\(number)"))
                record["address"] = #"{"city":"city \#(number % 500)","floor":\#(number % 13)}"#
                return record
            })
        return database
    }

    private func setIndexes(_ indexes: Set<[Record.FieldKey]>, _ database: Database) async throws {
        var schema = try await database.schema()
        schema["Contacts"].indexes = indexes
        try await database.apply(schema)
    }

    @Test func explanationAndCosts() async throws {
        let store = Store()
        let database = try await filled(store)
        let small = try await self.database(limits: Limits(workPerRequest: 1_000), store)
        await #expect(throws: CabinetError(.limitExceeded)) { try await small.allRecords(matching: Self.query) }
        #expect(try await database.explain(Self.query).access == [.scan])
        try await setIndexes([["address.@string.city", "address.@int64.floor"]], database)

        let explanation = try await database.explain(Self.query)
        #expect(explanation.pushedDown == Self.query.filter)
        #expect(explanation.evaluated == nil)
        #expect(explanation.ordering == .byIndex)
        guard case .index(let name, let fields)? = explanation.access.first else {
            Issue.record("\(explanation)")
            return
        }
        #expect(explanation.access.count == 1)
        #expect(name == "cabinet_index_Contacts._address_2e_40string_2ecity,_address_2e_40int64_2efloor")
        #expect(fields == ["address.@string.city"])
        // Ten rows are read: each costs SQLite some dozens of steps.
        let found = try await small.allRecords(matching: Self.query)
        #expect(found.count == 10)
        #expect(found.allSatisfy { $0.allKeys() == ["address"] })
        #expect(try await small.count(matching: Self.query) == 10)
        let prefix = Query(recordType: "Contacts", filter: try Filter("address.@string.city BEGINSWITH 'city 49'"))
        #expect("\(try await database.explain(prefix).access)".contains("address.@string.city"))
        let first = Query(
            recordType: "Contacts", filter: .constant(true), sortedBy: [Sort("address.@string.city")])
        let page = try await small.records(matching: first, resultsLimit: 5)
        #expect(page.matchResults.count == 5)
        let cursor = try #require(page.queryCursor)
        #expect(try await small.records(continuingMatchFrom: cursor, resultsLimit: 5).matchResults.count == 5)
        // Filters within SUBQUERY use it too; a path through a reference reads the text.
        let referring = Query(
            recordType: "Contacts",
            filter: try Filter("SUBQUERY(Contacts.to, $x, $x.address.@string.city == 'city 7').@count > 0"))
        #expect("\(try await database.explain(referring))".contains("address.@string.city"))
    }

    @Test func columnsFollowTheSchema() async throws {
        let store = Store()
        let database = try await filled(store)
        try await setIndexes([["address.@string.city"]], database)
        func columns() throws -> [String] {
            try store.sql("SELECT name FROM pragma_table_info('Contacts') WHERE name NOT GLOB '___*'").map {
                $0[0] ?? ""
            }
        }
        let values = try store.sql("SELECT count(*), count(DISTINCT \"_address_2e_40string_2ecity\") FROM Contacts")
        #expect(values == [["5000", "500"]])
        #expect(try columns() == ["address", "_address_2e_40string_2ecity"])
        try await setIndexes([], database)
        #expect(try columns() == ["address"])
        #expect(try store.sql("SELECT count(*) FROM sqlite_master WHERE name GLOB '*_2e_40*'") == [["0"]])
    }
}
