import StorageTestSupport
import Testing

@testable import CabinetSQLite

/// The records that SQL selects, sorts, counts and sums up are those of the filter language.
@Suite struct QueryAgreementTests {
    @Test(arguments: QueryAgreement.seeds)
    func queriesAgreeWithTheirDefinition(seed: UInt64) async throws {
        let store = Store()
        for failure in try await QueryAgreement.failures(seed: seed, in: store.backend) {
            Issue.record("\(failure)")
        }
    }
}
