import Cabinet
import Foundation

/// A snapshot in the clothes of a transaction, so that one kind of view serves both.
struct ReadOnlyTransaction: StorageTransaction {
    let snapshot: any StorageSnapshot

    func records(for ids: [RecordID], keys: [Record.FieldKey]?) async throws -> [StoredRecord?] {
        try await snapshot.records(for: ids, keys: keys)
    }

    func records(matching plan: QueryPlan) async throws -> [StoredRecord] { try await snapshot.records(matching: plan) }

    func count(matching plan: QueryPlan) async throws -> Int { try await snapshot.count(matching: plan) }

    func value(
        of aggregate: Aggregate, over key: Record.FieldKey, matching plan: QueryPlan
    ) async throws -> FieldValue? {
        try await snapshot.value(of: aggregate, over: key, matching: plan)
    }

    func counts(by key: Record.FieldKey, matching plan: QueryPlan) async throws -> [ValueCount] {
        try await snapshot.counts(by: key, matching: plan)
    }

    func explanation(of plan: QueryPlan) async throws -> QueryExplanation { try await snapshot.explanation(of: plan) }

    func references(to ids: [RecordID]) async throws -> [StoredReference] { try await snapshot.references(to: ids) }

    func zones(for ids: Set<RecordZone.ID>?) async throws -> [StoredZone] { try await snapshot.zones(for: ids) }

    func lastSequenceNumber() async throws -> Int64 { try await snapshot.lastSequenceNumber() }

    func timelines(of numbers: [Int64]) async throws -> [Int64?] { try await snapshot.timelines(of: numbers) }

    func changes(
        inZone zoneID: RecordZone.ID, after number: Int64, limit: Int, keys: [Record.FieldKey]?
    ) async throws -> [StoredChange] {
        try await snapshot.changes(inZone: zoneID, after: number, limit: limit, keys: keys)
    }

    func zoneChanges(after number: Int64, limit: Int) async throws -> [StoredZoneChange] {
        try await snapshot.zoneChanges(after: number, limit: limit)
    }

    func schema() async throws -> StoredSchema { try await snapshot.schema() }

    func subscriptions(of userName: String?) async throws -> [StoredSubscription] {
        try await snapshot.subscriptions(of: userName)
    }

    func notifications(
        to userName: String, after number: Int64, limit: Int
    ) async throws -> [StoredNotification] {
        try await snapshot.notifications(to: userName, after: number, limit: limit)
    }

    func notificationExpirationNumber(of userName: String) async throws -> Int64 {
        try await snapshot.notificationExpirationNumber(of: userName)
    }

    func put(_ subscriptions: [StoredSubscription]) async throws { throw refusal }

    func removeSubscriptions(_ ids: [Subscription.ID], of userName: String) async throws { throw refusal }

    func post(_ notifications: [StoredNotification]) async throws { throw refusal }

    func forgetNotifications(to userName: String, before date: Date, keepingLast count: Int) async throws {
        throw refusal
    }

    func reserveSequenceNumbers(_ count: Int) async throws -> Int64 { throw refusal }

    func add(_ fields: [StoredField], to recordType: Record.RecordType) async throws { throw refusal }

    func setIndexes(_ indexes: Set<StoredIndex>, of recordType: Record.RecordType) async throws { throw refusal }

    func insert(_ records: [StoredRecord]) async throws { throw refusal }

    func update(_ records: [StoredRecord]) async throws { throw refusal }

    func remove(_ ids: [RecordID], firstSequenceNumber: Int64, date: Date) async throws { throw refusal }

    func markZones(_ ids: [RecordZone.ID], sequenceNumber: Int64) async throws { throw refusal }

    func forgetDeletions(inZone zoneID: RecordZone.ID, before date: Date, keepingLast count: Int) async throws {
        throw refusal
    }

    func add(_ zones: [StoredZone]) async throws { throw refusal }

    func removeZones(_ ids: [RecordZone.ID], sequenceNumber: Int64) async throws { throw refusal }

    private var refusal: CabinetError { CabinetError(.internalError, "A snapshot cannot be written to.") }
}
