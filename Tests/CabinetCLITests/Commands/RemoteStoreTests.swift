import Foundation
import ProgramTestSupport
import Testing

@Suite("cabinet over a server", .timeLimit(.minutes(15)))
struct RemoteStoreTests {
    private let identifier = "com.example.coins"
    private let cabinet: CabinetProgram
    private let server: ServingProgram

    init() async throws {
        cabinet = try CabinetProgram()
        for name in ["ann", "ben"] {
            try await cabinet.output("users", "add", name)
            try await cabinet.output("users", "sign-in", name, "--to", cabinet.folder.path("\(name).json"))
        }
        server = try await cabinet.serving("--container", identifier)
    }

    private func options(_ user: String?) -> [String] {
        ["--store", server.url.absoluteString, "--container", identifier]
            + (user.map { ["--credentials", cabinet.folder.path("\($0).json")] } ?? [])
    }

    private func run(_ words: String..., as user: String? = "ann", input: String = "") async throws -> Program.Outcome {
        try await cabinet.program.run(words + options(user), in: cabinet.folder, input: input)
    }

    /// Runs a command that must succeed, and returns its output.
    @discardableResult
    private func output(_ words: String..., as user: String? = "ann", input: String = "") async throws -> String {
        let outcome = try await cabinet.program.run(words + options(user), in: cabinet.folder, input: input)
        try #require(outcome.status == 0, "\(words): \(outcome.errors)")
        return outcome.output
    }

    @Test("Records, schemas, changes and files are those of the user, as in a store")
    func commands() async throws {
        try await output("save", "penny", "--type", "Coin", "name=Penny", "year=1967")
        try await output("save", "crown", "--type", "Coin", "name=Crown", "year=1890")
        #expect(try await output("query", "Coin", "year > 1900").contains("Penny"))
        #expect(try await output("count", "Coin").trimmed == "2")
        #expect(try await output("get", "crown").contains("1890"))
        #expect(try await output("types").contains("Coin"))
        #expect(try await output("changes").contains("crown"))
        #expect(try await output("explain", "Coin", "year > 1900").contains("year"))
        let file = cabinet.folder.path("coins.jsonl")
        try await output("export", file)
        #expect(try await output("types", as: "ben").contains("Coin") == false)
        #expect(try String(contentsOfFile: file, encoding: .utf8).contains("crown"))
        try await output("save", "mark", "--type", "Coin", "name=Mark", as: "ben")
        try await output("delete", "crown")
        #expect(try await output("count", "Coin", as: "ben").trimmed == "1")
        #expect(try await output("count", "Coin").trimmed == "1")
        try await output("schema", "rename", "Coin.year", "minted")
        #expect(try await output("query", "Coin", "minted = 1967").contains("Penny"))
        #expect(try await run("get", "none").status == 3)
        #expect(try await server.end(SIGTERM) == 0)
    }

    @Test("An export of one user is imported for another one, and an interrupted import continues")
    func transfer() async throws {
        try await output("save", "penny", "--type", "Coin", "name=Penny", "year=1967")
        let picture = try cabinet.folder.write("a picture", to: "picture.txt")
        try await output("save", "penny", "photo={\"file\":\"\(picture)\"}")
        try await output(
            "save", "crown", "--type", "Coin", "name=Crown", "old={\"reference\":\"penny\",\"action\":\"deny\"}")
        let file = cabinet.folder.path("coins.jsonl")
        try await output("export", file)
        try await output("import", file, as: "ben")
        #expect(try await output("stats", as: "ben") == output("stats"))
        // Rows of another program's table, with a mistake after the first batch.
        let lines = (0..<600).map { "{\"recordName\":\"n\($0)\",\"recordType\":\"T\",\"fields\":{\"x\":\($0)}}\n" }
        let long = try cabinet.folder.write(lines.joined() + "{\"recordName\":\n", to: "a.jsonl")
        #expect(try await run("import", long, as: "ben").status == 2)
        _ = try cabinet.folder.write(lines.joined(), to: "a.jsonl")
        let rest = try await run("import", long, as: "ben")
        #expect(rest.status == 0 && rest.errors == "Continuing after line 500.\n", "\(rest.errors)")
        // The position is that of a user.
        #expect(try await run("import", long).errors.isEmpty)
        #expect(try await output("count", "T").trimmed == "600")
    }

    @Test("The screens show another client's changes at once")
    func browse() async throws {
        try await output("save", "penny", "--type", "Coin", "name=Penny")
        try await Terminal.running(cabinet.program, ["browse"] + options("ann"), in: cabinet.folder) { terminal in
            try await terminal.wait(forRow: "Coin", "1")
            try await output("save", "crown", "--type", "Coin", "name=Crown")
            try await terminal.wait(forRow: "Coin", "2")
            try await terminal.press("q")
            try await terminal.wait(for: "[ended with 0]")
        }
    }

