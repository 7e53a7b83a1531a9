import Cabinet

/// What a read of a ``SQLiteBackend`` sees: one state of a file.
///
/// The protocol's requirements are asynchronous and these methods are not: they run at once, on the thread of the
/// connection.
struct SQLiteSnapshot: StorageSnapshot {
    let session: Session

    func records(for ids: [RecordID], keys: [Record.FieldKey]?) throws -> [StoredRecord?] {
        try session.use { try $0.records(for: ids, keys: keys) }
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
        try session.use { try $0.references(to: ids) }
    }

    func schema() throws -> StoredSchema {
        try session.use { $0.catalog.schema }
    }
}

/// What a read of a file that does not exist sees.
struct EmptySnapshot: StorageSnapshot {
    func records(for ids: [RecordID], keys: [Record.FieldKey]?) -> [StoredRecord?] {
        Array(repeating: nil, count: ids.count)
    }

    func records(matching plan: QueryPlan) throws -> [StoredRecord] {
        // A plan that makes no sense fails alike, with and without records.
        try plan.validate()
        return []
    }

    func count(matching plan: QueryPlan) throws -> Int {
        try plan.validate()
        return 0
    }

    func explanation(of plan: QueryPlan) throws -> QueryExplanation {
        try plan.validate()
        return QueryExplanation(pushedDown: plan.filter, evaluated: nil, access: [.nothing], ordering: .byIndex)
    }

    func references(to ids: [RecordID]) -> [StoredReference] { [] }

    func schema() -> StoredSchema { StoredSchema() }
}
