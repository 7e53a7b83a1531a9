import Synchronization

/// A view that collects changes.
final class MemoryTransaction: StorageTransaction {
    private let view: Mutex<MemoryView>

    init(content: MemoryContent) {
        view = Mutex(MemoryView(content: content))
    }

    /// Ends the transaction, and returns what it changed.
    func finish() -> MemoryContent.Changes {
        view.withLock { view in
            view.content = MemoryContent()
            return view.changes
        }
    }

    private var snapshot: MemorySnapshot {
        MemorySnapshot(view: view.withLock { $0 })
    }

    func records(for ids: [RecordID], keys: [Record.FieldKey]?) -> [StoredRecord?] {
        snapshot.records(for: ids, keys: keys)
    }

    func records(matching plan: QueryPlan) throws -> [StoredRecord] {
        try snapshot.records(matching: plan)
    }

    func count(matching plan: QueryPlan) throws -> Int {
        try snapshot.count(matching: plan)
    }

    func value(
        of aggregate: Aggregate, over key: Record.FieldKey, matching plan: QueryPlan
    ) throws -> FieldValue? {
        try snapshot.value(of: aggregate, over: key, matching: plan)
    }

    func counts(by key: Record.FieldKey, matching plan: QueryPlan) throws -> [ValueCount] {
        try snapshot.counts(by: key, matching: plan)
    }

    func references(to ids: [RecordID]) -> [StoredReference] {
        snapshot.references(to: ids)
    }

    func schema() -> StoredSchema {
        snapshot.schema()
    }

    func reserveSequenceNumbers(_ count: Int) -> Int64 {
        view.withLock { view in
            let last = view.changes.sequenceNumber ?? view.content.sequenceNumber
            view.changes.sequenceNumber = last + Int64(count)
            return last + 1
        }
    }

    func add(_ fields: [StoredField], to recordType: Record.RecordType) {
        view.withLock { view in
            var schema = view.schema
            let added = Dictionary(fields.map { ($0.name, $0.type) }, uniquingKeysWith: { _, last in last })
            schema.recordTypes[recordType, default: [:]].merge(added) { _, last in last }
            view.changes.schema = schema
        }
    }

    func setIndexes(_ indexes: Set<StoredIndex>, of recordType: Record.RecordType) {
        view.withLock { view in
            var schema = view.schema
            schema.indexes[recordType] = indexes.isEmpty ? nil : indexes
            view.changes.schema = schema
        }
    }

    func insert(_ records: [StoredRecord]) {
        put(records)
    }

    func update(_ records: [StoredRecord]) {
        put(records)
    }

    func remove(_ ids: [RecordID]) {
        view.withLock { view in
            for id in ids { view.changes.records[id] = .some(nil) }
        }
    }

    private func put(_ records: [StoredRecord]) {
        view.withLock { view in
            for record in records { view.changes.records[record.recordID] = record }
        }
    }
}
