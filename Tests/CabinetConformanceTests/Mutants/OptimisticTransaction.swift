import Cabinet
import CabinetTesting
import Foundation
import Synchronization

@testable import CabinetConformance

/// A transaction that reads the state at its beginning, and is run again if a read would have another result when it commits.
///
/// It reads none of its own writes but entries.
final class OptimisticTransaction: StorageTransaction {
    /// A kind of read whose result a commit compares.
    enum Read: CaseIterable {
        case record, existing, entry, entryRange, entries, query, count, references, changes, schema, asset, assetUse
    }

    private struct State {
        var mutations: [StorageMutation] = []
        var checks: [@Sendable (any StorageSnapshot) async throws -> Bool] = []
        var entries: [StorageKey: String?] = [:]
    }

    private let snapshot: any StorageSnapshot
    private let overlooked: Read?
    private let state = Mutex(State())

    private init(_ snapshot: any StorageSnapshot, overlooking read: Read?) {
        self.snapshot = snapshot
        overlooked = read
    }

    /// Runs a transaction, until no other one has changed what it has read.
    ///
    /// - Parameters:
    ///   - read: The kind of read that the commit does not compare.
    ///   - size: The number of mutations that are committed at a time.
    static func write<Result: Sendable>(
        _ backend: MemoryBackend, _ database: DatabaseKey, overlooking read: Read? = nil, partSize size: Int = .max,
        _ body: @escaping @Sendable (any StorageTransaction) async throws -> Result
    ) async throws -> Result {
        while true {
            let (result, transaction) = try await backend.read(database) { snapshot in
                let transaction = OptimisticTransaction(snapshot, overlooking: read)
                return (try await body(transaction), transaction)
            }
            if try await transaction.commit(to: backend, database, partSize: size) { return result }
        }
    }

    private func commit(to backend: MemoryBackend, _ database: DatabaseKey, partSize: Int) async throws -> Bool {
        let (mutations, checks) = state.withLock { ($0.mutations, $0.checks) }
        if mutations.isEmpty { return true }
        let first = Array(mutations.prefix(partSize))
        let isCurrent = try await backend.write(database) { current in
            for check in checks {
                guard try await check(current) else { return false }
            }
            try await current.apply(first)
            return true
        }
        guard isCurrent else { return false }
        for part in mutations.dropFirst(partSize).parts(of: partSize) {
            for _ in 0..<10 { await Task.yield() }
            try await backend.write(database) { try await $0.apply(Array(part)) }
        }
        return true
    }

    /// Reads from the snapshot, and once more from the state in which the transaction commits.
    private func read<Value: Equatable & Sendable>(
        _ kind: Read, _ body: @escaping @Sendable (any StorageSnapshot) async throws -> Value
    ) async throws -> Value {
        let value = try await body(snapshot)
        if kind != overlooked {
            state.withLock { state in state.checks.append { try await body($0) == value } }
        }
        return value
    }

    func load(_ keys: StorageKeys) async throws -> StorageValues {
        let records = StorageKeys(records: keys.records, fields: keys.fields)
        let entries = StorageKeys(entries: keys.entries)
        var values = StorageValues(
            records: try await read(.record) { try await $0.load(records).records },
            existing: try await read(.existing) { try await $0.load(StorageKeys(existing: keys.existing)).existing },
            entries: try await read(.entry) { try await $0.load(entries).entries },
            entryRanges: try await read(.entryRange) {
                try await $0.load(StorageKeys(entryRanges: keys.entryRanges)).entryRanges
            },
            schema: try await read(.schema) { try await $0.load(StorageKeys()).schema })
        let own = state.withLock(\.entries)
        values.entries = zip(keys.entries, values.entries).map { own[$0] ?? $1 }
        return values
    }

    func entries(in range: Range<StorageKey>, limit: Int) async throws -> [StorageEntry] {
        try await read(.entries) { try await $0.entries(in: range, limit: limit) }
    }

    func records(matching plan: QueryPlan) async throws -> [StoredRecord] {
        try await read(.query) { try await $0.records(matching: plan) }
    }

    func references(to ids: [RecordID]) async throws -> [StoredReference] {
        try await read(.references) { Set(try await $0.references(to: ids)) }.map(\.self)
    }

    func changes(
        in zoneID: RecordZone.ID, after number: Int64, limit: Int, of content: ChangeContent
    ) async throws -> [StoredChange] {
        try await read(.changes) { try await $0.changes(in: zoneID, after: number, limit: limit, of: content) }
    }

    var abilities: SnapshotAbilities { SnapshotAbilities(aggregates: self, assets: self) }

    func apply(_ mutations: [StorageMutation]) async throws {
        state.withLock { state in
            state.mutations += mutations
            for case .setEntry(let key, let text) in mutations { state.entries[key] = .some(text) }
        }
    }
}

extension OptimisticTransaction: StorageAggregates {
    private var aggregates: any StorageAggregates {
        get throws { try require(snapshot.abilities.aggregates, "The ability to aggregate") }
    }

    func count(matching plan: QueryPlan) async throws -> Int {
        try await read(.count) { snapshot in
            try await require(snapshot.abilities.aggregates, "The ability to aggregate").count(matching: plan)
        }
    }

    func value(of aggregate: Aggregate, over key: Record.FieldKey, matching plan: QueryPlan) async throws -> FieldValue?
    {
        try await aggregates.value(of: aggregate, over: key, matching: plan)
    }

    func counts(by key: Record.FieldKey, matching plan: QueryPlan) async throws -> [ValueCount] {
        try await aggregates.counts(by: key, matching: plan)
    }

    func explanation(of plan: QueryPlan) async throws -> QueryExplanation {
        try await aggregates.explanation(of: plan)
    }
}

extension OptimisticTransaction: StoredAssets {
    func assets(for checksums: [Asset.Checksum]) async throws -> [StoredAsset?] {
        try await read(.asset) { try await $0.storedAssets.assets(for: checksums) }
    }

    func assets(after checksum: Asset.Checksum?, limit: Int) async throws -> [StoredAsset] {
        try await read(.asset) { try await $0.storedAssets.assets(after: checksum, limit: limit) }
    }

    func assetsInUse(among checksums: [Asset.Checksum]) async throws -> Set<Asset.Checksum> {
        try await read(.assetUse) { try await $0.storedAssets.assetsInUse(among: checksums) }
    }

    func bytes(of checksum: Asset.Checksum, in range: Range<Int64>) async throws -> Data? {
        try await snapshot.storedAssets.bytes(of: checksum, in: range)
    }
}
