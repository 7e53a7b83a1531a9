import Cabinet
import CabinetSQLite
import Foundation
import PostgresTestSupport
import ProgramTestSupport
import Testing

@Suite("Dashboard: backups, compaction and files")
struct UpkeepCommandTests {
    private let cabinet: CabinetProgram

    init() throws {
        cabinet = try CabinetProgram()
    }

    /// The token after all changes.
    private func token() async throws -> String {
        let line = try await cabinet.output("changes").split(separator: "\n").last
        return try #require(line?.split(separator: "\"").last { $0.count > 10 }.map(String.init))
    }

    private func savePicture() async throws -> String {
        try await cabinet.saveCoins()
        let picture = try cabinet.folder.write("a picture", to: "picture.txt")
        try await cabinet.output("save", "penny", "photo={\"file\":\"\(picture)\"}")
        return picture
    }

    @Test("A restored backup has the records and files of its time, and tokens and tags of later changes expire")
    func restore() async throws {
        let picture = try await savePicture()
        let early = try await token()
        let digest = try await cabinet.output("stats")
        let backup = cabinet.folder.path("backup")
        #expect(try await cabinet.output("backup", backup).contains("1 database is backed up"))
        #expect(try await cabinet.failure(2, "backup", backup).contains("exists"))
        let lost = try await cabinet.output("save", "penny", "year=1")
        let late = try await token()
        try await cabinet.output("delete", "crown", "euro")

        #expect(try await cabinet.failure(6, "restore", backup).contains("--replace"))
        #expect(try await cabinet.output("restore", backup, "--replace").contains("store.replaced"))
        #expect(try await cabinet.output("stats") == digest)
        #expect(try await cabinet.output("verify").contains("No damage was found."))
        #expect(try await cabinet.failure(1, "changes", "--since", late).contains("token"))
        #expect(try await cabinet.failure(6, "save", input: lost).contains("Another client has changed"))
        try await cabinet.output("save", "penny", "year=2")
        #expect(try await cabinet.failure(1, "changes", "--since", late).contains("token"))
        #expect(try await cabinet.failure(6, "save", input: lost).contains("Another client has changed"))
        #expect(try await cabinet.output("changes", "--since", early).split(separator: "\n").count == 2)
        let copy = cabinet.folder.path("copy.txt")
        try await cabinet.output("assets", "get", "penny", "photo", copy)
        #expect(try String(contentsOfFile: copy, encoding: .utf8) == String(contentsOfFile: picture, encoding: .utf8))
        #expect(try await cabinet.failure(3, "restore", cabinet.folder.path("nothing")).contains("no backup"))
    }

    @Test("A backup creates the folders above it")
    func newFolders() async throws {
        _ = try await savePicture()
        let backup = cabinet.folder.path("backups/of/monday")
        try await cabinet.output("backup", backup)
        let digest = try await cabinet.program.run(["stats", "--store", backup], in: cabinet.folder).output
        #expect(try await cabinet.output("stats") == digest)
    }

    @Test("A copy goes into a new or empty folder, or into an older or interrupted copy")
    func copyTargets() async throws {
        try await cabinet.saveCoins()
        let (folder, files) = (cabinet.folder.path("folder"), FileManager.default)
        try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
        _ = try cabinet.folder.write("a file", to: "folder/file")
        #expect(try await cabinet.failure(2, "copy", folder).contains("has other files, and no store."))
        #expect(try files.contentsOfDirectory(atPath: folder) == ["file"])
        #expect(try await cabinet.failure(2, "copy", "").contains("name of a store is empty"))
        #expect(!files.fileExists(atPath: cabinet.folder.path("private-_default_user.sqlite")))
        try files.removeItem(atPath: folder + "/file")
        // A copy that ends before its first database may leave these.
        try files.createDirectory(atPath: folder + "/assets", withIntermediateDirectories: true)
        _ = try cabinet.folder.write("", to: "folder/.1.new")
        for _ in 0..<2 { try await cabinet.output("copy", folder) }
        _ = try cabinet.folder.write("a file", to: "folder/file")
        try await cabinet.output("copy", folder)
    }

