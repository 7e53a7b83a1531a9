import Foundation
import ProgramTestSupport
import Testing

@Suite("Dashboard: export, import, copies and upkeep")
struct TransferCommandTests {
    private let cabinet: CabinetProgram

    init() throws {
        cabinet = try CabinetProgram()
    }

    private func digest(of store: String) async throws -> String {
        try await cabinet.program.run(["stats", "--store", store], in: cabinet.folder).output
    }

    @Test("An export that is imported gives equal records, with assets; a copy does too")
    func roundTrip() async throws {
        try await cabinet.saveCoins()
        let picture = try cabinet.folder.write("a picture", to: "picture.txt")
        try await cabinet.output(
            "save", "penny", "photo={\"file\":\"\(picture)\"}",
            "date={\"timestamp\":\"2026-01-01T00:00:00Z\",\"seconds\":1.1}")
        let file = cabinet.folder.path("coins.jsonl")
        #expect(try await cabinet.output("export", file).contains("coins.jsonl: 3 records in "))
        let (imported, copied) = (cabinet.folder.path("imported"), cabinet.folder.path("copied"))
        for _ in 0..<2 {
            let outcome = try await cabinet.program.run(["import", file, "--store", imported], in: cabinet.folder)
            #expect(outcome.status == 0, "\(outcome.errors)")
        }
        try await cabinet.output("copy", copied)
        let expected = try await digest(of: cabinet.store)
        #expect(expected.split(separator: "\n").count == 2)
        #expect(try await digest(of: imported) == expected)
        #expect(try await digest(of: copied) == expected)
        #expect(try await cabinet.output("verify").contains("No damage was found."))
        try await cabinet.output("save", "penny", "year=1")
        #expect(try await digest(of: cabinet.store) != expected)
    }

    @Test("An export that would leave out records that the user may not read is refused")
    func unreadable() async throws {
        let schema = """
            DEFINE SCHEMA CREATE ROLE Editor; RECORD TYPE Coin (
                name STRING, GRANT READ, CREATE TO Editor, GRANT READ, WRITE TO "_creator", GRANT CREATE TO "_icloud");
            """
        let file = try cabinet.folder.write(schema, to: "coins.ckdb")
        let exported = cabinet.folder.path("coins.jsonl")
        try await cabinet.output("schema", "import", file, "--database", "public")
        try await cabinet.output("save", "penny", "--type", "Coin", "name=Penny", "--database", "public")
        try await cabinet.output(
            "save", "crown", "--type", "Coin", "name=Crown", "--database", "public", "--account", "_ben")
        let errors = try await cabinet.failure(1, "export", exported, "--database", "public")
        #expect(errors.contains("read every record of Coin"))
        let output = try await cabinet.output("export", exported, "--database", "public", "--roles", "Editor")
        #expect(output.contains("coins.jsonl: 2 records in "))
    }

    @Test("An interrupted import continues after the lines that it has saved")
    func resumption() async throws {
        let lines = (0..<1200).map { "{\"recordName\":\"n\($0)\",\"recordType\":\"T\",\"fields\":{\"x\":\($0)}}\n" }
        let file = try cabinet.folder.write(lines.joined() + "{\"recordName\":\n", to: "a.jsonl")
        let errors = try await cabinet.failure(2, "import", file)
        #expect(errors.contains("a.jsonl:1201: This is not a JSON object"))
        #expect(try await cabinet.output("count", "T") == "1000\n")
        // A line that is already imported is not read again.
        try await cabinet.output("save", "n5", "x=-1")
        _ = try cabinet.folder.write(lines.joined(), to: "a.jsonl")
        let outcome = try await cabinet.run("import", file)
        #expect(outcome.output.contains("a.jsonl: 200 records in "))
        #expect(outcome.errors == "Continuing after line 1000.\n")
        #expect(try await cabinet.output("count", "T") == "1200\n")
        #expect(try await cabinet.output("count", "T", "x = -1") == "1\n")
        // A complete import is not continued.
        #expect(try await cabinet.output("import", file).contains("a.jsonl: 1200 records in "))
    }

