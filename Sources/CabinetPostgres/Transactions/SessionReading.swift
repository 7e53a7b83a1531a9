import Cabinet
import Foundation
import SQLSupport

/// The calls that snapshots and transactions share, implemented by their session.
protocol SessionReading: StorageSnapshot, StorageAggregates, StoredAssets {
    var session: Session { get }
}

extension SessionReading {
    var abilities: SnapshotAbilities { SnapshotAbilities(aggregates: self, assets: self) }

    func load(_ keys: StorageKeys) async throws -> StorageValues {
        try await session.use(blocks: false) { try await $0.load(keys) }
    }

    func entries(in range: Range<StorageKey>, limit: Int) async throws -> [StorageEntry] {
        try await session.use(blocks: false) { try await $0.entries(in: range, limit: limit) }
    }

    func records(matching plan: QueryPlan) async throws -> [StoredRecord] {
        // A page may be all that the read sends. So it begins the transaction.
        try await settled(begins: false) { try await $0.records(matching: plan) }
    }

    func references(to ids: [RecordID]) async throws -> [StoredReference] {
        try await settled { try await $0.references(to: ids) }
    }

    func changes(
        in zoneID: RecordZone.ID, after number: Int64, limit: Int, of content: ChangeContent
    ) async throws -> [StoredChange] {
        try await settled { try await $0.changes(in: zoneID, after: number, limit: limit, of: content) }
    }

    /// Runs a read that needs the database's schema and zones, which may come from the cache until the first answer.
    ///
    /// - Parameters:
    ///   - begins: Whether to begin the transaction before the body.
    ///   - blocks: Whether the body may block its thread.
    func settled<Output: Sendable>(
        begins: Bool = true, blocks: Bool = false,
        _ body: @escaping @Sendable (TransactionContext) async throws -> Output
    ) async throws -> Output {
        try await session.use(blocks: blocks) { context in
            try await context.prepareReading()
            if begins { try context.begin() }
            let output = try await body(context)
            // Confirm the cached schema if the body has sent no statement.
            try await context.ensureSnapshot()
            return output
        }
    }
}

// MARK: - Aggregates

extension SessionReading {
    func count(matching plan: QueryPlan) async throws -> Int {
        try await settled(blocks: true) { try $0.count(matching: plan) }
    }

    func value(of aggregate: Aggregate, over key: Record.FieldKey, matching plan: QueryPlan) async throws -> FieldValue?
    {
        if let value = try await settled(blocks: true, { try $0.value(of: aggregate, over: key, matching: plan) }) {
            return value
        }
        return try await valueFromPages(of: aggregate, over: key, matching: plan)
    }

    func counts(by key: Record.FieldKey, matching plan: QueryPlan) async throws -> [ValueCount] {
        if let counts = try await settled(blocks: true, { try $0.counts(by: key, matching: plan) }) { return counts }
        return try await countsFromPages(by: key, matching: plan)
    }

    func explanation(of plan: QueryPlan) async throws -> QueryExplanation {
        try await settled(blocks: true) { try $0.explanation(of: plan) }
    }
}

// MARK: - Assets

extension SessionReading {
    func assets(for checksums: [Asset.Checksum]) async throws -> [StoredAsset?] {
        try await settled { try await $0.assets(for: checksums) }
    }

    func assets(after checksum: Asset.Checksum?, limit: Int) async throws -> [StoredAsset] {
        try await settled { try await $0.assets(after: checksum, limit: limit) }
    }

    func assetsInUse(among checksums: [Asset.Checksum]) async throws -> Set<Asset.Checksum> {
        try await settled { try await $0.assetsInUse(among: checksums) }
    }

    func bytes(of checksum: Asset.Checksum, in range: Range<Int64>) async throws -> Data? {
        try await settled { try await $0.bytes(of: checksum, in: range) }
    }
}
