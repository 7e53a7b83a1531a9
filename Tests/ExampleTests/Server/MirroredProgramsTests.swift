import Foundation
import ProgramTestSupport
import Testing

@Suite("Programs whose store mirrors a server", .timeLimit(.minutes(15)), .serialized)
struct MirroredProgramsTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Starts a server with users, whose credentials are in files.
    private func serve(
        _ identifier: String, port: Int = 0, users: [String] = ["ann"]
    ) async throws -> ServingProgram {
        let (cabinet, store) = (try Program.built("cabinet"), folder.path("store"))
        for user in port == 0 ? users : [] {
            for words in [["add", user], ["sign-in", user, "--to", folder.path("\(user).json")]] {
                let outcome = try await cabinet.run(["users"] + words + ["--store", store], in: folder)
                try #require(outcome.status == 0, "\(outcome.errors)")
            }
        }
        return try await ServingProgram(store: store, port: port, ["--container", identifier], in: folder)
    }

    @Test("Lists are changed while the server is dead, and arrive on another device")
    func shopping() async throws {
        let identifier = "com.example.shopping-list"
        var server = try await serve(identifier)
        let port = try #require(server.url.port)
        let phone = try Device("phone", server.url, folder)
        let tablet = try Device("tablet", server.url, folder)
        _ = try await phone.rows("shopping-list", "lists", "add", "Groceries")
        #expect(try await tablet.rows("shopping-list", "lists").map(\.[0]) == ["Groceries"])

        _ = try await server.end(SIGKILL)
        let offline = try await phone.run("shopping-list", "items", "add", "Groceries", "Milk", "--number", "2")
        #expect(offline.status == 0 && offline.errors.contains("The server was not reached"), "\(offline.errors)")
        #expect(
            try await phone.rows("shopping-list", "items", "Groceries").map { Array($0.prefix(2)) } == [["Milk", "2"]])
        let status = try await phone.cabinet("mirror", "--format", "json")
        #expect(status.output == "{\"status\":\"pending\",\"pending\":1}\n", "\(status.output)\(status.errors)")
        let pending = try await phone.cabinet("mirror", "pending", "--format", "csv")
        #expect(
            pending.lines.count == 2 && pending.lines[1].hasSuffix(",_defaultZone,create,to send,"), "\(pending.output)"
        )
        let failed = try await phone.cabinet("mirror", "--mirror", server.url.absoluteString, "--container", identifier)
        #expect(failed.status == 1 && failed.output == "", "\(failed.errors)")

        server = try await serve(identifier, port: port)
        let pass = try await phone.cabinet("mirror", "--mirror", server.url.absoluteString, "--container", identifier)
        #expect(pass.status == 0 && pass.output == "up to date\n", "\(pass.output)\(pass.errors)")
        #expect(
            try await tablet.rows("shopping-list", "items", "Groceries").map { Array($0.prefix(2)) } == [["Milk", "2"]])
        #expect(try await server.end(SIGTERM) == 0)
    }

    @Test("A list that was made without the server is shared with another user, whose items arrive")
    func sharing() async throws {
        let identifier = "com.example.shopping-list"
        var server = try await serve(identifier, users: ["ann", "ben"])
        let port = try #require(server.url.port)
        let phone = try Device("phone", server.url, folder)
        let ben = try Device("bens", server.url, folder, user: "ben")
        let name = try #require(try await ben.rows("shopping-list", "user").first?.first)
        _ = try await server.end(SIGKILL)
        #expect(try await phone.run("shopping-list", "lists", "add", "Trip").status == 0)
        #expect(try await phone.run("shopping-list", "items", "add", "Trip", "Tent").status == 0)
        let failed = try await phone.run("shopping-list", "lists", "share", "Trip", name)
        #expect(failed.status != 0 && failed.errors.contains("server"), "\(failed.errors)")

        server = try await serve(identifier, port: port)
        let url = try #require(try await phone.rows("shopping-list", "lists", "share", "Trip", name).first?.last)
        #expect(try await ben.rows("shopping-list", "lists", "join", url).first?.first?.hasPrefix("Trip") == true)
        #expect(try await ben.rows("shopping-list", "items", "Trip").map(\.[0]) == ["Tent"])
        #expect(try await ben.run("shopping-list", "items", "add", "Trip", "Rope").status == 0)
        #expect(Set(try await phone.rows("shopping-list", "items", "Trip").map(\.[0])) == ["Tent", "Rope"])
        #expect(try await phone.rows("shopping-list", "lists", "users", "Trip").count == 2)
        #expect(try await server.end(SIGTERM) == 0)
    }

    @Test("The bottom of the screen shows what the mirror does, through the death of the server")
    func screen() async throws {
        let identifier = "com.example.shopping-list"
        var server = try await serve(identifier)
        let port = try #require(server.url.port)
        let phone = try Device("phone", server.url, folder)
        let words = phone.words("shopping-list", [])
        try await Terminal.running(Program.installed("env"), words, in: folder) { terminal in
            try await terminal.wait(for: "No Records Found")
            try await terminal.wait(for: "up to date")
            _ = try await server.end(SIGKILL)
            try await terminal.press("a")
            try await terminal.write("Hardware")
            try await terminal.press("Enter")
            try await terminal.wait(forRow: "Hardware")
            try await terminal.press("Down")
            try await terminal.wait(for: "1 change to send")
            server = try await serve(identifier, port: port)
            try await terminal.wait(for: "up to date")
            try await terminal.press("q")
            try await terminal.wait(for: "[ended with 0]")
        }
        let tablet = try Device("tablet", server.url, folder)
        #expect(try await tablet.rows("shopping-list", "lists").map(\.[0]) == ["Hardware"])
        _ = try await server.end(SIGTERM)
    }

    @Test("Changes that do not fit are set aside, listed, tried again and discarded")
    func setAside() async throws {
        let identifier = "com.example.shopping-list"
        let server = try await serve(identifier)
        let phone = try Device("phone", server.url, folder)
        // The device has made the field a text, and the server a number, before they meet.
        let other = try Device("other", URL(string: "http://127.0.0.1:9")!, folder)
        _ = try await other.run("shopping-list", "lists", "add", "Groceries")
        let save = try await Program.installed("env").run(
            phone.variables + [
                try Program.built("cabinet").executable.path, "save", "--store", server.url.absoluteString,
                "--container", identifier,
            ], in: folder, input: "{\"recordName\":\"five\",\"recordType\":\"Lists\",\"fields\":{\"name\":5}}\n")
        #expect(save.status == 0, "\(save.errors)")
        let url = server.url.absoluteString
        let pass = try await other.cabinet("mirror", "--mirror", url, "--container", identifier)
        #expect(pass.status == 5 && pass.output.hasPrefix("2 changes set aside"), "\(pass.output)\(pass.errors)")
        let listed = try await other.cabinet("mirror", "pending", "--format", "csv")
        #expect(listed.output.contains("five,_defaultZone,incoming,set aside,"), "\(listed.output)")
        #expect(listed.output.contains(",create,set aside,"), "\(listed.output)")
        #expect(try await other.cabinet("mirror", "retry", "five").status == 0)
        #expect(try await other.cabinet("mirror", "pending").output.contains("incoming"))
        #expect(try await other.cabinet("mirror", "retry", "six").status == 3)
        #expect(try await other.cabinet("mirror", "discard", "--all").status == 0)
        #expect(try await other.cabinet("mirror").output == "up to date\n")
        _ = try await server.end(SIGTERM)
    }

    @Test("Notes and their pictures are read and changed while the server is dead")
    func notes() async throws {
        let identifier = "com.example.notes"
        var server = try await serve(identifier)
        let port = try #require(server.url.port)
        let phone = try Device("phone", server.url, folder)
        let tablet = try Device("tablet", server.url, folder)
        _ = try await phone.rows(
            "notes", "new", "--title", "Hills", "--text", "Dawn", "--image", TestPicture.hills.path)
        #expect(try await tablet.rows("notes", "list").map(\.[0]) == ["Hills"])
        _ = try await server.end(SIGKILL)
        let copy = folder.path("hills.jpg")
        let shown = try await tablet.run("notes", "show", "Hills", "--save-picture", copy)
        #expect(shown.status == 0, "\(shown.errors)")
        #expect(try Data(contentsOf: URL(filePath: copy)) == Data(contentsOf: TestPicture.hills))
        #expect(try await tablet.run("notes", "edit", "Hills", "--title", "Hills at dawn").status == 0)
        #expect(try await phone.run("notes", "edit", "Hills", "--text", "We walk.").status == 0)
        server = try await serve(identifier, port: port)
        for device in [phone, tablet, phone] { _ = try await device.rows("notes", "list") }
        for device in [phone, tablet] {
            let rows = try await device.run("notes", "show", "Hills at dawn")
            #expect(rows.status == 0 && rows.output.contains("We walk."), "\(rows.output)\(rows.errors)")
        }
        #expect(try await server.end(SIGTERM) == 0)
    }
}

