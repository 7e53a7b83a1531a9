import Cabinet

/// What a write of a ``SQLiteBackend`` sees and changes.
struct SQLiteTransaction: StorageTransaction {
    let session: Session

    func records(for ids: [RecordID], keys: [Record.FieldKey]?) throws -> [StoredRecord?] {
        try session.use { connection in
            try connection.records(for: ids, keys: keys) { location in
                guard let id = location.stored?.recordID else { return }
                connection.writeState.locations[id] = location
            }
        }
    }

    func records(matching plan: QueryPlan) throws -> [StoredRecord] {
        try session.use { try $0.records(matching: plan) }
    }

    func count(matching plan: QueryPlan) throws -> Int {
        try session.use { try $0.count(matching: plan) }
    }

    func value(of aggregate: Aggregate, over key: Record.FieldKey, matching plan: QueryPlan) async throws -> FieldValue?
    {
        try await session.value(of: aggregate, over: key, matching: plan)
    }

    func counts(by key: Record.FieldKey, matching plan: QueryPlan) async throws -> [ValueCount] {
        try await session.counts(by: key, matching: plan)
    }

    func explanation(of plan: QueryPlan) throws -> QueryExplanation {
        try session.use { try $0.explanation(of: plan) }
    }

    func references(to ids: [RecordID]) throws -> [StoredReference] {
        try session.use { connection in
            try connection.references(to: ids) { source, location in
                if connection.writeState.locations[source] == nil { connection.writeState.locations[source] = location }
            }
        }
    }

    func schema() throws -> StoredSchema {
        try session.use { $0.catalog.schema }
    }

    func reserveSequenceNumbers(_ count: Int) throws -> Int64 {
        try session.change { connection in
            try connection.createLayout()
            return try connection.reserveSequenceNumbers(count)
        }
    }

    func add(_ fields: [StoredField], to recordType: Record.RecordType) throws {
        try session.change { connection in
            try connection.createLayout()
            try connection.add(fields, to: recordType)
        }
    }

    func setIndexes(_ indexes: Set<StoredIndex>, of recordType: Record.RecordType) throws {
        try session.change { try $0.setIndexes(indexes, of: recordType) }
    }

    func insert(_ records: [StoredRecord]) throws {
        try session.change { try $0.insert(records) }
    }

    func update(_ records: [StoredRecord]) throws {
        try session.change { try $0.update(records) }
    }

    func remove(_ ids: [RecordID]) throws {
        try session.change { try $0.remove(ids) }
    }
}
