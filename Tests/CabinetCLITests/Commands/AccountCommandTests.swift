import Foundation
import ProgramTestSupport
import Testing

@Suite("Commands on users, tokens and keys")
struct AccountCommandTests {
    private let cabinet: CabinetProgram

    init() throws {
        cabinet = try CabinetProgram()
    }

    @Test("An unknown user cannot be signed out")
    func unknownUser() async throws {
        try await cabinet.output("users", "add", "ann")
        #expect(try await cabinet.failure(3, "users", "sign-out", "anm").contains("There is no user 'anm'."))
        try await cabinet.output("users", "sign-out", "ann")
    }

    @Test("A file of credentials is renewed; another file stays, and no token is created for it")
    func renewedCredentials() async throws {
        let user = try await cabinet.output("users", "add", "ann").trimmingCharacters(in: .newlines)
        let file = cabinet.folder.path("ann.json")
        var texts: [String] = []
        for _ in 0..<2 {
            try await cabinet.output("users", "sign-in", "ann", "--to", file)
            texts.append(try String(contentsOfFile: file, encoding: .utf8))
        }
        #expect(texts[0] != texts[1] && texts.allSatisfy { $0.contains(user) })
        let permissions = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(permissions == 0o600)
        try await cabinet.output("users", "add", "ben")
        #expect(try await cabinet.failure(2, "users", "sign-in", "ben", "--to", file).contains("Remove it first"))
        #expect(try String(contentsOfFile: file, encoding: .utf8) == texts[1])
        let missing = cabinet.folder.path("missing/ben.json")
        #expect(try await cabinet.failure(2, "users", "sign-in", "ben", "--to", missing).contains("folder"))
        let sessions = try await Program.installed("sqlite3").run(
            [
                cabinet.store + "/public.sqlite",
                "SELECT count(*) FROM cabinet_entry WHERE key LIKE 'account/session/%'",
            ],
            in: cabinet.folder)
        #expect(sessions.output == "2\n", "\(sessions)")
    }

    @Test("The address and the roles of a user are replaced, removed, and checked")
    func changedUser() async throws {
        try await cabinet.output("users", "add", "ann", "--email", "ann@example.com", "--roles", "Editor")
        try await cabinet.output("users", "add", "ben", "--email", "ben@example.com")
        func shown() async throws -> String { try await cabinet.output("users", "list", "--format", "csv") }
        try await cabinet.output("users", "change", "ann", "--roles", "Reader,Author")
        #expect(try await shown().contains("ann@example.com,\"Author,Reader\",enabled"))
        try await cabinet.output("users", "change", "ann", "--email", "ann@example.org")
        #expect(try await shown().contains("ann@example.org,\"Author,Reader\",enabled"))
        // The old address is free, and the new one is not.
        try await cabinet.output("users", "change", "ben", "--email", "ann@example.com")
        let taken = try await cabinet.failure(2, "users", "change", "ben", "--email", "Ann@example.org")
        #expect(taken.contains("Another user has the address"))
        try await cabinet.output("users", "change", "ann", "--no-email", "--no-roles")
        #expect(!(try await shown().contains("Author")))
        #expect(try await cabinet.failure(2, "users", "change", "ann").contains("Nothing is to be changed."))
        #expect(
            try await cabinet.failure(2, "users", "change", "ann", "--no-roles", "--roles", "Editor").contains("One"))
        #expect(try await cabinet.failure(2, "users", "change", "ann", "--roles", "a b").contains("role"))
        #expect(try await cabinet.failure(3, "users", "change", "anm", "--roles", "Editor").contains("no user 'anm'"))
    }

    @Test("A user keeps the record name after a restore to an earlier backup")
    func restoredUser() async throws {
        let name = try await cabinet.output("users", "add", "ann", "--record-name", "_ann")
        #expect(name == "_ann\n")
        for (record, reason) in [
            ("_ann", "has the record name"), ("ben", "underscore"), ("__defaultOwner__", "own name"),
        ] {
            #expect(try await cabinet.failure(2, "users", "add", "ben", "--record-name", record).contains(reason))
        }
        #expect(!(try await cabinet.output("users", "list")).contains("ben"))
    }

    @Test("A token of a disabled user is printed with a warning")
    func disabledUser() async throws {
        try await cabinet.output("users", "add", "ann")
        try await cabinet.output("users", "disable", "ann")
        let outcome = try await cabinet.run("users", "sign-in", "ann")
        #expect(outcome.status == 0 && outcome.lines.count == 1)
        #expect(outcome.errors.contains("ann is disabled") && outcome.errors.contains("cabinet users enable ann"))
    }

    @Test(
        "A command that adds nothing does not create a store",
        arguments: [
            "users list", "users sign-in ann", "users sign-out ann", "users disable ann", "users enable ann",
            "users change ann --roles Editor",
            "tokens list", "tokens revoke website", "keys list", "keys revoke importer",
        ])
    func missingStore(command: String) async throws {
        let words = command.split(separator: " ").map(String.init)
        let configuration = try cabinet.folder.write(
            "{\"containers\":[{\"identifier\":\"com.example.notes\",\"store\":\"\(cabinet.store)\"}]}", to: "serve.json"
        )
        for store in [["--store", cabinet.store], ["--config", configuration]] {
            let outcome = try await cabinet.program.run(words + store, in: cabinet.folder)
            #expect(outcome.status == 3 && outcome.errors.contains("There is no store at"), "\(outcome)")
            #expect(!FileManager.default.fileExists(atPath: cabinet.store))
        }
    }

    @Test("A command that adds something creates the store", arguments: ["users add ann", "tokens add website"])
    func newStore(command: String) async throws {
        let words = command.split(separator: " ").map(String.init)
        let outcome = try await cabinet.program.run(words + ["--store", cabinet.store], in: cabinet.folder)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(FileManager.default.fileExists(atPath: cabinet.store))
    }
}
