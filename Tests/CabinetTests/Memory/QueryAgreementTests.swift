import Cabinet
import StorageTestSupport
import Testing

/// The records that the memory backend selects by ranks are those that the evaluator selects.
@Suite struct QueryAgreementTests {
    @Test(arguments: QueryAgreement.seeds)
    func queriesAgreeWithTheirDefinition(seed: UInt64) async throws {
        for failure in try await QueryAgreement.failures(seed: seed, in: MemoryBackend()) {
            Issue.record("\(failure)")
        }
    }
}
