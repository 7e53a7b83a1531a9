import Cabinet
import CabinetTesting
import Synchronization

/// A transaction with snapshot isolation, which is not sufficient.
///
/// It reads the records that were stored when it began, and writes when it ends, unless another transaction has written
/// the same records since. Only entries are read and stored at once.
final class SnapshotTransaction: WrappingSnapshot, StorageTransaction {
    private struct Conflict: Error {}

    let snapshot: any StorageSnapshot
    private let backend: MemoryBackend
    private let database: DatabaseKey
    private let later = Mutex<[StorageMutation]>([])

    private init(_ snapshot: any StorageSnapshot, _ backend: MemoryBackend, _ database: DatabaseKey) {
        self.snapshot = snapshot
        self.backend = backend
        self.database = database
    }

    /// Runs a transaction, until no other one has written the same records concurrently.
    static func write<Result: Sendable>(
        _ backend: MemoryBackend, _ database: DatabaseKey,
        _ body: @escaping @Sendable (any StorageTransaction) async throws -> Result
    ) async throws -> Result {
        while true {
            do {
                return try await backend.read(database) { snapshot in
                    let transaction = SnapshotTransaction(snapshot, backend, database)
                    let result = try await body(transaction)
                    try await transaction.commit()
                    return result
                }
            } catch is Conflict {}
        }
    }

    private func commit() async throws {
        let mutations = later.withLock { $0 }
        if mutations.isEmpty { return }
        let ids = mutations.compactMap { mutation -> RecordID? in
            switch mutation {
            case .insert(let record), .update(let record, _), .delete(_, let record): record.recordID
            default: nil
            }
        }
        let known = try await snapshot.records(for: ids, keys: [])
        try await backend.write(database) { transaction in
            let found = try await transaction.records(for: ids, keys: [])
            if found.map({ $0?.sequenceNumber }) != known.map({ $0?.sequenceNumber }) { throw Conflict() }
            try await transaction.apply(mutations)
        }
    }

    func load(_ keys: StorageKeys) async throws -> StorageValues {
        var values = try await snapshot.load(keys)
        values.entries = try await backend.read(database) { try await $0.load(keys).entries }
        return values
    }

    func apply(_ mutations: [StorageMutation]) async throws {
        let entries = mutations.filter(\.setsEntry)
        if !entries.isEmpty { try await backend.write(database) { try await $0.apply(entries) } }
        later.withLock { $0 += mutations.filter { !$0.setsEntry } }
    }
}

extension StorageMutation {
    fileprivate var setsEntry: Bool {
        if case .setEntry = self { true } else { false }
    }
}
