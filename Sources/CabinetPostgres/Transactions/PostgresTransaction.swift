import Cabinet
import Foundation

/// What a write of a ``PostgresBackend`` sees and changes.
struct PostgresTransaction: StorageTransaction {
    let session: Session

    func reserveSequenceNumbers(_ count: Int) throws -> Int64 {
        try session.change { try $0.reserveSequenceNumbers(count) }
    }

    func add(_ fields: [StoredField], to recordType: Record.RecordType) throws {
        try session.change { try $0.add(fields, to: recordType) }
    }

    func setIndexes(_ indexes: Set<StoredIndex>, of recordType: Record.RecordType) throws {
        try session.change { try $0.setIndexes(indexes, of: recordType) }
    }

    func add(_ zones: [StoredZone]) throws {
        try session.change { try $0.add(zones) }
    }

    func removeZones(_ ids: [RecordZone.ID], sequenceNumber: Int64) throws {
        try session.change { try $0.removeZones(ids, sequenceNumber: sequenceNumber) }
    }

    func markZones(_ ids: [RecordZone.ID], sequenceNumber: Int64) throws {
        try session.change { try $0.markZones(ids, sequenceNumber: sequenceNumber) }
    }

    func forgetDeletions(inZone zoneID: RecordZone.ID, before date: Date, keepingLast count: Int) throws {
        try session.change { try $0.forgetDeletions(inZone: zoneID, before: date, keepingLast: count) }
    }

    func put(_ subscriptions: [StoredSubscription]) throws {
        try session.change { try $0.put(subscriptions) }
    }

    func removeSubscriptions(_ ids: [Subscription.ID], of userName: String) throws {
        try session.change { try $0.removeSubscriptions(ids, of: userName) }
    }

    func post(_ notifications: [StoredNotification]) throws {
        try session.change { try $0.post(notifications) }
    }

    func forgetNotifications(to userName: String, before date: Date, keepingLast count: Int) throws {
        try session.change { try $0.forgetNotifications(to: userName, before: date, keepingLast: count) }
    }

    func insert(_ records: [StoredRecord]) throws {
        try session.change { try $0.insert(records) }
    }

    func update(_ records: [StoredRecord]) throws {
        try session.change { try $0.update(records) }
    }

    func remove(_ ids: [RecordID], firstSequenceNumber: Int64, date: Date) throws {
        try session.change { try $0.remove(ids, firstSequenceNumber: firstSequenceNumber, date: date) }
    }
}