    @Test("A backup during an import has whole batches", .timeLimit(.minutes(15)))
    func consistency() async throws {
        let lines = (0..<20_000).map { "{\"recordName\":\"n\($0)\",\"recordType\":\"T\",\"fields\":{\"x\":\($0)}}\n" }
        _ = try cabinet.folder.write(lines.joined(), to: "a.jsonl")
        let program = "'\(cabinet.program.executable.path)'"
        let script = """
            \(program) import a.jsonl --store '\(cabinet.store)' & \(cabinet.waitForRecords(of: "T"))
            \(program) backup backup --store '\(cabinet.store)' && wait
            """
        let outcome = try await Program.installed("sh").run(["-c", script], in: cabinet.folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let backup = cabinet.folder.path("backup")
        let count = try await cabinet.program.run(["count", "T", "--store", backup], in: cabinet.folder)
        let number = try #require(Int(count.output.dropLast()))
        #expect(number > 0 && number.isMultiple(of: 500))
        let report = try await cabinet.program.run(["verify", "--store", backup], in: cabinet.folder)
        #expect(report.output.contains("No damage was found."))
    }

    @Test("Compaction returns the space of deleted records, and changes no record")
    func compaction() async throws {
        let text = String(repeating: "x", count: 2000)
        let lines = (0..<500).map {
            "{\"recordName\":\"n\($0)\",\"recordType\":\"T\",\"fields\":{\"x\":\"\(text)\"}}\n"
        }
        try await cabinet.output("import", cabinet.folder.write(lines.joined(), to: "a.jsonl"))
        try await cabinet.output("save", "last", "--type", "T", "x=kept")
        let names = (0..<500).map { "n\($0)" }
        _ = try await cabinet.program.run(["delete"] + names + ["--store", cabinet.store], in: cabinet.folder)
        let digest = try await cabinet.output("stats")
        let row = try await cabinet.rows("compact")[1]
        let before = try #require(Int(row[1]))
        let after = try #require(Int(row[2]))
        #expect(before > 1_000_000 && after < before / 4, "\(row)")
        #expect(try await cabinet.output("stats") == digest)
        #expect(try await cabinet.output("verify").contains("No damage was found."))
        try await cabinet.output("save", "last", "x=changed")
    }

    @Test("Compaction of a store on a server says that the server returns the space")
    func serverCompaction() async throws {
        let store = try await PostgresServer.shared.value.newDatabase()
        let outcome = try await cabinet.program.run(["compact", "--store", store], in: cabinet.folder)
        #expect(outcome.status == 0 && outcome.errors.contains("VACUUM FULL"), "\(outcome.errors)")
    }

    @Test("A store is copied between two schemas of one database")
    func copyBetweenSchemas() async throws {
        let store = try await PostgresServer.shared.value.newDatabase()
        func run(_ words: String...) async throws -> Program.Outcome {
            try await cabinet.program.run(words + ["--store", store], in: cabinet.folder)
        }
        #expect(try await run("save", "penny", "--type", "Coin", "year=1967").status == 0)
        let copy = try await run("copy", store, "--to-schema", "second")
        #expect(copy.status == 0, "\(copy.errors)")
        #expect(try await run("get", "penny", "--schema", "second").output.contains("1967"))
        #expect(try await run("copy", cabinet.folder.path("copy"), "--to-schema", "second").status == 2)
    }

    @Test("Files of records are listed, summed and written; equal ones are stored once")
    func assets() async throws {
        let picture = try await savePicture()
        try await cabinet.output("save", "crown", "photo={\"file\":\"\(picture)\"}")
        let rows = try await cabinet.rows("assets", "list", "Coin")
        #expect(
            rows.dropFirst().map { Array($0.prefix(4)) } == [
                ["penny", "Coin", "photo", "9"], ["crown", "Coin", "photo", "9"],
            ])
        #expect(try await cabinet.rows("assets", "sizes").last == ["Coin", "photo", "2", "18", "9"])
        #expect(try await cabinet.rows("assets", "unused").count == 1)
        #expect(try await cabinet.failure(2, "assets", "list", "Con").contains("Did you mean 'Coin'?"))
        #expect(try await cabinet.failure(3, "assets", "get", "euro", "photo", "x").contains("no file"))
        #expect(try await cabinet.failure(6, "assets", "get", "penny", "photo", picture).contains("exists"))
        #expect(try await cabinet.failure(2, "assets").contains("'assets' is followed by list, get, sizes or unused."))
    }

    @Test("The sizes of files are summed, also those of damaged records")
    func damagedSizes() async throws {
        let picture = try await savePicture()
        try await cabinet.output("save", "crown", "photo={\"file\":\"\(picture)\"}")
        let backend = SQLiteBackend(directory: URL(filePath: cabinet.store))
        try await backend.write(.private(owner: Account.default.userRecordName)) { transaction in
            let ids = ["penny", "crown"].map { RecordID(recordName: $0) }
            for record in try await transaction.records(for: ids, keys: nil).compactMap(\.self) {
                var damaged = record
                let checksum = Asset.Checksum(of: Data(record.recordID.recordName.utf8))
                damaged.fields["photo"] = .asset(Asset(StoredAsset(checksum: checksum, size: .max)))
                try await transaction.apply([.update(damaged, replacing: record)])
            }
        }
        await backend.close()
        #expect(try await cabinet.rows("assets", "sizes").last?.prefix(3) == ["Coin", "photo", "2"])
    }

