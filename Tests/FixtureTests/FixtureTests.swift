import Cabinet
import CabinetTools
import Foundation
import PostgresTestSupport
import StorageTestSupport
import Testing

/// Stores and exports of earlier versions are read, with the tokens, cursors and states that programs keep.
///
/// `CABINET_FIXTURES=sqlite-10 make test FILTER=FixtureTests` writes the fixture of that name first, or `postgres-5`, `export-3`, `values-2` or
/// `renamed-sqlite-10`. That is done once, when a layout or a format begins, and never to a fixture that a release has.
@Suite("Fixtures", .serialized)
struct FixtureTests {
    private static let stores = Fixture.named("sqlite-")
    private static let renamedStores = Fixture.named("renamed-sqlite-")
    private static let exports = Fixture.named("export-")
    private static let keptValues = Fixture.named("values-")

    @Test(
        "Fixtures are written on demand", .enabled(if: ProcessInfo.processInfo.environment["CABINET_FIXTURES"] != nil))
    func writing() async throws {
        for name in ProcessInfo.processInfo.environment["CABINET_FIXTURES", default: ""].split(separator: ",") {
            let fixture = Fixture(description: String(name))
            if name.contains("postgres-") { try await fixture.writeDump() } else { try await fixture.write() }
        }
    }

    @Test("There is a store of each layout, and an export")
    func all() throws {
        let layouts = Fixture.named("sqlite-").map(\.description)
        #expect(layouts == (Fixture.oldestLayout...Fixture.layout).map { "sqlite-\($0)" })
        let postgres = Fixture.named("postgres-").map(\.description)
        #expect(postgres == (Fixture.oldestPostgresLayout...Fixture.postgresLayout).map { "postgres-\($0)" })
        #expect(!Self.exports.isEmpty && !Self.keptValues.isEmpty)
        #expect(!Self.renamedStores.isEmpty && !Fixture.named("renamed-postgres-").isEmpty)
    }

    @Test("Kept values are decoded, and encoded to the same bytes", arguments: keptValues)
    func values(_ fixture: Fixture) throws {
        let data = try Data(contentsOf: fixture.folder.appendingPathComponent("values.json"))
        let values = try CodedValues(data)
        #expect(values.changeTokens.count == 6 && values.cursors.count == 6 && values.notifications.count == 6)
        #expect(try values.data == data)
    }

