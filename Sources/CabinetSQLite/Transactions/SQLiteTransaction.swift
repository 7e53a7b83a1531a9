import Cabinet
import Foundation

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

    func zones(for ids: Set<RecordZone.ID>?) throws -> [StoredZone] {
        try session.use { try $0.zones(for: ids) }
    }

    func lastSequenceNumber() throws -> Int64 {
        try session.use { try $0.lastSequenceNumber() }
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

    func reserveSequenceNumbers(_ count: Int) throws -> Int64 {
        try change { try $0.reserveSequenceNumbers(count) }
    }

    func add(_ fields: [StoredField], to recordType: Record.RecordType) throws {
        try change { try $0.add(fields, to: recordType) }
    }

    func setIndexes(_ indexes: Set<StoredIndex>, of recordType: Record.RecordType) throws {
        try change { try $0.setIndexes(indexes, of: recordType) }
    }

    func add(_ zones: [StoredZone]) throws {
        try change { try $0.add(zones) }
    }

    func removeZones(_ ids: [RecordZone.ID], sequenceNumber: Int64) throws {
        try change { try $0.removeZones(ids, sequenceNumber: sequenceNumber) }
    }

    func markZones(_ ids: [RecordZone.ID], sequenceNumber: Int64) throws {
        try change { try $0.markZones(ids, sequenceNumber: sequenceNumber) }
    }

    func forgetDeletions(inZone zoneID: RecordZone.ID, before date: Date, keepingLast count: Int) throws {
        try change { try $0.forgetDeletions(inZone: zoneID, before: date, keepingLast: count) }
    }

    func put(_ subscriptions: [StoredSubscription]) throws {
        try change { try $0.put(subscriptions) }
    }

    func removeSubscriptions(_ ids: [Subscription.ID], of userName: String) throws {
        try change { try $0.removeSubscriptions(ids, of: userName) }
    }

    func post(_ notifications: [StoredNotification]) throws {
        try change { try $0.post(notifications) }
    }

    func forgetNotifications(to userName: String, before date: Date, keepingLast count: Int) throws {
        try change { try $0.forgetNotifications(to: userName, before: date, keepingLast: count) }
    }

    func damages(limit: Int) throws -> [StoredDamage] {
        try session.use { try $0.damages(limit: limit) }
    }

    func rebuildIndexes() throws {
        try change { try $0.rebuildIndexes() }
    }

    func insert(_ records: [StoredRecord]) throws {
        try change { try $0.insert(records) }
    }

    func update(_ records: [StoredRecord]) throws {
        try change { try $0.update(records) }
    }

    func remove(_ ids: [RecordID], firstSequenceNumber: Int64, date: Date) throws {
        try change { try $0.remove(ids, firstSequenceNumber: firstSequenceNumber, date: date) }
    }

    /// Changes something in a file whose layout is the newest.
    func change<Output>(_ body: (Connection) throws -> Output) throws -> Output {
        try session.change { connection in
            try connection.createLayout()
            return try body(connection)
        }
    }
}
