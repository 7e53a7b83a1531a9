import Cabinet
import CabinetTesting
import Synchronization

/// A store that counts the calls of its transactions, and what they read and change.
final class CountingStore: WrappingBackend {
    /// The calls, and the numbers of records and entries that they read and change.
    struct Counts: Hashable {
        var reads = 0
        var writes = 0
        /// The calls within transactions.
        var calls = 0
        var loadedRecords = 0
        var loadedEntries = 0
        var changedRecords = 0
        var changedEntries = 0

        static func - (left: Self, right: Self) -> Self {
            Counts(
                reads: left.reads - right.reads, writes: left.writes - right.writes, calls: left.calls - right.calls,
                loadedRecords: left.loadedRecords - right.loadedRecords,
                loadedEntries: left.loadedEntries - right.loadedEntries,
                changedRecords: left.changedRecords - right.changedRecords,
                changedEntries: left.changedEntries - right.changedEntries)
        }
    }

    let base: any StorageBackend
    private let content = Mutex(Counts())

    init(_ base: any StorageBackend = MemoryBackend()) { self.base = base }

    var counts: Counts { content.withLock { $0 } }

    private func count(_ body: (inout Counts) -> Void) { content.withLock { body(&$0) } }

    func read<Result: Sendable>(
        _ database: DatabaseKey, _ body: @escaping @Sendable (any StorageSnapshot) async throws -> Result
    ) async throws -> Result {
        count { $0.reads += 1 }
        return try await base.read(database) { try await body(Snapshot(snapshot: $0, store: self)) }
    }

    func write<Result: Sendable>(
        _ database: DatabaseKey, _ body: @escaping @Sendable (any StorageTransaction) async throws -> Result
    ) async throws -> Result {
        count { $0.writes += 1 }
        return try await base.write(database) { try await body(Transaction(base: $0, store: self)) }
    }

    private func load(_ keys: StorageKeys, from snapshot: any StorageSnapshot) async throws -> StorageValues {
        let values = try await snapshot.load(keys)
        count { counts in
            counts.calls += 1
            counts.loadedRecords += keys.records.count + keys.existing.count
            counts.loadedEntries += keys.entries.count + values.entryRanges.reduce(0) { $0 + $1.count }
        }
        return values
    }

    private func entries(
        in range: Range<StorageKey>, limit: Int, of snapshot: any StorageSnapshot
    ) async throws -> [StorageEntry] {
        let entries = try await snapshot.entries(in: range, limit: limit)
        count { counts in
            counts.calls += 1
            counts.loadedEntries += entries.count
        }
        return entries
    }

    private struct Snapshot: WrappingSnapshot {
        let snapshot: any StorageSnapshot
        let store: CountingStore

        func load(_ keys: StorageKeys) async throws -> StorageValues { try await store.load(keys, from: snapshot) }

        func entries(in range: Range<StorageKey>, limit: Int) async throws -> [StorageEntry] {
            try await store.entries(in: range, limit: limit, of: snapshot)
        }
    }

    private struct Transaction: WrappingTransaction {
        let base: any StorageTransaction
        let store: CountingStore

        func load(_ keys: StorageKeys) async throws -> StorageValues { try await store.load(keys, from: base) }

        func entries(in range: Range<StorageKey>, limit: Int) async throws -> [StorageEntry] {
            try await store.entries(in: range, limit: limit, of: base)
        }

        func apply(_ mutations: [StorageMutation]) async throws {
            store.count { counts in
                counts.calls += 1
                for mutation in mutations {
                    switch mutation {
                    case .insert, .update, .delete: counts.changedRecords += 1
                    case .setEntry: counts.changedEntries += 1
                    default: break
                    }
                }
            }
            try await base.apply(mutations)
        }
    }
}
