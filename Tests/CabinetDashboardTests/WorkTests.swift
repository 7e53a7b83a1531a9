import Cabinet
import CabinetServer
import Foundation
import Testing

@testable import CabinetDashboard

/// The limits of a filter: the work of each request, and the time of each page.
@Suite("Filters that cost too much")
struct WorkTests {
    /// The steps of the expression double with every second character.
    private static let pattern = "text MATCHES '(a|aa)*b'"

    private func visitor(_ limits: Limits, length: Int) async throws -> DashboardVisitor {
        let service = try LocalDatabaseService(backend: MemoryBackend(), limits: limits)
        let visitor = try await DashboardVisitor(service: service)
        let records = (0..<3).map { number in
            var record = Record(recordType: "Coins", recordID: RecordID(recordName: "coin\(number)"))
            record["text"] = String(repeating: "a", count: length)
            return record
        }
        _ = try await visitor.database.modifyRecords(saving: records, deleting: [])
        return visitor
    }

    @Test(
        "The page shows the limit beside the filter, and other pages are answered",
        arguments: [[:], ["count": "1"], ["group": "text"], ["sort": "text"], ["group": "text", "of": "text"]]
            as [[String: String]])
    func limit(_ items: [String: String]) async throws {
        let visitor = try await visitor(Limits(workPerRequest: 200_000), length: 24)
        let query = (["type": "Coins", "filter": Self.pattern].merging(items) { first, _ in first })
            .map { "\($0)=\(DashboardVisitor.escaped($1))" }.joined(separator: "&")
        let response = try await visitor.send(.get, "\(DashboardVisitor.place)/records?\(query)")
        let page = String(decoding: try await response.body.collect(upTo: 1 << 20), as: UTF8.self)
        #expect(response.status == .badRequest)
        #expect(page.contains("id=\"mistake\"") && page.contains("more than 200000 units of work"))
        #expect(page.contains("value=\"text MATCHES &#39;(a|aa)*b&#39;\""), "The filter can be corrected.")
        let next = try await visitor.page("records", ["type": "Coins", "filter": "text BEGINSWITH 'a'"])
        #expect(next.contains("3 records"))
    }

    @Test("While a pattern runs, other people's pages are answered", .timeLimit(.minutes(3)))
    func others() async throws {
        // The default limit; the expression would take years.
        let visitor = try await visitor(Limits(), length: 200)
        async let costly = visitor.page("records", ["type": "Coins", "filter": Self.pattern], status: 400)
        for _ in 0..<20 { #expect(try await visitor.page("record", ["name": "coin1"]).contains("coin1")) }
        #expect(try await costly.contains("role=\"alert\""))
    }

    @Test("An export by such a filter breaks off instead of running on")
    func export() async throws {
        let visitor = try await visitor(Limits(workPerRequest: 200_000), length: 24)
        let response = try await visitor.send(
            .get, DashboardVisitor.address("export", ["type": "Coins", "filter": Self.pattern]))
        await #expect(throws: CabinetError(.limitExceeded)) { try await response.body.collect(upTo: 1 << 20) }
        #expect(try await visitor.page("").contains("Coins"))
    }
}
