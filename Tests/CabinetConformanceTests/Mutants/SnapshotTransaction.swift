import Cabinet
import Foundation
import Synchronization

/// A transaction that reads what was there when it began, and writes when it ends, unless another one has written the same records
/// since: what databases call snapshot isolation, which is not enough.
final class SnapshotTransaction: StorageTransaction {
    typealias Step = @Sendable (any StorageTransaction) async throws -> Void

    private struct Conflict: Error {}

    let snapshot: any StorageSnapshot
    private let backend: MemoryBackend
    private let database: DatabaseKey
    private let log = Mutex<(steps: [Step], ids: Set<RecordID>)>(([], []))

    private init(_ snapshot: any StorageSnapshot, _ backend: MemoryBackend, _ database: DatabaseKey) {
        self.snapshot = snapshot
        self.backend = backend
        self.database = database
    }

    /// Runs a transaction, until nobody has written the same records meanwhile.
    static func write<Result: Sendable>(
        _ backend: MemoryBackend, _ database: DatabaseKey,
        _ body: @escaping @Sendable (any StorageTransaction) async throws -> Result
    ) async throws -> Result {
        while true {
            do {
                return try await backend.read(database) { snapshot in
                    let transaction = SnapshotTransaction(snapshot, backend, database)
                    let result = try await body(transaction)
                    try await transaction.commit()
                    return result
                }
            } catch is Conflict {}
        }
    }

    private func commit() async throws {
        let (steps, ids) = log.withLock { $0 }
        if steps.isEmpty { return }
        let known = try await snapshot.records(for: Array(ids), keys: [])
        try await backend.write(database) { transaction in
            let found = try await transaction.records(for: Array(ids), keys: [])
            if found.map({ $0?.sequenceNumber }) != known.map({ $0?.sequenceNumber }) { throw Conflict() }
            for step in steps { try await step(transaction) }
        }
    }

    func later(_ ids: [RecordID] = [], _ step: @escaping Step) {
        log.withLock { log in
            log.steps.append(step)
            log.ids.formUnion(ids)
        }
    }

    func reserveSequenceNumbers(_ count: Int) async throws -> Int64 {
        try await backend.write(database) { try await $0.reserveSequenceNumbers(count) }
    }

    func records(for ids: [RecordID], keys: [Record.FieldKey]?) async throws -> [StoredRecord?] {
        try await snapshot.records(for: ids, keys: keys)
    }

    func records(matching plan: QueryPlan) async throws -> [StoredRecord] { try await snapshot.records(matching: plan) }

    func count(matching plan: QueryPlan) async throws -> Int { try await snapshot.count(matching: plan) }

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

    func notifications(to userName: String, after number: Int64, limit: Int) async throws -> [StoredNotification] {
        try await snapshot.notifications(to: userName, after: number, limit: limit)
    }

    func notificationExpirationNumber(of userName: String) async throws -> Int64 {
        try await snapshot.notificationExpirationNumber(of: userName)
    }

    func add(_ fields: [StoredField], to recordType: Record.RecordType) async throws {
        later { try await $0.add(fields, to: recordType) }
    }

    func setIndexes(_ indexes: Set<StoredIndex>, of recordType: Record.RecordType) async throws {
        later { try await $0.setIndexes(indexes, of: recordType) }
    }

    func add(_ zones: [StoredZone]) async throws { later { try await $0.add(zones) } }

    func removeZones(_ ids: [RecordZone.ID], sequenceNumber: Int64) async throws {
        later { try await $0.removeZones(ids, sequenceNumber: sequenceNumber) }
    }

    func markZones(_ ids: [RecordZone.ID], sequenceNumber: Int64) async throws {
        later { try await $0.markZones(ids, sequenceNumber: sequenceNumber) }
    }

    func forgetDeletions(inZone zoneID: RecordZone.ID, before date: Date, keepingLast count: Int) async throws {
        later { try await $0.forgetDeletions(inZone: zoneID, before: date, keepingLast: count) }
    }

    func put(_ subscriptions: [StoredSubscription]) async throws { later { try await $0.put(subscriptions) } }

    func removeSubscriptions(_ ids: [Subscription.ID], of userName: String) async throws {
        later { try await $0.removeSubscriptions(ids, of: userName) }
    }

    func post(_ notifications: [StoredNotification]) async throws { later { try await $0.post(notifications) } }

    func forgetNotifications(to userName: String, before date: Date, keepingLast count: Int) async throws {
        later { try await $0.forgetNotifications(to: userName, before: date, keepingLast: count) }
    }

    func insert(_ records: [StoredRecord]) async throws {
        later(records.map(\.recordID)) { try await $0.insert(records) }
    }

    func update(_ records: [StoredRecord]) async throws {
        later(records.map(\.recordID)) { try await $0.update(records) }
    }

    func remove(_ ids: [RecordID], firstSequenceNumber: Int64, date: Date) async throws {
        later(ids) { try await $0.remove(ids, firstSequenceNumber: firstSequenceNumber, date: date) }
    }
}
