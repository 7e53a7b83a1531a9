public import Cabinet

let todo = CabinetError(.internalError, "This function is not written yet.")

extension StorageBackend {
    /// No ability yet.
    public var abilities: StorageAbilities { StorageAbilities() }
}

extension StorageSnapshot {
    var abilities: SnapshotAbilities { SnapshotAbilities() }
    func load(_ keys: StorageKeys) throws -> StorageValues { throw todo }
    func records(matching: QueryPlan) throws -> [StoredRecord] { throw todo }
    func references(to: [RecordID]) throws -> [StoredReference] { throw todo }
    func apply(_ mutations: [StorageMutation]) throws { throw todo }
    func entries(
        in range: Range<StorageKey>, limit: Int
    ) throws -> [StorageEntry] { throw todo }
    func changes(
        in zoneID: RecordZone.ID, after number: Int64, limit: Int,
        of content: ChangeContent
    ) throws -> [StoredChange] { throw todo }
}
