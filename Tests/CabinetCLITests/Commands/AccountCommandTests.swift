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

    @Test(
        "A command that adds nothing does not create a store",
        arguments: [
            "users list", "users sign-in ann", "users sign-out ann", "users disable ann", "users enable ann",
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