    @Test(
        "Ctrl-C and SIGTERM stop an import between two batches, which continues later, and an export leaves no file",
        .timeLimit(.minutes(15)), arguments: ["INT", "TERM"])
    func interruption(by signal: String) async throws {
        let lines = (0..<40_000).map { "{\"recordName\":\"n\($0)\",\"recordType\":\"T\",\"fields\":{\"x\":\($0)}}\n" }
        let file = try cabinet.folder.write(lines.joined(), to: "a.jsonl")
        let start = "'\(cabinet.program.executable.path)' import a.jsonl --store '\(cabinet.store)' & pid=$!"
        let script = "\(start); \(cabinet.waitForRecords(of: "T")); kill -\(signal) $pid; wait $pid; echo $?"
        let outcome = try await Program.installed("sh").run(["-c", script], in: cabinet.folder)
        #expect(outcome.output == "130\n")
        #expect(outcome.errors.contains("records, which are saved. Repeat the command to continue."))
        let count = try #require(Int(try await cabinet.output("count", "T").dropLast()))
        #expect(count > 0 && count < 40_000 && count.isMultiple(of: 500))
        try await cabinet.output("import", file)
        #expect(try await cabinet.output("count", "T") == "40000\n")
        // An export may end before the signal comes.
        let begin = "'\(cabinet.program.executable.path)' export b.jsonl --store '\(cabinet.store)' >/dev/null & pid=$!"
        let wait = "until test -e b.jsonl.partial || test -e b.jsonl; do sleep 0.01; done"
        let end = "kill -\(signal) $pid; wait $pid; status=$?; test $status = 0 || break; rm -f b.jsonl"
        let export = "for _ in 1 2 3 4 5; do \(begin)\n\(wait)\n\(end)\ndone; echo $status; ls b.jsonl*"
        let stopped = try await Program.installed("sh").run(["-c", export], in: cabinet.folder)
        #expect(stopped.output == "130\n")
    }

    @Test("Records that refer to later ones, also in a cycle larger than a batch, are imported")
    func cycle() async throws {
        let count = 1100
        let lines = (0..<count).map { number in
            let next = "{\"reference\":\"n\((number + 1) % count)\",\"action\":\"deleteSelf\"}"
            return
                "{\"recordName\":\"n\(number)\",\"recordType\":\"T\",\"fields\":{\"x\":\(number),\"next\":\(next)}}\n"
        }
        let file = try cabinet.folder.write(lines.joined(), to: "a.jsonl")
        try await cabinet.output("import", file)
        #expect(try await cabinet.output("count", "T", "next.x >= 0") == "1100\n")
        let names = try FileManager.default.contentsOfDirectory(atPath: cabinet.folder.url.path)
        #expect(names.filter { $0.hasPrefix("a.jsonl") } == ["a.jsonl"])
        // A reference to a record that exists nowhere is cleared and named, and the rest is imported.
        let wrong = lines[0].replacing("\"n1\"", with: "\"nowhere\"") + lines[1].replacing("\"x\":1", with: "\"x\":-1")
        let errors = try await cabinet.failure(1, "import", cabinet.folder.write(wrong, to: "b.jsonl"))
        #expect(errors.contains("The record n0 was saved without its reference to nowhere"), "\(errors)")
        #expect(try await cabinet.output("count", "T", "next.x >= 0") == "1099\n")
        #expect(try await cabinet.output("count", "T", "x = -1") == "1\n")
    }

