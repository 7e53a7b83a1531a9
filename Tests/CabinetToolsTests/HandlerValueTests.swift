import Cabinet
import CabinetTools
import Testing

@Suite("The arguments of a program's handlers from the tools can be created in its tests")
struct HandlerValueTests {
    @Test("Progress and reports")
    func values() {
        var copying = CopyProgress(database: .public)
        (copying.completedRecords, copying.totalRecords) = (4, 10)
        #expect(copying.description.contains("4 of 10 records"))
        var counts = VerificationReport.Counts()
        counts.records = 3
        let verifying = VerificationProgress(
            database: .public, completedDatabases: 0, totalDatabases: 1, counts: counts)
        #expect(verifying.counts.records == 3)
        #expect(VerificationReport(counts: counts).isClean)
        let finding = VerificationFinding(IntegrityIssue(.zone, "It is damaged."), in: .public)
        #expect(!VerificationReport(findings: [finding]).isClean)
    }
}