    @Test("A change token without the account's rights, of an earlier version, expires if the rights matter")
    func tokenWithoutRights() async throws {
        let backend = MemoryBackend()
        let account = Account(userRecordName: "_anna")
        let container = try Container(identifier: "org.cabinet.fixtures", backend: backend, account: account)
        let database = container.publicDatabase
        try await database.save(Record(recordType: "Items"))
        let open = try await database.recordZoneChanges(inZoneWith: .default, since: nil).changeToken
        #expect(!(try await changes(since: try open.withoutRights, database)))
        var schema = Schema(recordTypes: [:], roles: ["Editor"])
        schema["Items"] = .init(grants: ["Editor": [.read], "_icloud": [.create]])
        try await container.apply(schema)
        try await database.save(Record(recordType: "Items"))
        let granted = try await database.recordZoneChanges(inZoneWith: .default, since: nil).changeToken
        #expect(!(try await changes(since: granted, database)))
        let error = await #expect(throws: CabinetError.self) {
            _ = try await changes(since: try granted.withoutRights, database)
        }
        #expect(error?.code == .changeTokenExpired)
    }

    /// Returns whether there are changes since a token.
    private func changes(since token: ServerChangeToken, _ database: Database) async throws -> Bool {
        !(try await database.recordZoneChanges(inZoneWith: .default, since: token).modificationResultsByID.isEmpty)
    }

    @Test(
        "A store is opened, queried, verified and changed, and kept values are valid",
        arguments: stores + renamedStores)
    func store(_ fixture: Fixture) async throws {
        let folder = try TemporaryFolder()
        let store = folder.url.appendingPathComponent("store")
        try FileManager.default.copyItem(at: fixture.folder.appendingPathComponent("store"), to: store)
        let container = try Fixture.container(store)
        #expect(try await container.verify().isClean)
        await container.close()
        #expect(try await Fixture.answers(of: Fixture.container(store), fixture.values) == fixture.expected)
        // The first write brings an older layout to the current one.
        let changed = try Fixture.container(store)
        var record = Record(recordType: "Items", recordID: RecordID(recordName: "new"))
        record["name"] = "New"
        try await changed.privateDatabase.save(record)
        if fixture.isRenamed { await checkFormerNames(in: changed.privateDatabase) }
        #expect(try await changed.verify().isClean)
        #expect(
            try await changed.privateDatabase.count(
                matching: Query(recordType: "Items", filter: .field("name") == "New")) == 1)
        await changed.close()
    }

    @Test(
        "A dump of PostgreSQL is restored, queried, verified and changed",
        arguments: Fixture.named("postgres-") + Fixture.named("renamed-postgres-"))
    func dump(_ fixture: Fixture) async throws {
        let server = try await PostgresServer.shared.value
        let connection = try await server.newDatabase()
        try await fixture.restoreDump(on: server, connection)
        let container = try Fixture.container(server: connection)
        #expect(try await container.verify().isClean)
        #expect(try await Fixture.answers(of: container, fixture.values) == fixture.expected)
        let changed = try Fixture.container(server: connection)
        var record = Record(recordType: "Items", recordID: RecordID(recordName: "new"))
        record["name"] = "New"
        try await changed.privateDatabase.save(record)
        if fixture.isRenamed { await checkFormerNames(in: changed.privateDatabase) }
        #expect(try await changed.verify().isClean)
        await changed.close()
    }

    /// Checks that requests by former names are refused with the new ones.
    private func checkFormerNames(in database: Database) async {
        let numbers = Query(recordType: "Items", filter: .field("number") > 1)
        for (query, name) in [(Query(recordType: "Lists"), "Groups"), (numbers, "position")] {
            let error = await #expect(throws: CabinetError.self) { _ = try await database.count(matching: query) }
            #expect(error?.message.contains("renamed to '\(name)'") == true)
        }
    }

    @Test("The subscriptions of a store fire with the first save", arguments: stores)
    func subscriptions(_ fixture: Fixture) async throws {
        let folder = try TemporaryFolder()
        let store = folder.url.appendingPathComponent("store")
        try FileManager.default.copyItem(at: fixture.folder.appendingPathComponent("store"), to: store)
        let container = try Fixture.container(store)
        let database = container.privateDatabase
        let subscriptions = try await database.allSubscriptions()
        guard case .query(let query)? = subscriptions.first else {
            Issue.record("The fixture has no query subscription.")
            return
        }
        let token = try await container.fetchNotifications(since: nil, includingOwnChanges: true).token
        var record = Record(recordType: query.recordType, recordID: RecordID(recordName: "new"))
        record["number"] = 1_000
        try await database.save(record)
        let found = try await container.fetchNotifications(since: token, includingOwnChanges: true).notifications
        #expect(found.map(\.subscriptionID) == [query.subscriptionID])
        #expect(try await database.allSubscriptions() == subscriptions)
        #expect(try await container.verify().isClean)
        await container.close()
    }

    @Test("An export is imported", arguments: exports)
    func export(_ fixture: Fixture) async throws {
        let folder = try TemporaryFolder()
        let (files, store) = (folder.url.appendingPathComponent("files"), folder.url.appendingPathComponent("store"))
        try FileManager.default.copyItem(at: fixture.folder, to: files)
        try await TransferProgram.run(
            ["import", files.appendingPathComponent("records.jsonl").path, "--store", store.path])
        let container = try Fixture.container(store)
        #expect(try await DatabaseContent(container).records == fixture.expected)
        #expect(try await container.verify().isClean)
        await container.close()
    }
}

extension ServerChangeToken {
    /// The token as versions without roles in tokens encoded it.
    fileprivate var withoutRights: ServerChangeToken {
        get throws {
            let texts = try JSONDecoder().decode([String].self, from: JSONEncoder().encode([self]))
            guard let data = texts.first.flatMap({ Data(base64Encoded: $0) }),
                var content = try JSONSerialization.jsonObject(with: data) as? [String: Any]
            else { throw CocoaError(.coderInvalidValue) }
            content["readAccess"] = nil
            let old = try JSONSerialization.data(withJSONObject: content, options: .sortedKeys).base64EncodedString()
            return try JSONDecoder().decode(ServerChangeToken.self, from: JSONEncoder().encode(old))
        }
    }
}
