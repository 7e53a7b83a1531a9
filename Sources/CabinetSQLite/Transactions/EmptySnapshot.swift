import Cabinet
import Foundation

/// The snapshot of a file that does not exist.
struct EmptySnapshot: StorageSnapshot {
    var abilities: SnapshotAbilities { SnapshotAbilities(aggregates: self, assets: self) }

    func load(_ keys: StorageKeys) -> StorageValues {
        StorageValues(
            records: keys.records.map { _ in nil }, existing: keys.existing.map { _ in false },
            entries: keys.entries.map { _ in nil }, entryRanges: keys.entryRanges.map { _ in [] },
            schema: StoredSchema())
    }

    func entries(in range: Range<StorageKey>, limit: Int) -> [StorageEntry] { [] }

    func records(matching plan: QueryPlan) -> [StoredRecord] { [] }

    func references(to ids: [RecordID]) -> [StoredReference] { [] }

    func changes(
        in zoneID: RecordZone.ID, after number: Int64, limit: Int, of content: ChangeContent
    ) -> [StoredChange] { [] }
}

extension EmptySnapshot: StorageAggregates {
    func count(matching plan: QueryPlan) -> Int { 0 }

    func value(of aggregate: Aggregate, over key: Record.FieldKey, matching plan: QueryPlan) -> FieldValue? {
        AggregateAccumulator(aggregate).result
    }

    func counts(by key: Record.FieldKey, matching plan: QueryPlan) -> [ValueCount] { [] }

    func explanation(of plan: QueryPlan) -> QueryExplanation {
        QueryExplanation(pushedDown: plan.filter, evaluated: nil, access: [.nothing], ordering: .byIndex)
    }
}

extension EmptySnapshot: StoredAssets {
    func assets(for checksums: [Asset.Checksum]) -> [StoredAsset?] { checksums.map { _ in nil } }

    func assets(after checksum: Asset.Checksum?, limit: Int) -> [StoredAsset] { [] }

    func assetsInUse(among checksums: [Asset.Checksum]) -> Set<Asset.Checksum> { [] }

    func bytes(of checksum: Asset.Checksum, in range: Range<Int64>) -> Data? { nil }
}
