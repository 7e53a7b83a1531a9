import Cabinet
import Foundation

/// A transaction each of whose calls is a transaction of its own.
struct AutocommitTransaction: StorageTransaction {
    let backend: MemoryBackend
    let database: DatabaseKey

    private func read<Result: Sendable>(
        _ body: @escaping @Sendable (any StorageSnapshot) async throws -> Result
    ) async throws -> Result {
        // Others get their turn, as they do where a call takes time.
        for _ in 0..<3 { await Task.yield() }
        return try await backend.read(database, body)
    }

    private func write<Result: Sendable>(
        _ body: @escaping @Sendable (any StorageTransaction) async throws -> Result
    ) async throws -> Result {
        for _ in 0..<3 { await Task.yield() }
        return try await backend.write(database, body)
    }

    func records(for ids: [RecordID], keys: [Record.FieldKey]?) async throws -> [StoredRecord?] {
        try await read { try await $0.records(for: ids, keys: keys) }
    }

    func records(matching plan: QueryPlan) async throws -> [StoredRecord] {
        try await read { try await $0.records(matching: plan) }
    }

    func count(matching plan: QueryPlan) async throws -> Int {
        try await read { try await $0.count(matching: plan) }
    }

    func value(
        of aggregate: Aggregate, over key: Record.FieldKey, matching plan: QueryPlan
    ) async throws -> FieldValue? {
        try await read { try await $0.value(of: aggregate, over: key, matching: plan) }
    }

    func counts(by key: Record.FieldKey, matching plan: QueryPlan) async throws -> [ValueCount] {
        try await read { try await $0.counts(by: key, matching: plan) }
    }

    func explanation(of plan: QueryPlan) async throws -> QueryExplanation {
        try await read { try await $0.explanation(of: plan) }
    }

    func references(to ids: [RecordID]) async throws -> [StoredReference] {
        try await read { try await $0.references(to: ids) }
    }

    func zones(for ids: Set<RecordZone.ID>?) async throws -> [StoredZone] {
        try await read { try await $0.zones(for: ids) }
    }

    func lastSequenceNumber() async throws -> Int64 {
        try await read { try await $0.lastSequenceNumber() }
    }

    func timelines(of numbers: [Int64]) async throws -> [Int64?] {
        try await read { try await $0.timelines(of: numbers) }
    }

    func changes(
        inZone zoneID: RecordZone.ID, after number: Int64, limit: Int, keys: [Record.FieldKey]?
    ) async throws -> [StoredChange] {
        try await read {
            try await $0.changes(inZone: zoneID, after: number, limit: limit, keys: keys)
        }
    }

    func zoneChanges(after number: Int64, limit: Int) async throws -> [StoredZoneChange] {
        try await read { try await $0.zoneChanges(after: number, limit: limit) }
    }

    func schema() async throws -> StoredSchema {
        try await read { try await $0.schema() }
    }

    func subscriptions(of userName: String?) async throws -> [StoredSubscription] {
        try await read { try await $0.subscriptions(of: userName) }
    }

    func notifications(
        to userName: String, after number: Int64, limit: Int
    ) async throws -> [StoredNotification] {
        try await read { try await $0.notifications(to: userName, after: number, limit: limit) }
    }

    func notificationExpirationNumber(of userName: String) async throws -> Int64 {
        try await read { try await $0.notificationExpirationNumber(of: userName) }
    }

    func put(_ subscriptions: [StoredSubscription]) async throws {
        try await write { try await $0.put(subscriptions) }
    }

    func removeSubscriptions(_ ids: [Subscription.ID], of userName: String) async throws {
        try await write { try await $0.removeSubscriptions(ids, of: userName) }
    }

    func post(_ notifications: [StoredNotification]) async throws {
        try await write { try await $0.post(notifications) }
    }

    func forgetNotifications(to userName: String, before date: Date, keepingLast count: Int) async throws {
        try await write {
            try await $0.forgetNotifications(to: userName, before: date, keepingLast: count)
        }
    }

    func reserveSequenceNumbers(_ count: Int) async throws -> Int64 {
        try await write { try await $0.reserveSequenceNumbers(count) }
    }

    func add(_ fields: [StoredField], to recordType: Record.RecordType) async throws {
        try await write { try await $0.add(fields, to: recordType) }
    }

    func setIndexes(_ indexes: Set<StoredIndex>, of recordType: Record.RecordType) async throws {
        try await write { try await $0.setIndexes(indexes, of: recordType) }
    }

    func insert(_ records: [StoredRecord]) async throws {
        try await write { try await $0.insert(records) }
    }

    func update(_ records: [StoredRecord]) async throws {
        try await write { try await $0.update(records) }
    }

    func remove(_ ids: [RecordID], firstSequenceNumber: Int64, date: Date) async throws {
        try await write {
            try await $0.remove(ids, firstSequenceNumber: firstSequenceNumber, date: date)
        }
    }

    func markZones(_ ids: [RecordZone.ID], sequenceNumber: Int64) async throws {
        try await write { try await $0.markZones(ids, sequenceNumber: sequenceNumber) }
    }

    func forgetDeletions(inZone zoneID: RecordZone.ID, before date: Date, keepingLast count: Int) async throws {
        try await write {
            try await $0.forgetDeletions(inZone: zoneID, before: date, keepingLast: count)
        }
    }

    func add(_ zones: [StoredZone]) async throws {
        try await write { try await $0.add(zones) }
    }

    func removeZones(_ ids: [RecordZone.ID], sequenceNumber: Int64) async throws {
        try await write { try await $0.removeZones(ids, sequenceNumber: sequenceNumber) }
    }
}