/// A device of the user, with a store of its own.
private struct Device {
    let variables: [String]
    private let folder: TemporaryFolder
    private let store: String
    private let server: URL

    init(_ name: String, _ server: URL, _ folder: TemporaryFolder, user: String = "ann") throws {
        variables = ["CABINET_CREDENTIALS=\(folder.path("\(user).json"))"]
        self.folder = folder
        self.server = server
        store = folder.path("\(name)-store")
    }

    /// The words of a call by `env`.
    func words(_ program: String, _ arguments: [String]) -> [String] {
        let path = (try? Program.built(program).executable.path) ?? program
        return variables + [path] + arguments + ["--store", store, "--mirror", server.absoluteString]
    }

    func run(_ program: String, _ arguments: String...) async throws -> Program.Outcome {
        try await Program.installed("env").run(words(program, arguments), in: folder)
    }

    /// Runs a command that must succeed without a complaint, and returns the rows that it prints, by their columns.
    func rows(_ program: String, _ arguments: String...) async throws -> [[String]] {
        let outcome = try await Program.installed("env").run(words(program, arguments), in: folder)
        try #require(outcome.status == 0, "\(outcome.errors)")
        return outcome.lines.map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
    }

    /// Runs a command of the tool on the device's store.
    func cabinet(_ arguments: String...) async throws -> Program.Outcome {
        let path = try Program.built("cabinet").executable.path
        return try await Program.installed("env").run(variables + [path] + arguments + ["--store", store], in: folder)
    }
}
