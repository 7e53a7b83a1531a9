import Cabinet
import Synchronization

/// A memory backend that counts its reads, and lets some of them fail.
final class CountingBackend: StorageBackend {
    private struct State {
        var reads = 0
        var failures: [CabinetError] = []
    }

    private let base = MemoryBackend()
    private let state = Mutex(State())

    /// How many reads have begun.
    var reads: Int { state.withLock(\.reads) }

    /// Lets the next reads fail.
    func fail(_ errors: [CabinetError]) {
        state.withLock { $0.failures = errors }
    }

    func read<Result: Sendable>(
        _ database: DatabaseKey, _ body: @escaping @Sendable (any StorageSnapshot) async throws -> Result
    ) async throws -> Result {
        let failure = state.withLock { state in
            state.reads += 1
            return state.failures.isEmpty ? nil : state.failures.removeFirst()
        }
        if let failure { throw failure }
        return try await base.read(database, body)
    }

    func write<Result: Sendable>(
        _ database: DatabaseKey, _ body: @escaping @Sendable (any StorageTransaction) async throws -> Result
    ) async throws -> Result {
        try await base.write(database, body)
    }

    var abilities: StorageAbilities { base.abilities }

    func close() async { await base.close() }
}
