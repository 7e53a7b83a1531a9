import Cabinet
import CabinetSQLite
import Foundation
import Testing

@testable import CabinetConformance

/// The rules through a client, HTTP and a server.
@Suite("The rules through HTTP")
struct RemoteRuleTests {
    @Test("in SQLite", arguments: ConformanceRule.chosen)
    func rule(_ rule: ConformanceRule) async throws {
        _ = try await rule.runIfApplicable(
            on: .inDirectories { SQLiteBackend(directory: $0) }, timeLimit: .seconds(240), adapt: HTTPService.adapt)
    }
}
