import StorageTestSupport
import Testing

@testable import CabinetPostgres

/// The records that PostgreSQL and the evaluator together select, sort, count and sum up are those of the filter
/// language.
@Suite struct QueryAgreementTests {
    @Test(arguments: QueryAgreement.seeds)
    func queriesAgreeWithTheirDefinition(seed: UInt64) async throws {
        let store = try await Stores.cheapBackend(Stores.configuration())
        for failure in try await QueryAgreement.failures(seed: seed, in: store) {
            Issue.record("\(failure)")
        }
    }
}
