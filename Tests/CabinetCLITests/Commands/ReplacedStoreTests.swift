import Foundation
import ProgramTestSupport
import Testing

@Suite("Dashboard: restore and schema reset replace the store's folder, and nothing else")
struct ReplacedStoreTests {
    private let cabinet: CabinetProgram
    private let files = FileManager.default

    init() throws {
        cabinet = try CabinetProgram()
    }

    /// Saves three coins, and returns the path of a backup of them.
    private func backup() async throws -> String {
        try await cabinet.saveCoins()
        let backup = cabinet.folder.path("backup")
        try await cabinet.output("backup", backup)
        return backup
    }

    /// The number of coins of a store.
    private func count(in store: String) async throws -> String {
        try await cabinet.program.run(["count", "Coin", "--store", store], in: cabinet.folder).output
    }

    @Test("Each replaced store is kept under a name of its own")
    func replacedStores() async throws {
        let backup = try await backup()
        #expect(try await cabinet.output("restore", backup, "--replace").contains("store.replaced."))
        #expect(try await cabinet.output("restore", backup, "--replace").contains("store.replaced-2."))
        for name in ["store", "store.replaced", "store.replaced-2"] {
            #expect(try await count(in: cabinet.folder.path(name)) == "3\n", "\(name)")
        }
    }

    @Test("Folders and links of other programs beside the store stay, and nothing else remains there")
    func otherFolders() async throws {
        let backup = try await backup()
        let schema = try cabinet.folder.write("DEFINE SCHEMA RECORD TYPE Coin (name STRING);", to: "coins.ckdb")
        for name in ["store.new", "store.new.partial", "store.replaced"] {
            try files.createDirectory(atPath: cabinet.folder.path(name), withIntermediateDirectories: true)
            _ = try cabinet.folder.write("a thesis", to: "\(name)/thesis.txt")
        }
        try files.createSymbolicLink(atPath: cabinet.folder.path("store.new-2"), withDestinationPath: "nothing")
        let names = try entries()
        #expect(try await cabinet.output("restore", backup, "--replace").contains("store.replaced-2."))
        try await cabinet.output("schema", "reset", schema, "--replace")
        for name in ["store.new", "store.new.partial", "store.replaced"] {
            #expect(try files.contentsOfDirectory(atPath: cabinet.folder.path(name)) == ["thesis.txt"])
        }
        let added = try entries().subtracting(names)
        #expect(added == ["store.replaced-2", "store.replaced-3"])
        #expect(try await count(in: cabinet.folder.path("store.replaced-3")) == "3\n")
    }

    /// The names in the folder of the test, without the files with the outputs of programs.
    private func entries() throws -> Set<String> {
        Set(
            try files.contentsOfDirectory(atPath: cabinet.folder.url.path).filter {
                UUID(uuidString: String($0.prefix(36))) == nil
            })
    }

    @Test("A restoration that fails leaves the store, and nothing beside it")
    func failure() async throws {
        let backup = try await backup()
        let names = try entries()
        let database = try #require(try files.contentsOfDirectory(atPath: backup).first { $0.hasSuffix(".sqlite") })
        try Data(repeating: 1, count: 10_000).write(to: URL(filePath: backup).appending(path: database))
        let outcome = try await cabinet.run("restore", backup, "--replace")
        #expect(outcome.status != 0)
        #expect(try entries() == names)
        #expect(try await count(in: cabinet.store) == "3\n")
    }

    @Test("A link to the store stays, and the folder that it leads to is replaced where it is")
    func links() async throws {
        let backup = try await backup()
        let disk = cabinet.folder.path("disk")
        try files.createDirectory(atPath: disk, withIntermediateDirectories: true)
        try files.moveItem(atPath: cabinet.store, toPath: disk + "/coins")
        try files.createSymbolicLink(atPath: cabinet.store, withDestinationPath: "disk/coins")
        #expect(try await cabinet.output("restore", backup, "--replace").contains("disk/coins.replaced."))
        #expect(try files.destinationOfSymbolicLink(atPath: cabinet.store) == "disk/coins")
        #expect(Set(try files.contentsOfDirectory(atPath: disk)) == ["coins", "coins.replaced"])
        #expect(try await count(in: cabinet.store) == "3\n")
        try files.removeItem(atPath: disk)
        #expect(try await cabinet.failure(2, "restore", backup).contains("is a link that leads to nothing"))
    }

    @Test("The current folder may be the store")
    func currentFolder() async throws {
        let backup = try await backup()
        let script = "cd store && exec '\(cabinet.program.executable.path)' restore ../backup --replace --store ."
        let outcome = try await Program.installed("sh").run(["-c", script], in: cabinet.folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        for store in [cabinet.store, cabinet.store + ".replaced", backup] {
            #expect(try await count(in: store) == "3\n", "\(store)")
        }
    }

    #if os(Linux)
    @Test("A mount point is refused before anything is copied")
    func mountPoint() async throws {
        let arguments = ["restore", try await backup(), "--replace", "--store", "/proc"]
        let outcome = try await cabinet.program.run(arguments, in: cabinet.folder)
        #expect(outcome.status == 2 && outcome.errors.contains("/proc is a mount point, which cannot be replaced"))
    }
    #endif

    @Test("The schemas of a store without record types make an empty store")
    func emptySchemas() async throws {
        _ = try await backup()
        let other = cabinet.folder.path("other")
        try files.createDirectory(atPath: other, withIntermediateDirectories: true)
        try await cabinet.output("schema", "reset", "--from", other, "--replace")
        try await cabinet.output("types")
        #expect(try await count(in: cabinet.store + ".replaced") == "3\n")
    }
}
