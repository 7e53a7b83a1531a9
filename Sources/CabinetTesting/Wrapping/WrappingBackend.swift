package import Cabinet

/// A backend that passes on to another one what it does not change, for tests.
///
/// A store conforms to ``/Cabinet/StorageBackend`` itself, which has no defaults.
package protocol WrappingBackend: StorageBackend {
    /// The other backend.
    var base: any StorageBackend { get }
}

extension WrappingBackend {
    package func read<Result: Sendable>(
        _ database: DatabaseKey, _ body: @escaping @Sendable (any StorageSnapshot) async throws -> Result
    ) async throws -> Result {
        try await base.read(database, body)
    }

    package func write<Result: Sendable>(
        _ database: DatabaseKey, _ body: @escaping @Sendable (any StorageTransaction) async throws -> Result
    ) async throws -> Result {
        try await base.write(database, body)
    }

    package var abilities: StorageAbilities { base.abilities }

    package func close() async { await base.close() }
}

/// A snapshot that passes on to another one what it does not change, for tests.
package protocol WrappingSnapshot: StorageSnapshot {
    /// The other snapshot.
    var snapshot: any StorageSnapshot { get }
}

extension WrappingSnapshot {
    package func load(_ keys: StorageKeys) async throws -> StorageValues { try await snapshot.load(keys) }

    package func entries(in range: Range<StorageKey>, limit: Int) async throws -> [StorageEntry] {
        try await snapshot.entries(in: range, limit: limit)
    }

    package func records(matching plan: QueryPlan) async throws -> [StoredRecord] {
        try await snapshot.records(matching: plan)
    }

    package func references(to ids: [RecordID]) async throws -> [StoredReference] {
        try await snapshot.references(to: ids)
    }

    package func changes(
        in zoneID: RecordZone.ID, after number: Int64, limit: Int, of content: ChangeContent
    ) async throws -> [StoredChange] {
        try await snapshot.changes(in: zoneID, after: number, limit: limit, of: content)
    }

    package var abilities: SnapshotAbilities { snapshot.abilities }
}

/// A transaction that passes on to another one what it does not change, for tests.
package protocol WrappingTransaction: WrappingSnapshot, StorageTransaction {
    /// The other transaction.
    var base: any StorageTransaction { get }
}

extension WrappingTransaction {
    package var snapshot: any StorageSnapshot { base }

    package func apply(_ mutations: [StorageMutation]) async throws { try await base.apply(mutations) }
}
