import Cabinet
import Synchronization

/// A view of a database that reads from its state.
protocol StateView: StorageSnapshot, StoredAssets {
    var state: DatabaseState { get }
    var origin: String? { get }
}

extension StateView {
    var abilities: SnapshotAbilities { SnapshotAbilities(assets: self) }

    func load(_ keys: StorageKeys) -> StorageValues {
        let state = state
        return StorageValues(
            records: keys.records.map { state.records[$0]?.trimmed(to: keys.fields) },
            existing: keys.existing.map { state.records[$0] != nil },
            entries: keys.entries.map { state.entries[$0] },
            entryRanges: keys.entryRanges.map { entries(in: $0, limit: .max) },
            schema: state.schema, origin: origin)
    }

    func entries(in range: Range<StorageKey>, limit: Int) -> [StorageEntry] {
        let entries = state.entries
        let found = entries.firstIndex(from: range.lowerBound)..<entries.firstIndex(from: range.upperBound)
        return found.prefix(limit).map { StorageEntry(key: entries.keys[$0], text: entries.values[$0]) }
    }

    /// The plan selects and sorts the records.
    func records(matching plan: QueryPlan) throws -> [StoredRecord] {
        let records = state.records
        return try plan.page(of: records.values, resolving: plan.resolver(over: records.values))
    }

    func references(to ids: [RecordID]) -> [StoredReference] {
        let state = state
        let targets = Set(ids)
        // A record may refer to several targets.
        let sources = Set(targets.flatMap { state.sources[$0] ?? [] })
        return sources.compactMap { state.records[$0] }.flatMap(\.references)
            .filter { $0.hasRule && targets.contains($0.target) }
    }

    func changes(
        in zoneID: RecordZone.ID, after number: Int64, limit: Int, of content: ChangeContent
    ) -> [StoredChange] {
        let state = state
        guard number < .max, let feed = state.feeds[zoneID] else { return [] }
        let changes = feed.values[feed.firstIndex(from: number + 1)...].lazy.compactMap { id -> StoredChange? in
            if let deletion = state.deletions[id] { return .deleted(deletion) }
            guard case .all(let fields) = content else { return nil }
            return state.records[id].map { .saved($0.trimmed(to: fields)) }
        }
        return Array(changes.prefix(limit))
    }
}

/// A view of the state that was committed last.
struct Snapshot: StateView {
    let state: DatabaseState
    var origin: String? { nil }
}

/// A view whose state changes.
final class Transaction: StateView, StorageTransaction {
    private let content: Mutex<(state: DatabaseState, changes: [Change])>
    private let uploads: UploadBuffer
    let origin: String?

    init(state: DatabaseState, uploads: UploadBuffer, origin: String) {
        content = Mutex((state, []))
        self.uploads = uploads
        self.origin = origin
    }

    var state: DatabaseState { content.withLock { $0.state } }
    var changes: [Change] { content.withLock { $0.changes } }

    func apply(_ mutations: [StorageMutation]) throws {
        let changes = try mutations.map { try Change($0, uploads: uploads) }
        content.withLock { content in
            for change in changes { content.state.apply(change) }
            content.changes += changes
        }
    }
}
