import Foundation
import ProgramTestSupport
import Testing

@Suite("Dashboard: stores that may not be written or read")
struct ReadOnlyStoreCommandTests {
    private let cabinet: CabinetProgram

    init() throws {
        cabinet = try CabinetProgram()
    }

    private var file: URL { URL(filePath: cabinet.store).appending(path: "private-_default_user.sqlite") }

    private func setPermissions(_ permissions: Int, of url: URL) throws {
        try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: url.path)
    }

    /// A command of a user that the permissions of files bind.
    private func command(_ arguments: [String]) throws -> (program: Program, arguments: [String]) {
        let arguments = arguments + ["--store", cabinet.store]
        if geteuid() != 0 { return (cabinet.program, arguments) }
        // Without these abilities, the administrator is a user like others.
        let rest = ["--bounding-set", "-dac_override,-dac_read_search", cabinet.program.executable.path]
        return (try .installed("setpriv"), rest + arguments)
    }

    private func run(_ arguments: String...) async throws -> Program.Outcome {
        let command = try command(arguments)
        return try await command.program.run(command.arguments, in: cabinet.folder)
    }

    @Test("A store that may not be written can be queried, exported and verified, and a save says why it fails")
    func readOnly() async throws {
        try await cabinet.saveCoins()
        let picture = try cabinet.folder.write("a picture", to: "picture.txt")
        try await cabinet.output("save", "penny", "photo={\"file\":\"\(picture)\"}")
        let query = try await cabinet.output("query", "Coin")
        let report = try await cabinet.output("verify")
        try setPermissions(0o444, of: file)
        try setPermissions(0o555, of: file.deletingLastPathComponent())
        defer { try? setPermissions(0o755, of: file.deletingLastPathComponent()) }

        #expect(try await run("query", "Coin").output == query)
        let verified = try await run("verify")
        #expect(verified.status == 0 && verified.output == report, "\(verified)")
        let repaired = try await run("verify", "--repair")
        #expect(repaired.status == 0 && repaired.output == report, "\(repaired)")
        let export = cabinet.folder.path("coins.jsonl")
        let exported = try await run("export", export)
        #expect(exported.status == 0, "\(exported)")
        #expect(try String(contentsOfFile: export, encoding: .utf8).contains("penny"))
        #expect(try await run("changes").status == 0)
        let saved = try await run("save", "penny", "year=1")
        #expect(saved.status == 1 && saved.errors.contains("can only be read"), "\(saved)")
        #expect(try await run("query", "Coin").output == query)
    }

    @Test(
        "A store that may not be written can be browsed, and an edit says why it is not saved", .timeLimit(.minutes(15))
    )
    func browsing() async throws {
        try await cabinet.saveCoins()
        let query = try await cabinet.output("query", "Coin")
        try setPermissions(0o444, of: file)
        try setPermissions(0o555, of: file.deletingLastPathComponent())
        defer { try? setPermissions(0o755, of: file.deletingLastPathComponent()) }
        let command = try command(["browse"])
        try await Terminal.running(command.program, command.arguments, in: cabinet.folder) { terminal in
            try await terminal.wait(forRow: "Coin", "3")
            try await terminal.press("c")
            try await terminal.wait(for: "Changes in _defaultZone")
            try await terminal.press("q", "Enter")
            try await terminal.wait(for: "1 of 3")
            try await terminal.press("G")
            try await terminal.wait(for: "3 of 3")
            try await terminal.press("Enter")
            try await terminal.wait(for: "→ crown")
            try await terminal.press("+")
            try await terminal.wait(for: "Name of the field:")
            try await terminal.type("metal")
            try await terminal.wait(for: "metal:")
            try await terminal.type("silver")
            try await terminal.wait(for: "metal*")
            try await terminal.press("w")
            try await terminal.wait(for: "this user may not write")
            // The browser goes on.
            try await terminal.press("Escape")
            try await terminal.press("y")
            try await terminal.wait(for: "3 of 3")
        }
        #expect(try await run("query", "Coin").output == query)
    }

    @Test("A verification says which databases it may not read, verifies the others, and calls nothing damaged")
    func unreadable() async throws {
        try await cabinet.saveCoins()
        try await cabinet.output("save", "--database", "public", input: #"{"recordName":"p","recordType":"Coin"}"#)
        try setPermissions(0o000, of: file)
        defer { try? setPermissions(0o644, of: file) }
        let outcome = try await run("verify")
        #expect(outcome.status == 1, "\(outcome)")
        #expect(outcome.output.contains("Verified 1 database, 1 zone"))
        #expect(outcome.output.contains("1 database could not be verified or repaired as a whole:"))
        #expect(outcome.output.contains(file.lastPathComponent))
        #expect(outcome.errors.contains("Not everything could be verified."))
        #expect(!outcome.errors.contains("damaged"))
    }
}
