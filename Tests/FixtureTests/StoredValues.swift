import Cabinet
import Foundation
import StorageTestSupport
import Synchronization

/// The values that programs keep between runs, as they are encoded.
struct StoredValues: Codable {
    var databaseToken: ServerChangeToken
    var zoneToken: ServerChangeToken
    var notificationToken: NotificationToken
    var cursor: Query.Cursor
    var engineState: SyncEngine.State.Serialization
    var subscription: Subscription
    var notification: SubscriptionNotification
    var filter: Filter
    var record: Record

    private static let items = Query(recordType: "Items", sortedBy: ["name"])

    /// Takes values in the middle of the steps.
    init(_ container: Container) async throws {
        let database = container.privateDatabase
        databaseToken = try await database.databaseChanges(since: nil).changeToken
        zoneToken = try await database.recordZoneChanges(inZoneWith: .default, since: nil).changeToken
        let notifications = try await container.fetchNotifications(since: nil, includingOwnChanges: true)
        notificationToken = notifications.token
        let page = try await database.records(matching: Self.items, resultsLimit: 2)
        guard let cursor = page.queryCursor, let notification = notifications.notifications.first,
            let subscription = try await database.allSubscriptions().first
        else { throw CocoaError(.coderValueNotFound) }
        self.cursor = cursor
        self.notification = notification
        self.subscription = subscription
        filter = try Filter("name BEGINSWITH[cd] %@ AND NOT number IN {1, 2} OR ANY list.name == 'x'", "It")
        record = try await database.record(for: RecordID(recordName: "item-1"))
        let device = Device(database)
        device.engine.state.add(pendingRecordZoneChanges: [.saveRecord(RecordID(recordName: "pending"))])
        try await device.engine.fetchChanges()
        engineState = try device.state.withLock(\.self) ?? { throw CocoaError(.coderValueNotFound) }()
    }

    /// Uses the values in a store, and returns the answers in lines.
    func answers(of container: Container) async throws -> [String] {
        let database = container.privateDatabase
        var lines: [String] = []
        func add(_ name: String, _ names: [String]) {
            lines.append("\(name): \(names.sorted().joined(separator: ", "))")
        }
        let zones = try await database.databaseChanges(since: databaseToken)
        add(
            "changed zones",
            zones.modifications.map(\.zoneID.zoneName) + zones.deletions.map { "-" + $0.zoneID.zoneName })
        let changes = try await database.recordZoneChanges(inZoneWith: .default, since: zoneToken)
        add("changed records", changes.modificationResultsByID.keys.map(\.recordName))
        add("deleted records", changes.deletions.map(\.recordID.recordName))
        let notifications = try await container.fetchNotifications(since: notificationToken, includingOwnChanges: true)
        add("notifications", notifications.notifications.map { $0.event.line })
        add("an old notification", ["\(notification.subscriptionID) \(notification.event.line)"])
        let page = try await database.records(continuingMatchFrom: cursor)
        add("after the cursor", page.matchResults.map(\.0.recordName))
        add("filter", [filter.description])
        if case .query(let query) = subscription { add("subscription", [query.subscriptionID, "\(query.filter)"]) }
        add("record", record.allKeys().map { "\($0)=\(record[$0].map { "\($0)" } ?? "nil")" })
        let device = Device(database, engineState)
        add("pending", device.engine.state.pendingRecordZoneChanges.map { "\($0)" })
        try await device.engine.fetchChanges()
        add("fetched", device.fetched.withLock(\.self))
        // A record of that time is saved where it is unchanged, and conflicts where it is not.
        var edited = record
        edited["name"] = "edited"
        do {
            try await database.save(edited)
            add("saved", [edited.recordID.recordName])
        } catch let error as CabinetError {
            add("not saved", ["\(error.code)"])
        }
        return lines
    }
}

/// A device that fetches.
private final class Device: SyncEngineDelegate {
    let state = Mutex<SyncEngine.State.Serialization?>(nil)
    let fetched = Mutex<[String]>([])
    private let link = Mutex<SyncEngine?>(nil)

    var engine: SyncEngine {
        link.withLock { engine in
            guard let engine else { preconditionFailure("The initializer creates it.") }
            return engine
        }
    }

    init(_ database: Database, _ state: SyncEngine.State.Serialization? = nil) {
        let engine = SyncEngine(
            SyncEngine.Configuration(
                database: database, stateSerialization: state, delegate: self, automaticallySync: false))
        link.withLock { $0 = engine }
    }

    func handleEvent(_ event: SyncEngine.Event, syncEngine: SyncEngine) async {
        if case .stateUpdate(let update) = event { state.withLock { $0 = update.stateSerialization } }
        if case .fetchedRecordZoneChanges(let changes) = event {
            fetched.withLock {
                $0 += changes.modifications.map(\.record.recordID.recordName)
                $0 += changes.deletions.map { "-" + $0.recordID.recordName }
            }
        }
    }

    func nextRecordZoneChangeBatch(
        _ context: SyncEngine.SendChangesContext, syncEngine: SyncEngine
    ) async -> SyncEngine.RecordZoneChangeBatch? { nil }
}
