import BackendTestSupport
import Cabinet
import CabinetConformance
import Foundation
import Synchronization
import Testing

@Suite("Figures of a backend's speed")
struct SpeedReportTests {
    @Test("A report has figures of saves, fetches, queries and changes", arguments: BackendKind.local)
    func measures(_ backend: BackendKind) async throws {
        let report = try await SpeedReport.measure(records: 100, on: backend.subject)
        #expect(report.figures.count >= 10)
        for word in ["saved", "fetched", "queries", "changes", "deleted"] {
            #expect(report.figures.contains { $0.name.contains(word) }, "\(word)")
        }
        for figure in report.figures {
            #expect(figure.count > 0)
            #expect(figure.perSecond > 0)
        }
        let lines = report.description.split(separator: "\n")
        #expect(lines.count == report.figures.count + 1)
        #expect(lines.first?.hasSuffix("per second") == true)
        #expect(Set(lines.map(\.count)).count == 1)
    }

    @Test("A rule reports the figures, and fails only if records are not found")
    func rule() async throws {
        let found = Mutex<SpeedReport?>(nil)
        let rule = ConformanceRule.speed(records: 0) { report in found.withLock { $0 = report } }
        try await rule.run { MemoryBackend() }
        #expect(found.withLock { $0 }?.figures.first?.count == 10)
        var fault = Fault()
        fault.page = { records, _ in Array(records.dropLast()) }
        let broken = fault
        await #expect(throws: ConformanceFailure.self) { try await rule.run { MutantBackend(broken) } }
    }
}
