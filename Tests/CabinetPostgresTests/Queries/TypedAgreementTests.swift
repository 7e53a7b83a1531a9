import StorageTestSupport
import Testing

@testable import CabinetPostgres

/// Typed queries find the records that untyped ones find.
@Suite struct TypedAgreementTests {
    @Test(arguments: QueryAgreement.seeds)
    func typedQueriesAgreeWithUntypedOnes(seed: UInt64) async throws {
        let store = try await Stores.cheapBackend(Stores.configuration())
        for failure in try await TypedAgreement.failures(seed: seed, in: store) {
            Issue.record("\(failure)")
        }
    }
}
