import Cabinet
import StorageTestSupport
import Testing

/// Typed queries find the records that untyped ones find.
@Suite struct TypedAgreementTests {
    @Test(arguments: QueryAgreement.seeds)
    func typedQueriesAgreeWithUntypedOnes(seed: UInt64) async throws {
        for failure in try await TypedAgreement.failures(seed: seed, in: MemoryBackend()) {
            Issue.record("\(failure)")
        }
    }
}
