import Foundation
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

    var abilities: SnapshotAbilities {
        var abilities = snapshot.abilities
        abilities.referrers = self
        return abilities
    }

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

extension MemoryTransaction: StorageReferrers {
    func groups(referringTo id: RecordID) -> [ReferrerGroup]? {
        let content = content
        let references = Dictionary(grouping: content.references(to: [id])) {
            content.record(for: $0.source)?.recordType ?? ""
        }
        var groups: [ReferrerGroup] = []
        for (type, references) in references {
            guard let place = references.first?.place, references.allSatisfy({ $0.place == place }) else { return nil }
            let count = Set(references.map(\.source)).count
            groups.append(ReferrerGroup(target: id, recordType: type, place: place, count: count))
        }
        return groups
    }

    func mayBeReferredTo(_ group: ReferrerGroup) -> Bool {
        !references(to: content.records(of: group).map(\.recordID)).isEmpty
    }

    func delete(_ group: ReferrerGroup, count: Int, from sequenceNumber: Int64, date: Date) throws {
        let records = content.records(of: group).sorted { $0.insertionNumber < $1.insertionNumber }.prefix(count)
        try apply(
            zip(sequenceNumber..., records).map { number, record in
                let deletion = StoredDeletion(
                    recordID: record.recordID, recordType: record.recordType, sequenceNumber: number, date: date)
                return .delete(deletion, replacing: record)
            })
    }
}

extension MemoryContent {
    /// The records of a group.
    fileprivate func records(of group: ReferrerGroup) -> [StoredRecord] {
        sources(of: group.target).filter { record in
            record.recordType == group.recordType
                && record.references.contains { $0.target == group.target && $0.place == group.place }
        }
    }
}
