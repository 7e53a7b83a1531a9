import Cabinet

/// What a write sees.
///
/// The protocol's requirements are asynchronous and these methods are not: they run at once, on the thread of the
/// connection.
extension PostgresTransaction: ForeseeingTransaction {
    func foresee(_ ids: [RecordID]) throws {
        try session.use(isGuessing: true) { $0.write?.foreseen.expect(ids) }
    }

    func records(for ids: [RecordID], keys: [Record.FieldKey]?) throws -> [StoredRecord?] {
        try session.use(isGuessing: true) { try $0.records(for: ids, keys: keys) }
    }

    func records(matching plan: QueryPlan) throws -> [StoredRecord] {
        try session.use(isGuessing: true) { try $0.records(matching: plan) }
    }

    func count(matching plan: QueryPlan) throws -> Int {
        try session.use(isGuessing: true) { try $0.count(matching: plan) }
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
        try session.use(isGuessing: true) { try $0.references(to: ids) }
    }

    func zones(for ids: Set<RecordZone.ID>?) throws -> [StoredZone] {
        try session.use(isGuessing: true) { try $0.zones(for: ids) }
    }

    func lastSequenceNumber() throws -> Int64 {
        try session.use { $0.row?.sequence ?? 0 }
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
        try session.use(isGuessing: true) { $0.catalog.schema }
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
}
