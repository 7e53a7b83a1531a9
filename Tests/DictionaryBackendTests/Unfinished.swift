public import Cabinet

enum Unfinished: Error { case load, entries, records, references, changes, apply }

extension StorageBackend {
    /// No ability yet.
    public var abilities: StorageAbilities { StorageAbilities() }
}

extension StorageSnapshot {
    var abilities: SnapshotAbilities { SnapshotAbilities() }
    func load(_ keys: StorageKeys) throws -> StorageValues { throw Unfinished.load }
    func entries(in range: Range<StorageKey>, limit: Int) throws -> [StorageEntry] { throw Unfinished.entries }
    func records(matching plan: QueryPlan) throws -> [StoredRecord] { throw Unfinished.records }
    func references(to ids: [RecordID]) throws -> [StoredReference] { throw Unfinished.references }
    func changes(
        in zoneID: RecordZone.ID, after number: Int64, limit: Int, of content: ChangeContent
    ) throws -> [StoredChange] { throw Unfinished.changes }
}

extension StorageTransaction {
    func apply(_ mutations: [StorageMutation]) throws { throw Unfinished.apply }
}
