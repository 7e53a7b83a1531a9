import StorageTestSupport
import Testing

@testable import CabinetSQLite

/// Typed queries find the records that untyped ones find.
@Suite struct TypedAgreementTests {
    @Test(arguments: QueryAgreement.seeds)
    func typedQueriesAgreeWithUntypedOnes(seed: UInt64) async throws {
        let store = Store()
        for failure in try await TypedAgreement.failures(seed: seed, in: store.backend) {
            Issue.record("\(failure)")
        }
    }
}
