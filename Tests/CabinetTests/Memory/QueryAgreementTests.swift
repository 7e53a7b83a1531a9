import Cabinet
import StorageTestSupport
import Testing

/// What the memory backend selects by a look at ranks is what the evaluator selects by a look at records.
@Suite struct QueryAgreementTests {
    @Test(arguments: QueryAgreement.seeds)
    func queriesAgreeWithTheirDefinition(seed: UInt64) async throws {
        for complaint in try await QueryAgreement.complaints(seed: seed, in: MemoryBackend()) {
            Issue.record("\(complaint)")
        }
    }
}
