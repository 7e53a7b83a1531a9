import Cabinet
import CabinetTesting
import Synchronization

/// A backend that another client changes before each read, and whose reads may fail as if the program were killed.
struct BusyBackend: WrappingBackend {
    let base: any StorageBackend
    let beforeRead: @Sendable () async throws -> Void

    func read<Result: Sendable>(
        _ database: DatabaseKey, _ body: @escaping @Sendable (any StorageSnapshot) async throws -> Result
    ) async throws -> Result {
        try await beforeRead()
        return try await base.read(database, body)
    }

    func close() async {}
}

/// A backend that stores the positions of imports after the transactions that they belong to: a mistake that the model must find.
struct LatePositionBackend: WrappingBackend {
    let base: any StorageBackend

    func write<Result: Sendable>(
        _ database: DatabaseKey, _ body: @escaping @Sendable (any StorageTransaction) async throws -> Result
    ) async throws -> Result {
        let positions = Positions()
        let result = try await base.write(database) { try await body(View(base: $0, positions: positions)) }
        let late = positions.mutations.withLock(\.self)
        if !late.isEmpty { try await base.write(database) { try await $0.apply(late) } }
        return result
    }

    func close() async {}

    private final class Positions: Sendable {
        let mutations = Mutex<[StorageMutation]>([])
    }

    private struct View: WrappingTransaction {
        let base: any StorageTransaction
        let positions: Positions

        func apply(_ mutations: [StorageMutation]) async throws {
            func isPosition(_ mutation: StorageMutation) -> Bool {
                if case .setEntry(let key, _) = mutation { key.text.hasPrefix("import/position/") } else { false }
            }
            positions.mutations.withLock { $0 += mutations.filter(isPosition) }
            try await base.apply(mutations.filter { !isPosition($0) })
        }
    }
}

/// A backend that does not store which requests an import has sent: a mistake that the model must find.
struct ForgetfulBackend: WrappingBackend {
    let base: any StorageBackend

    func write<Result: Sendable>(
        _ database: DatabaseKey, _ body: @escaping @Sendable (any StorageTransaction) async throws -> Result
    ) async throws -> Result {
        try await base.write(database) { try await body(View(base: $0)) }
    }

    func close() async {}

    private struct View: WrappingTransaction {
        let base: any StorageTransaction

        func apply(_ mutations: [StorageMutation]) async throws {
            try await base.apply(
                mutations.filter { mutation in
                    if case .setEntry(let key, _) = mutation { !key.text.hasPrefix("import/pending/") } else { true }
                })
        }
    }
}
