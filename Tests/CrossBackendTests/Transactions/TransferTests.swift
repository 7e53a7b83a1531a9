import BackendTestSupport
import Cabinet
import CabinetSQLite
import CabinetTesting
import Testing

@testable import CabinetConformance

/// Transactions that transfer amounts keep the sum while calls of the store fail.
@Suite("Transfers by transactions")
struct TransferTests {
    /// The codes of the injected faults.
    private static let codes: Set<CabinetError.Code> = [.zoneBusy, .networkFailure, .serverResponseLost]

    private func run(_ transfers: Transfers, on base: any StorageBackend) async throws {
        let backend = FaultInjectingBackend(base, seed: transfers.seed)
        let service = try LocalDatabaseService(backend: backend)
        try await transfers.run {
            try Container(
                identifier: "com.example.transfers", service: service, account: ConformanceWorld.account
            ).privateDatabase
        } begin: {
            for fault in [
                InjectedFault.failure(.zoneBusy), .connectionLostBeforeCommit(), .connectionLostAfterCommit(),
            ] {
                backend.inject(fault, times: nil, probability: 0.03)
            }
        } end: {
            for injection in backend.injections { backend.remove(injection) }
        }
        await service.close()
    }

    @Test("keep the sum in a store whose calls fail", arguments: 1...6 as ClosedRange<UInt64>, BackendKind.local)
    func faults(seed: UInt64, kind: BackendKind) async throws {
        let transfers = Transfers(seed: seed, accounts: 5, tasks: 4, count: 20) { Self.codes.contains($0.code) }
        if kind == .memory { return try await run(transfers, on: MemoryBackend()) }
        try await TestDirectory.with { try await run(transfers, on: SQLiteBackend(directory: $0)) }
    }
}
