import Cabinet

/// What a read of a ``SQLiteBackend`` sees: one state of a file.
struct SQLiteSnapshot: SQLiteReading {
    let session: Session
}

/// What reads and writes see alike.
///
/// The protocol's requirements are asynchronous and these methods are not: they run at once, on the thread of the
/// connection.
protocol SQLiteReading: StorageSnapshot {
    var session: Session { get }
}

extension SQLiteReading {
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

    func zones(for ids: Set<RecordZone.ID>?) throws -> [StoredZone] {
        try session.use { try $0.zones(for: ids) }
    }

    func lastSequenceNumber() throws -> Int64 {
        try session.use { try $0.lastSequenceNumber() }
    }

    func timelines(of numbers: [Int64]) throws -> [Int64?] {
        try session.use { try $0.timelines(of: numbers) }
    }

    func changes(
        inZone zoneID: RecordZone.ID, after number: Int64, limit: Int, keys: [Record.FieldKey]?
    ) throws -> [StoredChange] {
        try session.use { try $0.changes(inZone: zoneID, after: number, limit: limit, keys: keys) }
    }

    func zoneChanges(after number: Int64, limit: Int) throws -> [StoredZoneChange] {
        try session.use { try $0.zoneChanges(after: number, limit: limit) }
    }

    func schema() throws -> StoredSchema {
        try session.use { $0.catalog.schema }
    }

    func subscriptions(of userName: String?) throws -> [StoredSubscription] {
        try session.use { try $0.subscriptions(of: userName) }
    }

    func notifications(to userName: String, after number: Int64, limit: Int) throws -> [StoredNotification] {
        try session.use { try $0.notifications(to: userName, after: number, limit: limit) }
    }

    func notificationExpirationNumber(of userName: String) throws -> Int64 {
        try session.use { try $0.notificationExpirationNumber(of: userName) }
    }

    func damages(limit: Int) throws -> [StoredDamage] {
        try session.use { try $0.damages(limit: limit) }
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

    func zones(for ids: Set<RecordZone.ID>?) -> [StoredZone] { [] }

    func lastSequenceNumber() -> Int64 { 0 }

    func changes(
        inZone zoneID: RecordZone.ID, after number: Int64, limit: Int, keys: [Record.FieldKey]?
    ) -> [StoredChange] { [] }

    func zoneChanges(after number: Int64, limit: Int) -> [StoredZoneChange] { [] }

    func schema() -> StoredSchema { StoredSchema() }

    func subscriptions(of userName: String?) -> [StoredSubscription] { [] }

    func notifications(to userName: String, after number: Int64, limit: Int) -> [StoredNotification] { [] }

    func notificationExpirationNumber(of userName: String) -> Int64 { 0 }
}
