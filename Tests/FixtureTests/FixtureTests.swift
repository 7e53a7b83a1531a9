import Cabinet
import CabinetTools
import Foundation
import StorageTestSupport
import Testing

/// Stores and exports of earlier versions are read, with the tokens, cursors and states that programs keep.
///
/// `CABINET_FIXTURES=sqlite-9 make test FILTER=FixtureTests` writes the fixture of that name first. That is done once, when a layout
/// or a format begins, and never to a fixture that a release has.
@Suite("Fixtures", .serialized)
struct FixtureTests {
    private static let stores = Fixture.named("sqlite-")
    private static let exports = Fixture.named("export-")

    @Test(
        "Fixtures are written on demand", .enabled(if: ProcessInfo.processInfo.environment["CABINET_FIXTURES"] != nil))
    func writing() async throws {
        for name in ProcessInfo.processInfo.environment["CABINET_FIXTURES", default: ""].split(separator: ",") {
            try await Fixture(description: String(name)).write()
        }
    }

    @Test("There is a store of each layout, and an export")
    func all() throws {
        let layouts = Fixture.named("sqlite-").map(\.description)
        #expect(layouts == (Fixture.oldestLayout...Fixture.layout).map { "sqlite-\($0)" })
        #expect(!Fixture.named("export-").isEmpty)
    }

    @Test("A store is opened, queried, verified and changed, and kept values are valid", arguments: stores)
    func store(_ fixture: Fixture) async throws {
        let folder = try TemporaryFolder()
        let store = folder.url.appendingPathComponent("store")
        try FileManager.default.copyItem(at: fixture.folder.appendingPathComponent("store"), to: store)
        let container = try Fixture.container(store)
        #expect(try await container.verify().isClean)
        await container.close()
        let data = try Data(contentsOf: fixture.folder.appendingPathComponent("values.json"))
        let values = try JSONDecoder().decode(StoredValues.self, from: data)
        #expect(try await Fixture.answers(of: store, values) == fixture.expected)
        // The first write brings an older layout to the current one.
        let changed = try Fixture.container(store)
        var record = Record(recordType: "Items", recordID: RecordID(recordName: "new"))
        record["name"] = "New"
        try await changed.privateDatabase.save(record)
        #expect(try await changed.verify().isClean)
        #expect(
            try await changed.privateDatabase.count(
                matching: Query(recordType: "Items", filter: .field("name") == "New")) == 1)
        await changed.close()
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
