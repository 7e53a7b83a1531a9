import Cabinet
import CabinetServer
import CabinetTesting
import Foundation
import Testing

@testable import CabinetDashboard

/// The costs of pages, as counts that do not depend on the machine.
@Suite("The costs of the dashboard")
struct CostTests {
    private func visitor() async throws -> (visitor: DashboardVisitor, service: CountingService) {
        let service = CountingService(try LocalDatabaseService(backend: MemoryBackend()))
        return (try await DashboardVisitor(service: service), service)
    }

    /// Returns the requests of a page, and its length in bytes.
    private func cost(
        _ page: String, _ items: KeyValuePairs<String, String>,
        of pair: (visitor: DashboardVisitor, service: CountingService)
    ) async throws -> (requests: [String], bytes: Int) {
        _ = pair.service.takeNames()
        let text = try await pair.visitor.page(page, items)
        return (pair.service.takeNames(), text.utf8.count)
    }

    @Test(
        "A page of a hundred records is the schema and one query, however many records there are",
        .timeLimit(.minutes(10)))
    func manyRecords() async throws {
        let pair = try await visitor()
        for start in stride(from: 0, to: 100_000, by: 5_000) {
            let records = (start..<start + 5_000).map { number in
                var record = Record(recordType: "Coins", recordID: RecordID(recordName: "coin\(number)"))
                record["year"] = number % 500
                return record
            }
            _ = try await pair.visitor.database.modifyRecords(saving: records, deleting: [])
        }
        let expected = ["fetchSchema", "queryRecords"]
        let first = try await cost("records", ["type": "Coins"], of: pair)
        #expect(first.requests == expected, "\(first.requests)")
        let page = try await pair.visitor.page("records", ["type": "Coins", "sort": "-year"])
        let next = try #require(page.firstMatch(of: #/href="([^"]*after=[^"]*)"/#)?.1.replacing("&amp;", with: "&"))
        _ = pair.service.takeNames()
        #expect(try await pair.visitor.send(.get, String(next)).status == .ok)
        #expect(pair.service.takeNames() == expected)
        // A count is asked for alone.
        let counted = try await cost("records", ["type": "Coins", "filter": "year == 7", "count": "1"], of: pair)
        #expect(counted.requests.count == 3)
        let record = try await cost("record", ["name": "coin77"], of: pair)
        #expect(record.requests.count <= 4 && record.bytes < 10_000)
    }

    @Test("Three hundred types and a thousand fields have pages that are usable")
    func manyFields() async throws {
        let pair = try await visitor()
        var schema = Schema()
        for number in 0..<300 {
            schema["Type\(number)"] = Schema.RecordType(fields: [
                "name": Schema.Field(.string), "other": Schema.Field(.reference),
            ])
        }
        schema["Wide"] = Schema.RecordType(
            fields: Dictionary(
                uniqueKeysWithValues: (0..<1_000).map { ("field\($0)", Schema.Field($0 % 2 == 0 ? .string : .int64)) }))
        try await pair.visitor.database.apply(schema)
        var record = Record(recordType: "Wide", recordID: "wide")
        for number in stride(from: 0, to: 1_000, by: 2) { record["field\(number)"] = "text" }
        try await pair.visitor.database.save(record)
        let types = try await cost("", [:], of: pair)
        #expect(types.requests.count <= 302 && types.bytes < 150_000, "\(types.requests.count) \(types.bytes)")
        let records = try await cost("records", ["type": "Wide"], of: pair)
        #expect(records.requests.count == 2 && records.bytes < 40_000, "\(records.bytes)")
        let form = try await cost("new", ["type": "Wide"], of: pair)
        #expect(form.requests.count == 1 && form.bytes < 400_000, "\(form.bytes)")
        let type = try await cost("type", ["type": "Wide"], of: pair)
        #expect(type.requests.count == 1 && type.bytes < 300_000, "\(type.bytes)")
        // Two fields of each type may refer to the record: another one, and the parent.
        let page = try await cost("record", ["name": "wide"], of: pair)
        #expect(page.requests.count <= 603 && page.bytes < 700_000, "\(page.requests.count) \(page.bytes)")
    }
}
