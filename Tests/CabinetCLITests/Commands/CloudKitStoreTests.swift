import Foundation
import ProgramTestSupport
import Testing

@Suite("cabinet over a server of CloudKit Web Services", .timeLimit(.minutes(5)))
struct CloudKitStoreTests {
    private let identifier = "iCloud.com.example.coins"
    private let cabinet: CabinetProgram
    private let server: ServingProgram
    private let user: String

    init() async throws {
        cabinet = try CabinetProgram()
        let folder = cabinet.folder
        user = try await cabinet.output("users", "add", "ann").trimmed
        let webToken = try await cabinet.output("users", "sign-in", "ann").trimmed
        let apiToken = try await cabinet.output("tokens", "add", "test").trimmed
        let openssl = try Program.installed("openssl")
        let (key, publicKey) = (folder.path("key.pem"), folder.path("public.pem"))
        for words in [
            ["ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", key],
            ["ec", "-in", key, "-pubout", "-out", publicKey],
        ] {
            let outcome = try await openssl.run(words, in: folder)
            try #require(outcome.status == 0, "\(outcome.errors)")
        }
        let keyID = try await cabinet.output("keys", "add", "test", "--public-key", publicKey).trimmed
        let files = [
            "ann.json": #"{"apiToken": "\#(apiToken)", "webToken": "\#(webToken)"}"#,
            "key.json": #"{"keyID": "\#(keyID)", "privateKey": "key.pem"}"#,
        ]
        for (name, text) in files { _ = try folder.write(text, to: name) }
        for name in files.keys + ["key.pem"] {
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.path(name))
        }
        server = try await cabinet.serving("--container", identifier)
    }

    private func options(_ file: String) -> [String] {
        [
            "--store", "cloudkit+\(server.url.absoluteString)", "--container", identifier, "--credentials",
            cabinet.folder.path("\(file).json"),
        ]
    }

    private func run(_ words: [String], as file: String) async throws -> Program.Outcome {
        try await cabinet.program.run(words + options(file), in: cabinet.folder)
    }

    /// Runs a command that must succeed, and returns its output.
    @discardableResult
    private func output(_ words: String..., as file: String = "ann") async throws -> String {
        let outcome = try await run(words, as: file)
        try #require(outcome.status == 0, "\(words): \(outcome.errors)")
        return outcome.output
    }

    @Test("Records, zones, changes and files are those of the user, whose name the server says")
    func webToken() async throws {
        let picture = try cabinet.folder.write("a picture", to: "picture.txt")
        try await output("save", "penny", "--type", "Coin", "name=Penny", "year=1967")
        try await output("save", "crown", "--type", "Coin", "name=Crown", "year=1890")
        try await output("save", "penny", "photo={\"file\":\"\(picture)\"}")
        let table = try await output("query", "Coin", "year > 1900")
        #expect(table.contains("Penny") && table.contains("name") && !table.contains("Crown"), "\(table)")
        #expect(
            try await output("query", "Coin", "--sort", "name", "--fields", "name", "--format", "csv")
                == "recordName,name\ncrown,Crown\npenny,Penny\n")
        #expect(try await output("get", "crown").contains("1890"))
        let copy = cabinet.folder.path("copy.txt")
        try await output("assets", "get", "penny", "photo", copy)
        #expect(try String(contentsOfFile: copy, encoding: .utf8) == "a picture")
        #expect(try await output("changes").contains("crown"))
        #expect(try await output("zones").contains("_defaultZone"))
        #expect(try await output("subscriptions").contains("filter"))
        try await output("delete", "crown")
        #expect(try await run(["get", "crown"], as: "ann").status == 3)
        // The same records in Cabinet's own dialect.
        #expect(try await cabinet.output("get", "penny", "--account", user).contains("Penny"))
    }

    @Test("A server's key reaches the public database alone")
    func serverKey() async throws {
        try await output("save", "penny", "--type", "Coin", "name=Penny", "--database", "public", as: "key")
        #expect(try await output("get", "penny", "--database", "public", as: "key").contains("Penny"))
        let table = try await output("query", "Coin", "--database", "public", as: "key")
        #expect(table.contains("Penny") && !table.contains("zone"), "\(table)")
        let outcome = try await run(["get", "penny"], as: "key")
        #expect(outcome.status == 1 && outcome.errors.contains("public database alone"), "\(outcome.errors)")
    }

    @Test("A command or a filter that the dialect lacks is refused by name")
    func refusals() async throws {
        let file = try cabinet.folder.write("{}", to: "a.jsonl")
        let commands = [
            ["types"], ["count", "Coin"], ["explain", "Coin"], ["schema", "export"], ["stats"], ["browse"],
            ["export", cabinet.folder.path("b.jsonl")], ["import", file], ["assets", "list"], ["assets", "sizes"],
            ["verify"], ["copy", "to"], ["compact"], ["backup", "to"], ["users", "list"],
        ]
        for words in commands {
            let outcome = try await run(words, as: "ann")
            #expect(outcome.status == 2, "\(words): \(outcome.errors)")
            #expect(outcome.errors.contains("'\(words[0])"), "\(words): \(outcome.errors)")
        }
        let filter = try await run(["query", "Coin", "year > 1900 OR year < 1800"], as: "ann")
        #expect(filter.status == 2 && filter.errors.contains("OR"), "\(filter.errors)")
        let columns = try await run(["query", "Coin", "--format", "csv"], as: "ann")
        #expect(columns.status == 2 && columns.errors.contains("--fields"), "\(columns.errors)")
    }

    @Test("Credentials are needed, and their files are the owner's alone")
    func credentials() async throws {
        let none = try await cabinet.program.run(
            ["zones"] + Array(options("ann").dropLast(2)), in: cabinet.folder)
        #expect(none.status == 2 && none.errors.contains("CABINET_KEY_ID"), "\(none.errors)")
        for name in ["key.json", "key.pem"] {
            let path = cabinet.folder.path(name)
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
            let shared = try await run(["zones"], as: "key")
            #expect(shared.status == 1 && shared.errors.contains("chmod 600"), "\(shared.errors)")
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        }
        let far = try await cabinet.program.run(
            ["zones", "--store", "cloudkit+http://192.0.2.1"] + options("ann").dropFirst(2), in: cabinet.folder)
        #expect(far.status == 2 && far.errors.contains("encryption"), "\(far.errors)")
        let place = try await cabinet.program.run(["zones", "--store", "icloud://x"], in: cabinet.folder)
        #expect(place.status == 2 && place.errors.contains("icloud://"), "\(place.errors)")
    }
}
