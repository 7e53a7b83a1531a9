import Cabinet
import Foundation

/// A view of a file that does not exist.
struct EmptySnapshot: StorageSnapshot {
    var abilities: SnapshotAbilities { SnapshotAbilities(aggregates: self, assets: self) }

    func load(_ keys: StorageKeys) -> StorageValues {
        StorageValues(
            records: keys.records.map { _ in nil }, existing: keys.existing.map { _ in false },
            entries: keys.entries.map { _ in nil }, entryRanges: keys.entryRanges.map { _ in [] },
            schema: StoredSchema())
    }

    func entries(in range: Range<StorageKey>, limit: Int) -> [StorageEntry] { [] }

    func records(matching plan: QueryPlan) throws -> [StoredRecord] {
        // An invalid plan fails alike, with and without records.
        try plan.validate()
        return []
    }

    func references(to ids: [RecordID]) -> [StoredReference] { [] }

    func changes(
        in zoneID: RecordZone.ID, after number: Int64, limit: Int, of content: ChangeContent
    ) -> [StoredChange] { [] }
}

extension EmptySnapshot: StorageAggregates {
    func count(matching plan: QueryPlan) throws -> Int {
        try plan.validate()
        return 0
    }

    func value(of aggregate: Aggregate, over key: Record.FieldKey, matching plan: QueryPlan) async throws -> FieldValue?
    {
        try await valueFromPages(of: aggregate, over: key, matching: plan)
    }

    func counts(by key: Record.FieldKey, matching plan: QueryPlan) async throws -> [ValueCount] {
        try await countsFromPages(by: key, matching: plan)
    }

    func explanation(of plan: QueryPlan) throws -> QueryExplanation {
        try plan.validate()
        return QueryExplanation(pushedDown: plan.filter, evaluated: nil, access: [.nothing], ordering: .byIndex)
    }
}

extension EmptySnapshot: StoredAssets {
    func assets(for checksums: [Asset.Checksum]) -> [StoredAsset?] { checksums.map { _ in nil } }

    func assets(after checksum: Asset.Checksum?, limit: Int) -> [StoredAsset] { [] }

    func assetsInUse(among checksums: [Asset.Checksum]) -> Set<Asset.Checksum> { [] }

    func bytes(of checksum: Asset.Checksum, in range: Range<Int64>) -> Data? { nil }
}
