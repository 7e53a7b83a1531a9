public import Cabinet

// The requirements that have no code yet. A function of a type takes the place of one from here.

struct Unfinished: Error {
    var name: String
    init(_ name: String = #function) { self.name = name }
}

extension StorageBackend {
    public var abilities: StorageAbilities { StorageAbilities() }
}

extension StorageSnapshot {
    func load(_ keys: StorageKeys) async throws -> StorageValues { throw Unfinished() }
    func entries(in range: Range<StorageKey>, limit: Int) async throws -> [StorageEntry] { throw Unfinished() }
    func records(matching plan: QueryPlan) async throws -> [StoredRecord] { throw Unfinished() }
    func references(to ids: [RecordID]) async throws -> [StoredReference] { throw Unfinished() }
    func changes(
        in zoneID: RecordZone.ID, after number: Int64, limit: Int, of content: ChangeContent
    ) async throws -> [StoredChange] { throw Unfinished() }
    var abilities: SnapshotAbilities { SnapshotAbilities() }
}

extension StorageTransaction {
    func apply(_ mutations: [StorageMutation]) async throws { throw Unfinished() }
}
