import CSQLite
import Cabinet
import Foundation
import Synchronization

@testable import CabinetSQLite

/// A store with items of every kind, to be damaged by hand.
enum DamagedStore {
    static let work = RecordZone.ID(zoneName: "Work")
    static let user = "_user"

    /// A store whose private database is filled, closed, and changed by some statements.
    static func make(items: Int = 40, damagedBy sql: String = "") async throws -> Store {
        let copy = Store()
        try FileManager.default.createDirectory(at: copy.directory, withIntermediateDirectories: true)
        try await file(items: items).write(to: URL(fileURLWithPath: copy.privatePath))
        try copy.damage(sql)
        return copy
    }

    /// The bytes of filled databases, by the number of their items: copying them takes much less time than filling.
    private static let files = Mutex<[Int: Task<Data, any Error>]>([:])

    private static func file(items: Int) async throws -> Data {
        let task = files.withLock { files in
            if let task = files[items] { return task }
            let task = Task {
                let store = Store()
                try await fill(store, items: items)
                await store.backend.close()
                return try Data(contentsOf: URL(fileURLWithPath: store.privatePath))
            }
            files[items] = task
            return task
        }
        return try await task.value
    }

    private static func fill(_ store: Store, items count: Int) async throws {
        let database = try store.container().privateDatabase
        var schema = Schema()
        schema["Items"]["name"] = .init(.string, [.queryable, .sortable, .searchable])
        schema["Items"]["note"] = .init(.string, .searchable)
        schema["Items"]["number"] = .init(.int64, .sortable)
        schema["Items"]["at"] = .init(.location, .queryable)
        schema["Items"].indexes = [["name", "number"]]
        schema["Items"]["code"] = .init(.string)
        schema["Items"].uniqueKeys = [["code"]]
        try await database.apply(schema)
        try await database.save(RecordZone(zoneID: work))
        try await database.save(
            QuerySubscription(
                recordType: "Items", filter: .field("number") >= 0, subscriptionID: "s",
                options: .firesOnRecordCreation))
        for zone in [RecordZone.ID.default, work] {
            let lists = (0..<4).map {
                Record(recordType: "Lists", recordID: RecordID(recordName: "list\($0)", zoneID: zone))
            }
            let items = (0..<count).map { index in
                var item = Record(recordType: "Items", recordID: RecordID(recordName: "item\(index)", zoneID: zone))
                item["name"] = "Item number \(index)"
                item["note"] = index % 2 == 0 ? nil : "Crème \(index)"
                item["number"] = index
                item["code"] = "\(zone.zoneName) \(index)"
                item["list"] = Reference(record: lists[index % 4], action: .deleteSelf)
                item["others"] = (0..<index % 3).map { Reference(record: lists[$0], action: .nullify) }
                item["at"] = Location(latitude: Double(index), longitude: Double(index) / 3)
                if index == 1 { item.setParent(lists[0]) }
                return item
            }
            _ = try await database.modifyRecords(saving: lists + items, deleting: [])
        }
        // Another device, which the subscription notifies of this one's changes.
        try await store.container(deviceID: "other").privateDatabase.deleteRecord(
            withID: RecordID(recordName: "item\(count - 1)"))
    }
}

extension Store {
    var privatePath: String { directory.appendingPathComponent("private-_user.sqlite").path }

    func container(deviceID: String = "device") throws -> Container {
        try Container(
            identifier: "org.cabinet.verification", backend: backend,
            account: Account(userRecordName: DamagedStore.user),
            deviceID: deviceID)
    }

    /// Changes the private database as another program would.
    func damage(_ sql: String) throws {
        guard !sql.isEmpty else { return }
        let handle = try DatabaseHandle(path: privatePath, creates: false)
        BusyHandler(timeout: .seconds(10)).install(on: handle)
        defer { sqlite3_busy_handler(handle.pointer, nil, nil) }
        // The index lacks the values that are written during this definition.
        for part in sql.components(separatedBy: "-- reopen") {
            let handle = try DatabaseHandle(path: privatePath, creates: false)
            try handle.execute(part)
        }
    }
}
