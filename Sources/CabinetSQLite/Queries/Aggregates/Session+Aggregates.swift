import Cabinet

/// Aggregates in SQL where SQL can compute them, and as the core computes them for any store where it cannot.
extension Session {
    func value(
        of aggregate: Aggregate, over key: Record.FieldKey, matching plan: QueryPlan
    ) async throws -> FieldValue? {
        if let value = try use({ try $0.value(of: aggregate, over: key, matching: plan) }) { return value }
        return try await PlainSnapshot(session: self).value(of: aggregate, over: key, matching: plan)
    }

    func counts(by key: Record.FieldKey, matching plan: QueryPlan) async throws -> [ValueCount] {
        if let counts = try use({ try $0.counts(by: key, matching: plan) }) { return counts }
        return try await PlainSnapshot(session: self).counts(by: key, matching: plan)
    }
}

/// A snapshot that leaves to the core what the core can do.
private struct PlainSnapshot: StorageSnapshot {
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

    func references(to ids: [RecordID]) throws -> [StoredReference] {
        try session.use { try $0.references(to: ids) }
    }

    func schema() throws -> StoredSchema {
        try session.use { $0.catalog.schema }
    }
}
