import Cabinet
import Foundation

/// What a read of a ``PostgresBackend`` sees: one state of a database.
///
/// Its closure runs on the connection's thread. A task that the closure starts may run elsewhere, so what waits for the server hops there.
struct PostgresSnapshot: StorageSnapshot {
    let session: Session

    func records(for ids: [RecordID], keys: [Record.FieldKey]?) async throws -> [StoredRecord?] {
        // Where the last records were, the next ones mostly are too; as no two records have one ID, they are in no other table then.
        let first = try await session.inOneTrip { view in
            try view.likelyTable(of: ids).map { try view.beginFetching(ids, keys: keys, from: $0) }
        }
        guard let first else { return try await recordsOfAllTables(for: ids, keys: keys) }
        let missing = ids.indices.filter { first[$0] == nil }
        if missing.isEmpty { return first }
        var found = first
        let others = try await recordsOfAllTables(for: missing.map { ids[$0] }, keys: keys)
        for (index, record) in zip(missing, others) { found[index] = record }
        return found
    }

    private func recordsOfAllTables(for ids: [RecordID], keys: [Record.FieldKey]?) async throws -> [StoredRecord?] {
        let found = try await session.inOneTrip { view in
            view.fetchesInOneTrip ? try view.beginFetching(ids, keys: keys) : nil
        }
        if let found { return found }
        return try await session.wait(isGuessing: true) { try $0.records(for: ids, keys: keys) }
    }

    func records(matching plan: QueryPlan) async throws -> [StoredRecord] {
        if let page = try await session.inOneTrip({ try $0.beginPage(matching: plan) }), let page { return page }
        return try await session.wait(isGuessing: true) { try $0.records(matching: plan) }
    }

    func count(matching plan: QueryPlan) async throws -> Int {
        try await session.wait(isGuessing: true) { try $0.count(matching: plan) }
    }

    func value(of aggregate: Aggregate, over key: Record.FieldKey, matching plan: QueryPlan) async throws -> FieldValue?
    {
        let value = try await session.wait { try $0.value(of: aggregate, over: key, matching: plan) }
        if let value { return value }
        return try await valueFromPages(of: aggregate, over: key, matching: plan)
    }

    func counts(by key: Record.FieldKey, matching plan: QueryPlan) async throws -> [ValueCount] {
        if let counts = try await session.wait({ try $0.counts(by: key, matching: plan) }) { return counts }
        return try await countsFromPages(by: key, matching: plan)
    }

    func explanation(of plan: QueryPlan) async throws -> QueryExplanation {
        try await session.wait { try $0.explanation(of: plan) }
    }

    func references(to ids: [RecordID]) async throws -> [StoredReference] {
        try await session.wait(isGuessing: true) { try $0.references(to: ids) }
    }

    func zones(for ids: Set<RecordZone.ID>?) async throws -> [StoredZone] {
        let found = try await session.inOneTrip { view in
            view.knowsAllZones ? try view.beginFindingZones(ids) : nil
        }
        if let found { return found }
        return try await session.wait(isGuessing: true) { try $0.zones(for: ids) }
    }

    func lastSequenceNumber() async throws -> Int64 {
        if session.isGuessed { return try await session.wait { $0.row?.sequence ?? 0 } }
        return try session.use { $0.row?.sequence ?? 0 }
    }

    func timelines(of numbers: [Int64]) async throws -> [Int64?] {
        try await session.wait { try $0.timelines(of: numbers) }
    }

    func changes(
        inZone zoneID: RecordZone.ID, after number: Int64, limit: Int, keys: [Record.FieldKey]?
    ) async throws -> [StoredChange] {
        try await session.wait { try $0.changes(inZone: zoneID, after: number, limit: limit, keys: keys) }
    }

    func zoneChanges(after number: Int64, limit: Int) async throws -> [StoredZoneChange] {
        try await session.wait { try $0.zoneChanges(after: number, limit: limit) }
    }

    func schema() throws -> StoredSchema {
        try session.use(isGuessing: true) { $0.catalog.schema }
    }

    func subscriptions(of userName: String?) async throws -> [StoredSubscription] {
        try await session.wait { try $0.subscriptions(of: userName) }
    }

    func notifications(to userName: String, after number: Int64, limit: Int) async throws -> [StoredNotification] {
        try await session.wait { try $0.notifications(to: userName, after: number, limit: limit) }
    }

    func notificationExpirationNumber(of userName: String) async throws -> Int64 {
        try await session.wait { try $0.notificationExpirationNumber(of: userName) }
    }

    func assets(after checksum: Asset.Checksum?, limit: Int) async throws -> [StoredAsset] {
        try await session.wait { try $0.assets(after: checksum, limit: limit) }
    }

    func assets(for checksums: [Asset.Checksum]) async throws -> [StoredAsset?] {
        try await session.wait { try $0.assets(for: checksums) }
    }

    func assetsInUse(among checksums: [Asset.Checksum]) async throws -> Set<Asset.Checksum> {
        try await session.wait { try $0.assetsInUse(among: checksums) }
    }

    func bytes(of checksum: Asset.Checksum, in range: Range<Int64>) async throws -> Data? {
        try await session.wait { try $0.bytes(of: checksum, in: range) }
    }
}
