import Cabinet
import CabinetServer
import Foundation
import Synchronization
import Testing

@testable import CabinetDashboard

/// The costs of pages, as counts that do not depend on the machine.
@Suite("The costs of the dashboard")
struct CostTests {
    /// A service that counts its requests.
    private final class CountingService: DatabaseService {
        let base: any DatabaseService
        let names = Mutex<[String]>([])

        init(_ base: any DatabaseService) { self.base = base }

        func perform<Request: ServiceRequest>(_ request: Request, for caller: Caller) async throws -> Request.Response {
            names.withLock { $0.append("\(Request.self)") }
            return try await base.perform(request, for: caller)
        }
        func send(_ bytes: Data, to upload: UUID, at offset: Int64, for caller: Caller) async throws {
            try await base.send(bytes, to: upload, at: offset, for: caller)
        }
        func bytes(
            of asset: StoredAsset, of recordID: RecordID, in range: Range<Int64>, scope: DatabaseScope,
            for caller: Caller
        ) async throws -> Data {
            try await base.bytes(of: asset, of: recordID, in: range, scope: scope, for: caller)
        }
        func signals(of scopes: [DatabaseScope], for caller: Caller) throws -> AsyncStream<Void> {
            try base.signals(of: scopes, for: caller)
        }
        func close() async { await base.close() }
    }

    private func visitor() async throws -> (visitor: DashboardVisitor, service: CountingService) {
        let service = CountingService(try LocalDatabaseService(backend: MemoryBackend()))
        return (try await DashboardVisitor(service: service), service)
    }

    /// Returns the requests of a page, and its length in bytes.
    private func cost(
        _ page: String, _ items: KeyValuePairs<String, String>,
        of pair: (visitor: DashboardVisitor, service: CountingService)
    ) async throws -> (requests: [String], bytes: Int) {
        pair.service.names.withLock { $0 = [] }
        let text = try await pair.visitor.page(page, items)
        return (pair.service.names.withLock { $0 }, text.utf8.count)
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
        let expected = ["FetchSchemaRequest", "QueryRecordsRequest"]
        let first = try await cost("records", ["type": "Coins"], of: pair)
        #expect(first.requests == expected, "\(first.requests)")
        let page = try await pair.visitor.page("records", ["type": "Coins", "sort": "-year"])
        let next = try #require(page.firstMatch(of: #/href="([^"]*after=[^"]*)"/#)?.1.replacing("&amp;", with: "&"))
        pair.service.names.withLock { $0 = [] }
        #expect(try await pair.visitor.send(.get, String(next)).status == .ok)
        #expect(pair.service.names.withLock { $0 } == expected)
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
