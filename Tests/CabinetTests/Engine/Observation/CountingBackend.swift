import Cabinet
import Synchronization

/// A memory backend that counts its reads and streams of signals, and lets some reads fail.
final class CountingBackend: StorageBackend {
    private struct State {
        var reads = 0
        var streams = 0
        var failures: [CabinetError] = []
    }

    private let base = MemoryBackend()
    private let state = Mutex(State())
    private let signals = ChangeBroadcaster()

    /// How many reads have begun.
    var reads: Int { state.withLock(\.reads) }

    /// How many streams of signals have a reader.
    var streams: Int { state.withLock(\.streams) }

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
        let result = try await base.write(database, body)
        signals.signal(database)
        return result
    }

    var abilities: StorageAbilities {
        var abilities = base.abilities
        abilities.signals = self
        return abilities
    }

    func close() async {
        await base.close()
        signals.finish()
    }
}

extension CountingBackend: ChangeSignals {
    func changeSignals(of database: DatabaseKey) -> AsyncStream<Void> {
        state.withLock { $0.streams += 1 }
        return signals.changeSignals(of: database) { [weak self] in self?.state.withLock { $0.streams -= 1 } }
    }
}