    @Test("A command that needs the store itself is refused by name")
    func refusals() async throws {
        let commands = [
            ["verify"], ["backup", "to"], ["compact"], ["copy", "to"], ["users", "list"], ["assets", "unused"],
        ]
        for words in commands {
            let outcome = try await cabinet.program.run(words + options("ann"), in: cabinet.folder)
            #expect(outcome.status == 2, "\(words)")
            #expect(outcome.errors.contains("'\(words[0])") && outcome.errors.contains("server"), "\(outcome.errors)")
        }
        let account = try await run("types", "--account", "_other")
        #expect(account.status == 2 && account.errors.contains("--account"))
    }

    @Test("Credentials are needed, and their file is the owner's alone")
    func credentials() async throws {
        let none = try await run("types", as: nil)
        #expect(none.status == 1 && none.errors.contains("sign-in"), "\(none.errors)")
        let file = cabinet.folder.path("ann.json")
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file)
        let shared = try await run("types")
        #expect(shared.status == 1 && shared.errors.contains("chmod 600"), "\(shared.errors)")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        // No token leaves the machine without encryption.
        let far = try await cabinet.program.run(
            ["types", "--store", "http://192.0.2.1", "--container", identifier, "--credentials", file],
            in: cabinet.folder)
        #expect(far.status == 2 && far.errors.contains("--allow-unencrypted"), "\(far.errors)")
        let missing = try await cabinet.program.run(
            ["types", "--store", server.url.absoluteString, "--container", identifier, "--credentials", "nope"],
            in: cabinet.folder)
        #expect(missing.status == 3 && missing.errors == "There is no file of credentials nope.\n")
        let secret = try await cabinet.program.run(
            ["types", "--store", "https://ann:geheim@192.0.2.1"], in: cabinet.folder)
        #expect(secret.status == 2 && !secret.errors.contains("geheim"))
        // The environment names the file as well, and the container.
        let words = [
            "CABINET_CREDENTIALS=\(file)", "CABINET_CONTAINER=\(identifier)",
            "CABINET_STORE=\(server.url.absoluteString)", cabinet.program.executable.path, "types",
        ]
        #expect(try await Program.installed("env").run(words, in: cabinet.folder).status == 0)
    }

    @Test("In production, the error names the command that adds what the schema lacks")
    func production() async throws {
        func schema(_ fields: String) throws -> String {
            try cabinet.folder.write("DEFINE SCHEMA RECORD TYPE Coin (\(fields));", to: "coins.ckdb")
        }
        try await cabinet.output("schema", "deploy", schema("name STRING"), "--database", "public")
        let server = try await cabinet.serving("--container", identifier, "--environment", "production")
        let options =
            ["--store", server.url.absoluteString] + options("ann").dropFirst(2) + ["--environment", "production"]
        let file = try schema("name STRING, year INT64")
        for words in [["schema", "import", file], ["save", "penny", "--type", "Coin", "year=1967"]] {
            let outcome = try await cabinet.program.run(words + options, in: cabinet.folder)
            #expect(outcome.status == 2)
            #expect(
                outcome.errors.hasSuffix(
                    "as a user with the role 'administrators': cabinet schema deploy FILE --database public\n"),
                "\(outcome.errors)")
        }
        #expect(try await server.end(SIGTERM) == 0)
    }

    @Test("A server's certificate is that of an authority of the system, or of the file that the environment names")
    func certificates() async throws {
        let (key, certificate) = (cabinet.folder.path("key.pem"), cabinet.folder.path("certificate.pem"))
        let made = try await Program.installed("openssl").run(
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out",
                certificate,
            ], in: cabinet.folder)
        try #require(made.status == 0, "\(made.errors)")
        let configuration = try cabinet.folder.write(
            #"{"listen": ["127.0.0.1:0"], "tls": {"certificate": "\#(certificate)", "key": "\#(key)"}}"#, to: "tls.json"
        )
        let server = try await cabinet.serving("--container", identifier, "--config", configuration)
        let port = try #require(server.url.port)
        func run(_ host: String, _ variables: String...) async throws -> Program.Outcome {
            let words = [cabinet.program.executable.path, "types", "--store", "https://\(host):\(port)"]
            return try await Program.installed("env").run(
                variables + words + options("ann").dropFirst(2), in: cabinet.folder)
        }
        let unknown = try await run("localhost")
        #expect(unknown.status == 1 && unknown.errors.contains("certificate"), "\(unknown.errors)")
        #expect(try await run("localhost", "SSL_CERT_FILE=\(certificate)").status == 0)
        #expect(try await run("127.0.0.1", "SSL_CERT_FILE=\(certificate)").errors.contains("certificate"))
        #expect(try await run("localhost", "SSL_CERT_FILE=\(key)").status == 1)
        #expect(try await server.end(SIGTERM) == 0)
    }
}
