import Foundation
import Testing

@testable import Cabinet

@Suite("Plans: the filter as it could be written")
struct PlanTests {
    private let backend = MemoryBackend()

    private func database() async throws -> Database {
        let database = try Container(identifier: "com.example.plans", backend: backend).publicDatabase
        for number in 0..<5 {
            var record = Record(recordType: "Items", recordID: RecordID(recordName: "r\(number)"))
            record["number"] = number
            try await database.save(record)
        }
        return database
    }

    @Test("Backends are asked for the simplified filter")
    func simplified() async throws {
        _ = try await database()
        let query = Query(
            recordType: "Items", filter: try Filter("NOT (number != 1 * 3) AND (TRUEPREDICATE AND number == 3)"))
        let service = LocalRequestHandler(
            service: try LocalDatabaseService(backend: backend), caller: Caller(account: .default, deviceID: "device"))
        let filter = try await backend.read(.public) { snapshot in
            try await service.plan(query, zoneID: nil, scope: .public, in: snapshot).filter
        }
        #expect(filter == (try Filter("number == 3")))
    }

    @Test(
        "A part that simplification removes is still validated",
        arguments: [
            "FALSEPREDICATE AND number BEGINSWITH 'x'", "TRUEPREDICATE OR number LIKE 'x'",
            "number IN {} AND number CONTAINS 1", "1 == 1 OR ANY number == 1",
        ])
    func invalidFilters(format: String) async throws {
        let database = try await database()
        let query = Query(recordType: "Items", filter: try Filter(format))
        await #expect(throws: CabinetError.self) { try await database.records(matching: query) }
        await #expect(throws: CabinetError.self) { try await database.count(matching: query) }
        await #expect(throws: CabinetError.self) { try await database.counts(by: "number", matching: query) }
        await #expect(throws: CabinetError.self) { try await database.explain(query) }
    }

    @Test("A cursor keeps the filter as it was written")
    func cursors() async throws {
        let database = try await database()
        let query = Query(recordType: "Items", filter: try Filter("NOT (NOT (number >= 1 * 1))"))
        let (first, cursor) = try await database.records(matching: query, resultsLimit: 2)
        let written = try #require(cursor)
        #expect(written.query == query)
        let (second, end) = try await database.records(continuingMatchFrom: written, resultsLimit: 2)
        #expect((first + second).map(\.0.recordName) == ["r1", "r2", "r3", "r4"])
        #expect(end == nil)
    }
}
