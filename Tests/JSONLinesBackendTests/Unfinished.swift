import Cabinet
import Foundation

// What is not written yet. Delete a function when its own is there, and the file when it is empty.

func unfinished(_ name: String = #function) -> CabinetError {
    CabinetError(.internalError, "\(name) is not written yet.")
}

extension StorageSnapshot {
    func references(to ids: [RecordID]) async throws -> [StoredReference] { throw unfinished() }
    func zones(for ids: Set<RecordZone.ID>?) async throws -> [StoredZone] { throw unfinished() }
    func changes(
        inZone zoneID: RecordZone.ID, after number: Int64, limit: Int, keys: [Record.FieldKey]?
    ) async throws -> [StoredChange] { throw unfinished() }
    func zoneChanges(after number: Int64, limit: Int) async throws -> [StoredZoneChange] { throw unfinished() }
    // Every write asks for them; nobody has any yet.
    func subscriptions(of userName: String?) async throws -> [StoredSubscription] { [] }
    func notifications(to userName: String, after number: Int64, limit: Int) async throws -> [StoredNotification] {
        throw unfinished()
    }
    func notificationExpirationNumber(of userName: String) async throws -> Int64 { throw unfinished() }
}

extension StorageTransaction {
    func add(_ zones: [StoredZone]) async throws { throw unfinished() }
    func removeZones(_ ids: [RecordZone.ID], sequenceNumber: Int64) async throws { throw unfinished() }
    func markZones(_ ids: [RecordZone.ID], sequenceNumber: Int64) async throws { throw unfinished() }
    func forgetDeletions(inZone zoneID: RecordZone.ID, before date: Date, keepingLast count: Int) async throws {
        throw unfinished()
    }
    func put(_ subscriptions: [StoredSubscription]) async throws { throw unfinished() }
    func removeSubscriptions(_ ids: [Subscription.ID], of userName: String) async throws { throw unfinished() }
    func post(_ notifications: [StoredNotification]) async throws { throw unfinished() }
    func forgetNotifications(to userName: String, before date: Date, keepingLast count: Int) async throws {
        throw unfinished()
    }
}
