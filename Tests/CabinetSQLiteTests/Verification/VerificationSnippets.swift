import Cabinet
import CabinetTools
import Foundation
import Synchronization
import Testing

@testable import CabinetSQLite

@Suite("The article about verifying: its programs run", .timeLimit(.minutes(15)))
struct VerificationSnippets {
    @Test func verifying() async throws {
        let store = try await DamagedStore.make(
            damagedBy: #"""
                DELETE FROM "Lists" WHERE "___recordID" = 'list3' AND "___zone" = 1;
                DELETE FROM cabinet_record WHERE recordName = 'list3' AND zone = 1;
                DELETE FROM cabinet_list_reference
                """#)
        let container = try store.container()
        let shown = Mutex<[String]>([])
        let show: @Sendable (String) -> Void = { line in
            shown.withLock { $0.append(line) }
        }

        // snippet: verify
        let report = try await container.verify { progress in
            show("\(progress.counts.records) records of \(progress.database)")
        }
        if !report.isClean { show(report.description) }
        // end
        #expect(
            shown.withLock {
                $0.contains("87 records of the private database of _user") == false
            })
        #expect(
            shown.withLock {
                $0.contains("86 records of the private database of _user")
            })
        #expect(shown.withLock { $0.last?.contains("(can be repaired)") } == true)

        shown.withLock { $0 = [] }
        // snippet: findings
        for finding in report.findings where finding.kind == .reference {
            show("\(finding.recordID?.recordName ?? ""): \(finding.message)")
        }
        // end
        #expect(
            shown.withLock {
                $0.contains { $0.hasPrefix("item3: ") && $0.contains("list3") }
            })

        shown.withLock { $0 = [] }
        // snippet: repair
        let repaired = try await container.verify(repairing: true)
        let left = repaired.remaining.count
        show("\(repaired.findings.count - left) repaired, \(left) left")
        // end
        #expect(Set(repaired.remaining.map(\.kind)) == [.reference])
        #expect(
            shown.withLock { $0.first?.hasSuffix(", 9 left") } == true, "\(repaired)")
        await store.backend.close()
    }
}
