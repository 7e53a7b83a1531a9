import Cabinet
import Foundation
import SQLSupport

/// A snapshot of a file.
struct SQLiteSnapshot: SQLiteReading {
    let session: Session
}

/// The reads that snapshots and transactions share.
///
/// A short call runs on the caller's thread, and a long one on the connection's executor.
protocol SQLiteReading: StorageSnapshot, StorageAggregates, StoredAssets {
    var session: Session { get }
}

extension SQLiteReading {
    var abilities: SnapshotAbilities { SnapshotAbilities(aggregates: self, assets: self) }

    func load(_ keys: StorageKeys) async throws -> StorageValues {
        try await session.read(isLong: keys.count > Session.briefCount) { try $0.load(keys) }
    }

    func entries(in range: Range<StorageKey>, limit: Int) async throws -> [StorageEntry] {
        try await session.read { try $0.entries(in: range, limit: limit) }
    }

    func records(matching plan: QueryPlan) async throws -> [StoredRecord] {
        try await session.read(isLong: plan.limit > Session.briefCount) { try $0.records(matching: plan) }
    }

    func references(to ids: [RecordID]) async throws -> [StoredReference] {
        try await session.read(isLong: ids.count > Session.briefCount) { try $0.references(to: ids) }
    }

    func changes(
        in zoneID: RecordZone.ID, after number: Int64, limit: Int, of content: ChangeContent
    ) async throws -> [StoredChange] {
        try await session.read(isLong: limit > Session.briefCount) {
            try $0.changes(in: zoneID, after: number, limit: limit, of: content)
        }
    }
}

// MARK: - Aggregates

extension SQLiteReading {
    func count(matching plan: QueryPlan) async throws -> Int {
        try await session.read(isLong: true) { try $0.count(matching: plan) }
    }

    func value(of aggregate: Aggregate, over key: Record.FieldKey, matching plan: QueryPlan) async throws -> FieldValue?
    {
        let value = try await session.read(isLong: true) { try $0.value(of: aggregate, over: key, matching: plan) }
        // If SQL cannot compute the aggregate, the core computes it from pages, as for any store.
        if let value { return value }
        return try await valueFromPages(of: aggregate, over: key, matching: plan)
    }

    func counts(by key: Record.FieldKey, matching plan: QueryPlan) async throws -> [ValueCount] {
        if let counts = try await session.read(isLong: true, { try $0.counts(by: key, matching: plan) }) {
            return counts
        }
        return try await countsFromPages(by: key, matching: plan)
    }

    func explanation(of plan: QueryPlan) async throws -> QueryExplanation {
        try await session.read(isLong: true) { try $0.explanation(of: plan) }
    }
}

// MARK: - Assets

extension SQLiteReading {
    func assets(after checksum: Asset.Checksum?, limit: Int) async throws -> [StoredAsset] {
        try await session.read { try $0.assets(after: checksum, limit: limit) }
    }

    func assets(for checksums: [Asset.Checksum]) async throws -> [StoredAsset?] {
        try await session.read { connection in try checksums.map { try connection.asset($0) } }
    }

    func assetsInUse(among checksums: [Asset.Checksum]) async throws -> Set<Asset.Checksum> {
        try await session.read { try $0.assetsInUse(among: checksums) }
    }

    func bytes(of checksum: Asset.Checksum, in range: Range<Int64>) async throws -> Data? {
        // The bytes are in a separate file, which is rarely in memory.
        try await session.read(isLong: true) { try $0.bytes(of: checksum, in: range) }
    }
}

extension Session {
    /// The largest number of records and entries that are read on the caller's thread.
    ///
    /// More would often take too long there, and be read again on the executor. This is a page of the default size, and the
    /// record that shows whether another page follows.
    fileprivate static let briefCount = Query.defaultPageSize + 1
}

extension StorageKeys {
    /// The number of requested records and entries.
    fileprivate var count: Int { records.count + existing.count + entries.count }
}
