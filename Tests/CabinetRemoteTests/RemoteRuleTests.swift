import Cabinet
import CabinetSQLite
import Foundation
import Testing

@testable import CabinetConformance

/// The rules through a client, HTTP and a server.
///
/// `make loopback` runs all of them. `make test` runs every third one, because it runs all through coded requests without HTTP.
@Suite("The rules through HTTP")
struct RemoteRuleTests {
    /// The rules that count what a backend does after a cancellation: a server notices that its client has gone within two seconds.
    private static let immediate: Set = ["a cascade that is cancelled reads and changes no more"]

    private static let rules: [ConformanceRule] = {
        let variables = ProcessInfo.processInfo.environment
        let isAsked = variables["CABINET_LOOPBACK"] != nil || !variables["CABINET_RULE", default: ""].isEmpty
        return ConformanceRule.chosen.enumerated().filter { isAsked || $0.offset.isMultiple(of: 3) }.map(\.element)
            .filter { !immediate.contains($0.name) }
    }()

    @Test("in SQLite", arguments: rules)
    func rule(_ rule: ConformanceRule) async throws {
        _ = try await rule.runIfApplicable(
            on: .inDirectories { SQLiteBackend(directory: $0) }, timeLimit: .seconds(900), adapt: HTTPService.adapt)
    }

    @Test("name those that are left out")
    func names() {
        #expect(Self.immediate.isSubset(of: ConformanceRule.all.map(\.name)))
    }
}
