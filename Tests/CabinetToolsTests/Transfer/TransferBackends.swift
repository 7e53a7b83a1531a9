import Cabinet
import Synchronization

/// A backend that another client changes before each read, and whose reads may fail as if the program were killed.
struct BusyBackend: StorageBackend {
    let base: any StorageBackend
    let beforeRead: @Sendable () async throws -> Void

    func read<Result: Sendable>(
        _ database: DatabaseKey, _ body: @escaping @Sendable (any StorageSnapshot) async throws -> Result
    ) async throws -> Result {
        try await beforeRead()
        return try await base.read(database, body)
    }

    func write<Result: Sendable>(
        _ database: DatabaseKey, _ body: @escaping @Sendable (any StorageTransaction) async throws -> Result
    ) async throws -> Result {
        try await base.write(database, body)
    }

    var abilities: StorageAbilities { base.abilities }

    func close() async {}
}

/// A backend that stores the positions of imports after the transactions that they belong to: a mistake that the model must find.
struct LatePositionBackend: StorageBackend {
    let base: any StorageBackend

    func read<Result: Sendable>(
        _ database: DatabaseKey, _ body: @escaping @Sendable (any StorageSnapshot) async throws -> Result
    ) async throws -> Result {
        try await base.read(database, body)
    }

    func write<Result: Sendable>(
        _ database: DatabaseKey, _ body: @escaping @Sendable (any StorageTransaction) async throws -> Result
    ) async throws -> Result {
        let positions = Positions()
        let result = try await base.write(database) { try await body(View(base: $0, positions: positions)) }
        let late = positions.mutations.withLock(\.self)
        if !late.isEmpty { try await base.write(database) { try await $0.apply(late) } }
        return result
    }

    var abilities: StorageAbilities { base.abilities }

    func close() async {}

    private final class Positions: Sendable {
        let mutations = Mutex<[StorageMutation]>([])
    }

    private struct View: StorageTransaction {
        let base: any StorageTransaction
        let positions: Positions

        func load(_ keys: StorageKeys) async throws -> StorageValues { try await base.load(keys) }

        func entries(in range: Range<StorageKey>, limit: Int) async throws -> [StorageEntry] {
            try await base.entries(in: range, limit: limit)
        }

        func records(matching plan: QueryPlan) async throws -> [StoredRecord] { try await base.records(matching: plan) }

        func references(to ids: [RecordID]) async throws -> [StoredReference] { try await base.references(to: ids) }

        func changes(
            in zoneID: RecordZone.ID, after number: Int64, limit: Int, of content: ChangeContent
        ) async throws -> [StoredChange] {
            try await base.changes(in: zoneID, after: number, limit: limit, of: content)
        }

        var abilities: SnapshotAbilities { base.abilities }

        func apply(_ mutations: [StorageMutation]) async throws {
            func isPosition(_ mutation: StorageMutation) -> Bool {
                if case .setEntry(let key, _) = mutation { key.text.hasPrefix("import/position/") } else { false }
            }
            positions.mutations.withLock { $0 += mutations.filter(isPosition) }
            try await base.apply(mutations.filter { !isPosition($0) })
        }
    }
}
