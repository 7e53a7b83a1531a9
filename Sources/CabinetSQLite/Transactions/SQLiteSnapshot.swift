import Cabinet
import Foundation
import SQLSupport

/// A view of one state of a file.
struct SQLiteSnapshot: SQLiteReading {
    let session: Session
}

/// The reading that views and transactions have in common.
///
/// The protocol's requirements are asynchronous and these methods are not: they run at once, on the thread of the
/// connection.
protocol SQLiteReading: StorageSnapshot, StorageAggregates, StoredAssets {
    var session: Session { get }
}

extension SQLiteReading {
    var abilities: SnapshotAbilities { SnapshotAbilities(aggregates: self, assets: self) }

    func load(_ keys: StorageKeys) throws -> StorageValues {
        try session.use { try $0.load(keys) }
    }

    func entries(in range: Range<StorageKey>, limit: Int) throws -> [StorageEntry] {
        try session.use { try $0.entries(in: range, limit: limit) }
    }

    func records(matching plan: QueryPlan) throws -> [StoredRecord] {
        try session.use { try $0.records(matching: plan) }
    }

    func references(to ids: [RecordID]) throws -> [StoredReference] {
        try session.use { try $0.references(to: ids) }
    }

    func changes(
        in zoneID: RecordZone.ID, after number: Int64, limit: Int, of content: ChangeContent
    ) throws -> [StoredChange] {
        try session.use { try $0.changes(in: zoneID, after: number, limit: limit, of: content) }
    }
}

// MARK: - Aggregates

extension SQLiteReading {
    func count(matching plan: QueryPlan) throws -> Int {
        try session.use { try $0.count(matching: plan) }
    }

    func value(of aggregate: Aggregate, over key: Record.FieldKey, matching plan: QueryPlan) async throws -> FieldValue?
    {
        try await session.value(of: aggregate, over: key, matching: plan)
    }

    func counts(by key: Record.FieldKey, matching plan: QueryPlan) async throws -> [ValueCount] {
        try await session.counts(by: key, matching: plan)
    }

    func explanation(of plan: QueryPlan) throws -> QueryExplanation {
        try session.use { try $0.explanation(of: plan) }
    }
}

// MARK: - Assets

extension SQLiteReading {
    func assets(after checksum: Asset.Checksum?, limit: Int) throws -> [StoredAsset] {
        try session.use { try $0.assets(after: checksum, limit: limit) }
    }

    func assets(for checksums: [Asset.Checksum]) throws -> [StoredAsset?] {
        try session.use { connection in try checksums.map { try connection.asset($0) } }
    }

    func assetsInUse(among checksums: [Asset.Checksum]) throws -> Set<Asset.Checksum> {
        try session.use { try $0.assetsInUse(among: checksums) }
    }

    func bytes(of checksum: Asset.Checksum, in range: Range<Int64>) throws -> Data? {
        try session.use { try $0.bytes(of: checksum, in: range) }
    }
}
