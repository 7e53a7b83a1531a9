import Cabinet
@testable import CabinetCloudKit
import CabinetPostgres
import Foundation
import PostgresTestSupport
import Synchronization
import Testing

@Suite("The setting of the store")
struct SettingTests {
    @Test("CABINET_STORE names a folder, and other texts are refused without their password")
    func texts() throws {
        #expect(StoreSetting(nil) == .memory && StoreSetting("") == .memory)
        #expect(StoreSetting("/var/lib/x") == .folder(URL(fileURLWithPath: "/var/lib/x", isDirectory: true)))
        #expect(StoreSetting("file:///var/lib/x") == .folder(try #require(URL(string: "file:///var/lib/x"))))
        #expect(StoreSetting("https://a.example") == .server(try #require(URL(string: "https://a.example"))))
        let server = StoreSetting("postgresql://user:secret@host/db")
        do {
            _ = try server.factory(StoreSchemes())("a", .init())
            Issue.record("A server was opened.")
        } catch let error as CabinetError {
            #expect(error.code == .badContainer && !error.message.contains("secret"))
            #expect(error.message.contains("CabinetCloudKit.registerStore"))
        }
    }

    @Test("a member without an effect is reported once")
    func ignoredMembers() {
        let member = "test-\(UUID().uuidString)"
        #expect(IgnoredMember.warn(member, "a test") && !IgnoredMember.warn(member, "a test"))
        CKModifyRecordsOperation().isLongLived = true
        #expect(!IgnoredMember.warn("CKOperation.isLongLived", "an operation ends with its program"))
        CKNotificationInfo(alertBody: "x").soundName = "y"
        #expect(
            !IgnoredMember.warn("CKNotificationInfo.alertBody", "")
                && !IgnoredMember.warn("CKNotificationInfo.soundName", ""))
    }

    @Test("a registered scheme opens one store for all containers, with the whole location")
    func schemes() async throws {
        let locations = Mutex<[String]>([])
        let schemes = StoreSchemes()
        schemes.register(["postgres", "PostgreSQL"]) { location in
            locations.withLock { $0.append(location) }
            return MemoryBackend()
        }
        let setting = StoreSetting("postgresql://user:secret@host/db")
        let registry = ContainerRegistry()
        registry.configure(.init(), setting.factory(schemes))
        let again = ContainerRegistry()
        again.configure(.init(), setting.factory(schemes))
        let record = CKRecord(recordType: "Items")
        try await CKContainer(identifier: "iCloud.a", registry: registry).privateCloudDatabase.save(record)
        _ = try await CKContainer(identifier: "iCloud.b", registry: registry).privateCloudDatabase.allRecordZones()
        let same = CKContainer(identifier: "iCloud.a", registry: again).privateCloudDatabase
        #expect(try await same.record(for: record.recordID) == record)
        #expect(locations.withLock { $0 } == ["postgresql://user:secret@host/db"])
    }

    @Test("the URL of a server keeps the records of every container there, once its scheme is registered")
    func server() async throws {
        let url = try await PostgresServer.shared.value.connection()
        let schema = "cloudkit-\(UUID().uuidString)"
        CabinetCloudKit.registerStore(schemes: ["postgres", "postgresql"]) { location in
            try PostgresBackend(
                connection: location, configuration: PostgresConfiguration(schema: schema, maximumConnections: 4))
        }
        let registry = ContainerRegistry()
        registry.configure(.init(), StoreSetting(url).makeBackend)
        let database = CKContainer(identifier: "iCloud.server", registry: registry).privateCloudDatabase
        let (list, item) = (CKRecord(recordType: "Lists"), CKRecord(recordType: "Items"))
        list["name"] = "Groceries"
        item["name"] = "Milk"
        item["list"] = CKRecord.Reference(record: list, action: .deleteSelf)
        _ = try await database.modifyRecords(saving: [list, item], deleting: [])
        #expect(item.recordChangeTag != nil)
        let query = CKQuery(recordType: "Items", predicate: NSPredicate(format: "list == %@", list))
        #expect(try await database.records(matching: query).matchResults.map { try $0.1.get() } == [item])

        // Another connection finds the record, and so does another container, because all share the store.
        let backend = try PostgresBackend(
            connection: url, configuration: PostgresConfiguration(schema: schema, maximumConnections: 2))
        let again = CKContainer(identifier: "iCloud.server", backend: backend).privateCloudDatabase
        #expect(try await again.record(for: item.recordID)["name"] as? String == "Milk")
        let other = CKContainer(identifier: "iCloud.other", registry: registry).privateCloudDatabase
        #expect(try await other.record(for: item.recordID) == item)
        try await again.deleteRecord(withID: list.recordID)
        #expect(await code { try await database.record(for: item.recordID) } == .unknownItem)
        await backend.close()
    }

    @Test("a folder has a store for each container, whose records survive")
    func folder() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        func container(_ identifier: String) -> CKContainer {
            let registry = ContainerRegistry()
            registry.configure(.init(), StoreSetting.folder(folder).makeBackend)
            return CKContainer(identifier: identifier, registry: registry)
        }
        let record = CKRecord(recordType: "Items")
        let first = container("iCloud.a")
        try await first.privateCloudDatabase.save(record)
        try await CabinetCloudKit.container(of: first).close()
        let again = container("iCloud.a")
        #expect(try await again.privateCloudDatabase.record(for: record.recordID) == record)
        let other = container("iCloud.b")
        #expect(await code { try await other.privateCloudDatabase.record(for: record.recordID) } == .unknownItem)
        try await CabinetCloudKit.container(of: again).close()
        try await CabinetCloudKit.container(of: other).close()
    }

    @Test("a closure that opens a store uses other containers, and fails if it uses the one that it opens")
    func nested() throws {
        let registry = ContainerRegistry()
        let opened = Mutex<[String]>([])
        registry.configure(.init()) { identifier, options in
            opened.withLock { $0.append(identifier) }
            let other = ["iCloud.a": "iCloud.b", "iCloud.c": "iCloud.c"][identifier]
            if let other { _ = try registry.open(other) }
            return try Container(identifier, over: MemoryBackend(), options)
        }
        for _ in 0..<2 { #expect(try registry.open("iCloud.a").container.containerIdentifier == "iCloud.a") }
        #expect(opened.withLock { $0 } == ["iCloud.a", "iCloud.b"])
        let error = #expect(throws: CKError.self) { try registry.open("iCloud.c") }
        #expect(error?.code == .badContainer)
    }

    @Test("a malformed identifier fails at the first request")
    func identifiers() async {
        let container = CKContainer(identifier: "no spaces allowed", backend: MemoryBackend())
        #expect(await code { try await container.accountStatus() } == .badContainer)
        #expect(await code { try await container.privateCloudDatabase.allRecordZones() } == .badContainer)
    }

    @Test("notifications of subscriptions reach another device, as dictionaries too", .timeLimit(.minutes(15)))
    func notifications() async throws {
        let backend = MemoryBackend()
        let devices = (0..<2).map { _ in CKContainer(identifier: "iCloud.push", backend: backend) }
        let subscription = CKQuerySubscription(
            recordType: "Items", predicate: NSPredicate(format: "count > 1"), subscriptionID: "many",
            options: [.firesOnRecordCreation])
        subscription.notificationInfo = .init(desiredKeys: ["name"], shouldSendContentAvailable: true)
        let first = CKRecord(recordType: "Items")
        first["count"] = 1
        try await devices[0].privateCloudDatabase.save(first)
        try await devices[0].privateCloudDatabase.save(subscription)
        let record = CKRecord(recordType: "Items")
        record["name"] = "Milk"
        record["count"] = 2
        try await devices[1].privateCloudDatabase.save(record)
        for try await notification in CabinetCloudKit.notifications(of: devices[0]) {
            let query = try #require(notification as? CKQueryNotification)
            #expect(query.recordID == record.recordID && query.queryNotificationReason == .recordCreated)
            #expect(query.recordFields?["name"] as? String == "Milk" && query.subscriptionID == "many")
            let dictionary = notification.remoteNotificationDictionary
            let read = CKNotification(fromRemoteNotificationDictionary: dictionary)
            #expect((read as? CKQueryNotification)?.recordID == record.recordID && read?.notificationType == .query)
            #expect(CKDatabaseNotification(fromRemoteNotificationDictionary: dictionary) == nil)
            #expect(CKQueryNotification(fromRemoteNotificationDictionary: dictionary)?.recordID == record.recordID)
            break
        }
        let stored = try await devices[1].privateCloudDatabase.subscription(for: "many")
        #expect(stored == subscription && stored.notificationInfo?.desiredKeys == ["name"])
        #expect(CKNotification(fromRemoteNotificationDictionary: ["aps": 1]) == nil)
    }

    @Test(
        "notifications continue after a token, without what the same device changed before it started again",
        .timeLimit(.minutes(15)))
    func notificationsAfterRestart() async throws {
        let backend = MemoryBackend()
        func container(_ deviceID: String) -> CKContainer {
            CKContainer(identifier: "iCloud.restart", backend: backend, options: .init(deviceID: deviceID))
        }
        func create(_ name: String, on deviceID: String) async throws {
            let record = CKRecord(recordType: "Items", recordID: CKRecord.ID(recordName: name))
            try await container(deviceID).privateCloudDatabase.save(record)
        }
        func names(_ count: Int, since token: NotificationToken? = nil, own: Bool = false) async throws -> [String] {
            var names: [String] = []
            let notifications = CabinetCloudKit.notifications(
                of: container("phone"), since: token, includingOwnChanges: own)
            for try await notification in notifications {
                names.append((notification as? CKQueryNotification)?.recordID?.recordName ?? "-")
                if names.count == count { break }
            }
            return names
        }
        try await create("first", on: "phone")
        let subscription = CKQuerySubscription(
            recordType: "Items", predicate: NSPredicate(value: true), subscriptionID: "all",
            options: [.firesOnRecordCreation])
        try await container("phone").privateCloudDatabase.save(subscription)
        try await create("own", on: "phone")
        try await create("a", on: "tablet")
        try await create("b", on: "tablet")
        var iterator = CabinetCloudKit.notifications(of: container("phone")).makeAsyncIterator()
        let first = try #require(try await iterator.next(isolation: #isolation))
        #expect((first as? CKQueryNotification)?.recordID?.recordName == "a")
        #expect(try await names(1, since: first.token) == ["b"])
        #expect(try await names(2) == ["a", "b"])
        #expect(try await names(3, own: true) == ["own", "a", "b"])
    }

    @Test("notifications of a container that cannot be opened are an error of CloudKit")
    func notificationErrors() async {
        let container = CKContainer(identifier: "no spaces allowed", backend: MemoryBackend())
        let error = await code {
            for try await _ in CabinetCloudKit.notifications(of: container) {}
        }
        #expect(error == .badContainer)
    }
}
