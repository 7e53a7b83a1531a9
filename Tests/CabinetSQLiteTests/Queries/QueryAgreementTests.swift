import StorageTestSupport
import Testing

@testable import CabinetSQLite

/// What SQL selects, sorts, counts and adds up is what the filter language says.
@Suite struct QueryAgreementTests {
    @Test(arguments: QueryAgreement.seeds)
    func queriesAgreeWithTheirDefinition(seed: UInt64) async throws {
        let store = Store()
        for complaint in try await QueryAgreement.complaints(seed: seed, in: store.backend) {
            Issue.record("\(complaint)")
        }
    }
}
