import Cabinet
import Foundation

/// What a write of a ``SQLiteBackend`` sees and changes.
struct SQLiteTransaction: StorageTransaction, SQLiteReading {
    let session: Session

    // What a write finds, it may change: it notes where that is.

    func records(for ids: [RecordID], keys: [Record.FieldKey]?) throws -> [StoredRecord?] {
        try session.use { connection in
            var locations: [RecordLocation] = []
            let found = try connection.records(for: ids, keys: keys) { locations.append($0) }
            connection.writeState.note(locations)
            return found
        }
    }

    func references(to ids: [RecordID]) throws -> [StoredReference] {
        try session.use { connection in
            try connection.references(to: ids) { source, location in
                if connection.writeState.locations[source] == nil { connection.writeState.locations[source] = location }
            }
        }
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
