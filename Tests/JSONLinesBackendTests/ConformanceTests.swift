import CabinetConformance
import Foundation
import JSONLinesBackend
import Testing

@Suite struct Conformance {
    static let subject = ConformanceSubject.inDirectories { directory in
        try await JSONLinesBackend(file: directory.appendingPathComponent("store.jsonl"))
    }.withHelper(CheckProgram.executable)

    @Test(arguments: ConformanceRule.chosen)
    func rule(_ rule: ConformanceRule) async throws {
        try await rule.run(on: Self.subject, timeLimit: .seconds(600))
    }
}
