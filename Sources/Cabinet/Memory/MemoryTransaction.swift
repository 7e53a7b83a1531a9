import Synchronization

/// A copy of a database's content that the transaction changes, and that replaces the content on commit.
final class MemoryTransaction: StorageTransaction {
    private let state: Mutex<MemoryContent>
    private let words: WordIndexes
    private let uploads: UploadBuffer

    init(_ snapshot: MemorySnapshot, uploads: UploadBuffer) {
        state = Mutex(snapshot.content)
        words = snapshot.words
        self.uploads = uploads
    }

    /// The content after all mutations.
    var content: MemoryContent { state.withLock { $0 } }

    private var snapshot: MemorySnapshot { MemorySnapshot(content: content, words: words) }

    var abilities: SnapshotAbilities { snapshot.abilities }

    func load(_ keys: StorageKeys) throws -> StorageValues { try snapshot.load(keys) }

    func entries(in range: Range<StorageKey>, limit: Int) -> [StorageEntry] {
        snapshot.entries(in: range, limit: limit)
    }

    func records(matching plan: QueryPlan) throws -> [StoredRecord] { try snapshot.records(matching: plan) }

    func references(to ids: [RecordID]) -> [StoredReference] { snapshot.references(to: ids) }

    func changes(
        in zoneID: RecordZone.ID, after number: Int64, limit: Int, of kind: ChangeContent
    ) throws -> [StoredChange] {
        try snapshot.changes(in: zoneID, after: number, limit: limit, of: kind)
    }

    func apply(_ mutations: [StorageMutation]) throws {
        try state.withLock { content in
            for mutation in mutations { try content.apply(mutation, uploads: uploads) }
        }
    }
}