    @Test("A store on a server is refused with the way to do the same there")
    func server() async throws {
        let server = "postgresql://localhost/none"
        let outcome = try await cabinet.program.run(["backup", "x", "--store", server], in: cabinet.folder)
        #expect(outcome.status == 2)
        #expect(
            outcome.errors == "The store is on a server. Use pg_dump, or copy it into a folder: cabinet copy FOLDER\n")
    }

    @Test("A file of a list is written by its number, and only --remove removes unused files")
    func fileNumbers() async throws {
        let (first, second) = (
            try cabinet.folder.write("first", to: "1.txt"), try cabinet.folder.write("second", to: "2.txt")
        )
        try await cabinet.output(
            "save", "album", "--type", "Album", "files=[{\"file\":\"\(first)\"},{\"file\":\"\(second)\"}]")
        let copy = cabinet.folder.path("copy.txt")
        #expect(try await cabinet.output("assets", "get", "album", "files:2", copy).contains("6 bytes"))
        #expect(try String(contentsOfFile: copy, encoding: .utf8) == "second")
        #expect(try await cabinet.failure(3, "assets", "get", "album", "files:3", copy + "3").contains("no file"))
        #expect(try await cabinet.rows("assets", "unused") == [["checksum", "bytes"]])
        let removal = try await cabinet.run("assets", "unused", "--remove")
        #expect(removal.errors == "0 files of interrupted programs were removed.\n")
    }

    /// Removes the stored file of the record's picture, and returns where it was.
    private func losePicture() throws -> [URL] {
        let store = URL(filePath: cabinet.store)
        let names = try FileManager.default.subpathsOfDirectory(atPath: store.path)
        let files = try names.map { store.appending(path: $0) }.filter { file in
            try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true
                && (try Data(contentsOf: file)) == Data("a picture".utf8)
        }
        #expect(!files.isEmpty)
        for file in files { try FileManager.default.removeItem(at: file) }
        return files
    }

    @Test("A store without the file of a record is damaged, and no repair is advised that cannot help")
    func damage() async throws {
        _ = try await savePicture()
        _ = try losePicture()
        for words in [["verify"], ["verify", "--repair"]] {
            let report = try await cabinet.program.run(words + ["--store", cabinet.store], in: cabinet.folder)
            #expect(report.status == 5 && report.output.contains("asset"), "\(report.output)")
            #expect(!report.errors.contains("--repair") && report.errors.contains("copy the store's files"))
        }
        let error = try await cabinet.failure(1, "export", cabinet.folder.path("coins.jsonl"))
        #expect(error.contains("record penny") && error.contains("field photo"), "\(error)")
    }

    @Test("An unfinished copy is not damage: a repair leaves it, and the copy resumes")
    func unfinishedCopy() async throws {
        _ = try await savePicture()
        let (target, lost) = (cabinet.folder.path("copy"), try losePicture())
        #expect(try await cabinet.failure(1, "copy", target).contains("penny"))
        for words in [["verify"], ["verify", "--repair"]] {
            let report = try await cabinet.program.run(words + ["--store", target], in: cabinet.folder)
            #expect(report.status == 1 && report.errors.contains("Start the copy again"), "\(report)")
            #expect(!report.errors.contains("damaged"))
        }
        for file in lost { try Data("a picture".utf8).write(to: file) }
        try await cabinet.output("copy", target)
        let report = try await cabinet.program.run(["verify", "--store", target], in: cabinet.folder)
        #expect(report.status == 0, "\(report)")
    }

    @Test(
        "A file of a newer version or of another program is not damage: it is named, and stays unchanged",
        arguments: [(60, "newer one"), (68, "another program")])
    func foreignFile(offset: Int, reason: String) async throws {
        try await cabinet.saveCoins()
        let file = URL(filePath: cabinet.store).appending(path: "private-_default_user.sqlite")
        var bytes = try Data(contentsOf: file)
        bytes.replaceSubrange(offset..<offset + 4, with: [0, 0, 0, 99])
        try bytes.write(to: file)
        for words in [["verify"], ["verify", "--repair"]] {
            let report = try await cabinet.program.run(words + ["--store", cabinet.store], in: cabinet.folder)
            #expect(report.status == 1 && report.errors.contains(reason), "\(report)")
            #expect(!report.errors.contains("damaged"))
        }
        #expect(try Data(contentsOf: file) == bytes)
    }
}
