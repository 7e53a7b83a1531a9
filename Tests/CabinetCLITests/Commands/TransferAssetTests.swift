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
