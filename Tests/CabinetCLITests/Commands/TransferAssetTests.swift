import Foundation
import ProgramTestSupport
import Testing

@Suite("Dashboard: assets of exports and imports")
struct TransferAssetTests {
    private let cabinet: CabinetProgram
    private let file: String

    init() throws {
        cabinet = try CabinetProgram()
        file = cabinet.folder.path("coins.jsonl")
    }

    private func export() async throws -> URL {
        let picture = try cabinet.folder.write("a picture", to: "picture.txt")
        try await cabinet.output("save", "penny", "--type", "Coin", "photo={\"file\":\"\(picture)\"}")
        try await cabinet.output("export", file)
        let folder = URL(filePath: file + ".assets")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        return folder.appending(path: try #require(names.first))
    }

    private func importing() async throws -> Program.Outcome {
        try await cabinet.program.run(["import", file, "--store", cabinet.folder.path("other")], in: cabinet.folder)
    }

    @Test(
        "A file that was cut or changed is refused, and a repeated export repairs it",
        arguments: ["a pict", "b picture"])
    func damage(content: String) async throws {
        let asset = try await export()
        try Data(content.utf8).write(to: asset)
        let refused = try await importing()
        #expect(refused.status == 2, "\(refused.output)")
        #expect(refused.errors.contains("coins.jsonl:2: "), "\(refused.errors)")
        #expect(refused.errors.contains("Export the records again."), "\(refused.errors)")
        try await cabinet.output("export", file)
        #expect(try String(contentsOf: asset, encoding: .utf8) == "a picture")
        let imported = try await importing()
        #expect(imported.status == 0, "\(imported.errors)")
    }

    @Test("An archive of an export is imported unchanged, with its assets, and a damaged one changes nothing")
    func archive() async throws {
        let asset = try await export()
        let archive = cabinet.folder.path("coins.zip")
        let packing = """
            import os, sys, zipfile
            with zipfile.ZipFile(sys.argv[1], "w", int(sys.argv[3])) as archive:
                archive.write(sys.argv[2], "coins.jsonl")
                for name in os.listdir(sys.argv[2] + ".assets"):
                    archive.write(os.path.join(sys.argv[2] + ".assets", name), "coins.jsonl.assets/" + name)
            """
        let python = try Program.installed("python3")
        func run(_ arguments: String..., in store: String = "other") async throws -> Program.Outcome {
            try await cabinet.program.run(arguments + ["--store", cabinet.folder.path(store)], in: cabinet.folder)
        }
        #expect(try await python.run(["-c", packing, archive, file, "0"], in: cabinet.folder).status == 0)
        let imported = try await run("import", archive)
        #expect(imported.status == 0 && imported.output.contains("coins.zip: 1 record in "), "\(imported)")
        let copy = cabinet.folder.path("copy.txt")
        #expect(try await run("assets", "get", "penny", "photo", copy).status == 0)
        #expect(try String(contentsOfFile: copy, encoding: .utf8) == "a picture")
        // Rows in an archive have a type too.
        _ = try cabinet.folder.write("name,year\nPenny,1967\n", to: "rows.csv")
        let rows = cabinet.folder.path("rows.zip")
        let line = "import sys, zipfile; zipfile.ZipFile(sys.argv[1], 'w').write('rows.csv')"
        #expect(try await python.run(["-c", line, rows], in: cabinet.folder).status == 0)
        #expect(try await run("import", rows, in: "third").status == 2)
        #expect(try await run("import", rows, "Coin", in: "third").status == 0)
        #expect(try await run("count", "Coin", "year == 1967", in: "third").output == "1\n")

        try Data("b picture".utf8).write(to: asset)
        for compression in ["0", "8"] {
            #expect(try await python.run(["-c", packing, archive, file, compression], in: cabinet.folder).status == 0)
            let refused = try await run("import", archive, in: "fourth")
            #expect(refused.status == 2, "\(refused.output)")
            let reason = compression == "0" ? "coins.jsonl:2: " : "is compressed"
            #expect(refused.errors.contains(reason), "\(refused.errors)")
        }
        let whole = try Data(contentsOf: URL(filePath: archive))
        try whole.prefix(whole.count / 2).write(to: URL(filePath: archive))
        let refused = try await run("import", archive, in: "fourth")
        #expect(refused.status == 2 && refused.errors.contains("The archive is damaged"), "\(refused.errors)")
        #expect(try await run("count", "Coin", in: "fourth").output == "0\n")
    }

    @Test("A file of the folder is read if its name begins with a combining mark")
    func marks() async throws {
        _ = try cabinet.folder.write("a picture", to: "\u{301}a")
        let line = "{\"recordName\":\"n\",\"recordType\":\"T\",\"fields\":{\"photo\":{\"file\":\"\u{301}a\"}}}\n"
        let outcome = try await cabinet.run("import", cabinet.folder.write(line, to: "coins.jsonl"))
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    #if os(Linux)
    // Other systems take both names for the same folder.
    @Test("A file of a folder whose name is that of the import's in another normal form is refused")
    func folders() async throws {
        for name in ["caf\u{E9}", "cafe\u{301}"] {
            try FileManager.default.createDirectory(
                at: cabinet.folder.url.appending(path: name), withIntermediateDirectories: false)
        }
        _ = try cabinet.folder.write("secret", to: "cafe\u{301}/secret.txt")
        let file = "../cafe\u{301}/secret.txt"
        let line = "{\"recordName\":\"n\",\"recordType\":\"T\",\"fields\":{\"photo\":{\"file\":\"\(file)\"}}}\n"
        let outcome = try await cabinet.run("import", cabinet.folder.write(line, to: "caf\u{E9}/coins.jsonl"))
        #expect(outcome.status == 2 && outcome.errors.contains("lies outside of the folder"), "\(outcome.errors)")
    }
    #endif

    @Test(
        "A file outside of the folder is refused",
        arguments: [
            "ABSOLUTE", "../secret.txt", "coins.jsonl.assets/../../secret.txt", "link", "linked/secret.txt", "pipe",
        ])
    func outside(path: String) async throws {
        let secret = try TemporaryFolder()
        _ = try secret.write("secret", to: "secret.txt")
        let inner = cabinet.folder.url.appending(path: "inner")
        let files = FileManager.default
        try files.createDirectory(at: inner.appending(path: "coins.jsonl.assets"), withIntermediateDirectories: true)
        _ = try cabinet.folder.write("secret", to: "secret.txt")
        try files.createSymbolicLink(
            atPath: inner.appending(path: "link").path, withDestinationPath: secret.path("secret.txt"))
        try files.createSymbolicLink(atPath: inner.appending(path: "linked").path, withDestinationPath: secret.url.path)
        #expect(mkfifo(inner.appending(path: "pipe").path, 0o600) == 0)
        let name = path == "ABSOLUTE" ? secret.path("secret.txt") : path
        let line = "{\"recordName\":\"n\",\"recordType\":\"T\",\"fields\":{\"photo\":{\"file\":\"\(name)\"}}}\n"
        let outcome = try await cabinet.run("import", cabinet.folder.write(line, to: "inner/coins.jsonl"))
        #expect(outcome.status == 2, "\(outcome.output)")
        #expect(
            outcome.errors.contains(path == "pipe" ? "is not a file" : "lies outside of the folder"),
            "\(outcome.errors)")
    }

    @Test("A file without a checksum and links within the folder are read")
    func inside() async throws {
        _ = try cabinet.folder.write("picture", to: "picture.txt")
        try FileManager.default.createSymbolicLink(
            atPath: cabinet.folder.path("link"), withDestinationPath: cabinet.folder.path("picture.txt"))
        let line = "{\"recordName\":\"n\",\"recordType\":\"T\",\"fields\":{\"photo\":{\"file\":\"link\"}}}\n"
        try await cabinet.output("import", cabinet.folder.write(line, to: "a.jsonl"))
        #expect(try await cabinet.output("get", "n").contains("\"size\":7"))
    }
}