    @Test("Zones and parents are exported, and imported in any order of the records")
    func zones() async throws {
        let lines = [
            #"{"zone":"Work"}"#,
            #"{"recordName":"page","recordType":"Page","zone":"Work","parent":"folder","fields":{"x":1}}"#,
            #"{"recordName":"folder","recordType":"Folder","zone":"Work","fields":{"x":2}}"#,
            #"{"recordName":"loose","recordType":"Page","fields":{"x":3}}"#,
        ]
        let file = try cabinet.folder.write(lines.joined(separator: "\n"), to: "a.jsonl")
        // The parent is in a later batch.
        let padding = (0..<600).map { #"{"recordName":"n\#($0)","recordType":"Page","zone":"Work","fields":{"x":0}}"# }
        let large = [lines[0], lines[1]] + padding + [lines[2]]
        try await cabinet.output("import", file)
        let second = cabinet.folder.path("second")
        let imported = try await cabinet.program.run(
            ["import", cabinet.folder.write(large.joined(separator: "\n"), to: "b.jsonl"), "--store", second],
            in: cabinet.folder)
        #expect(imported.status == 0, "\(imported.errors)")
        for store in [cabinet.store, second] {
            let page = try await cabinet.program.run(
                ["get", "page", "--zone", "Work", "--store", store], in: cabinet.folder)
            #expect(page.output.contains(#""zone":"Work","parent":"folder""#), "\(page.output)")
        }
        try await cabinet.output("save", "_default_user", "nickname=Anna")
        let (exported, third) = (cabinet.folder.path("c.jsonl"), cabinet.folder.path("third"))
        #expect(try await cabinet.output("export", exported).contains(": 3 records in "))
        #expect(!(try String(contentsOfFile: exported, encoding: .utf8).contains(#""recordType":"Users""#)))
        let outcome = try await cabinet.program.run(["import", exported, "--store", third], in: cabinet.folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try await digest(of: third) == digest(of: cabinet.store))
    }

    @Test("The lines that an import into another store has saved do not count, and a file that is not text is refused")
    func otherStore() async throws {
        let lines = (0..<600).map { "{\"recordName\":\"n\($0)\",\"recordType\":\"T\",\"fields\":{\"x\":\($0)}}\n" }
        let file = try cabinet.folder.write(lines.joined() + "{\"recordName\":\n", to: "a.jsonl")
        _ = try await cabinet.failure(2, "import", file)
        _ = try cabinet.folder.write(lines.joined(), to: "a.jsonl")
        let other = cabinet.folder.path("other")
        let outcome = try await cabinet.program.run(["import", file, "--store", other], in: cabinet.folder)
        #expect(outcome.output.contains("a.jsonl: 600 records in "), "\(outcome.errors)")
        try Data([0x7B, 0xFF, 0x0A]).write(to: URL(filePath: file))
        #expect(try await cabinet.failure(2, "import", file).contains("not UTF-8"))
    }

    @Test("References to later records are kept when an interrupted import continues")
    func deferredResumption() async throws {
        let next = "\"next\":{\"reference\":\"n600\",\"action\":\"deleteSelf\"}"
        let lines = (0...600).map { number in
            let fields = number == 0 ? next : "\"x\":\(number)"
            return "{\"recordName\":\"n\(number)\",\"recordType\":\"T\",\"fields\":{\(fields)}}\n"
        }
        let file = try cabinet.folder.write(lines.joined() + "{\"recordName\":\n", to: "a.jsonl")
        _ = try await cabinet.failure(2, "import", file)
        _ = try cabinet.folder.write(lines.joined(), to: "a.jsonl")
        try await cabinet.output("import", file)
        #expect(try await cabinet.output("get", "n0").contains(#""reference":"n600""#))
    }

    @Test("The position of an interrupted import belongs to its database, account, store and lines")
    func position() async throws {
        let lines = (0..<600).map { "{\"recordName\":\"n\($0)\",\"recordType\":\"T\",\"fields\":{\"x\":\($0)}}\n" }
        let file = try cabinet.folder.write(lines.joined() + "{\"recordName\":\n", to: "a.jsonl")
        _ = try await cabinet.failure(2, "import", file)
        _ = try cabinet.folder.write(lines.joined(), to: "a.jsonl")
        for options in [["--database", "public"], ["--account", "_ben"]] {
            let outcome = try await cabinet.program.run(
                ["import", file, "--store", cabinet.store] + options, in: cabinet.folder)
            #expect(outcome.output.contains("a.jsonl: 600 records in "), "\(outcome.output)\(outcome.errors)")
        }
        // Another file of the same name, which is as long.
        let other = lines.map { $0.replacing("\"T\"", with: "\"U\"") }.joined()
        _ = try cabinet.folder.write(other, to: "a.jsonl")
        let outcome = try await cabinet.run("import", file)
        #expect(outcome.output.contains("a.jsonl: 600 records in "), "\(outcome.output)")
        #expect(outcome.errors.contains("stopped after line 500 of another file"), "\(outcome.errors)")
        #expect(try await cabinet.output("count", "U") == "600\n")
        // A new store in the same folder.
        _ = try cabinet.folder.write(lines.joined() + "{\"recordName\":\n", to: "a.jsonl")
        _ = try await cabinet.failure(2, "import", file)
        try FileManager.default.removeItem(atPath: cabinet.store)
        _ = try cabinet.folder.write(lines.joined(), to: "a.jsonl")
        #expect(try await cabinet.output("import", file).contains("a.jsonl: 600 records in "))
        #expect(try await cabinet.output("count", "T") == "600\n")
    }

    @Test("A record that is imported over another one has none of the other's fields")
    func replacement() async throws {
        try await cabinet.output("save", "n", "--type", "T", "x=1", "y=2")
        let line = "{\"recordName\":\"n\",\"recordType\":\"T\",\"fields\":{\"x\":3}}\n"
        try await cabinet.output("import", cabinet.folder.write(line, to: "a.jsonl"))
        let record = try await cabinet.output("get", "n")
        #expect(record.contains(#""x":3"#) && !record.contains(#""y""#), "\(record)")
    }
}
