import Cabinet
import CabinetSQLite
import Foundation
import Testing

@testable import CabinetConformance

/// The rules through a client, HTTP and a server.
@Suite("The rules through HTTP")
struct RemoteRuleTests {
    /// The rules that count what a backend does after a cancellation: a server notices that its client has gone within two seconds.
    private static let immediate: Set = ["a cascade that is cancelled reads and changes no more"]

    @Test("in SQLite", arguments: ConformanceRule.chosen.filter { !immediate.contains($0.name) })
    func rule(_ rule: ConformanceRule) async throws {
        _ = try await rule.runIfApplicable(
            on: .inDirectories { SQLiteBackend(directory: $0) }, timeLimit: .seconds(900), adapt: HTTPService.adapt)
    }

    @Test("name those that are left out")
    func names() {
        #expect(Self.immediate.isSubset(of: ConformanceRule.all.map(\.name)))
    }
}
