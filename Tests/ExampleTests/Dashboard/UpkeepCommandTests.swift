import Foundation
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

    @Test("A backup during an import has whole batches", .timeLimit(.minutes(3)))
    func consistency() async throws {
        let lines = (0..<20_000).map { "{\"recordName\":\"n\($0)\",\"recordType\":\"T\",\"fields\":{\"x\":\($0)}}\n" }
        _ = try cabinet.folder.write(lines.joined(), to: "a.jsonl")
        let program = "'\(cabinet.program.executable.path)'"
        let script = """
            \(program) import a.jsonl --store '\(cabinet.store)' & while [ ! -e a.jsonl.imported ]; do sleep 0.01; done
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

    @Test("A store on a server is refused with the way to do the same there")
    func server() async throws {
        let server = "postgresql://localhost/none"
        let outcome = try await cabinet.program.run(["backup", "x", "--store", server], in: cabinet.folder)
        #expect(outcome.status == 2)
        #expect(
            outcome.errors == "The store is on a server. Use pg_dump, or copy it into a folder: cabinet copy FOLDER\n")
    }
}
