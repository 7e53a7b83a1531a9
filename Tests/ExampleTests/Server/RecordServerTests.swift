import Foundation
import ProgramTestSupport
import Testing

@Suite("The examples on a server of their own", .timeLimit(.minutes(15)))
struct RecordServerTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Starts a server with users, and returns it with the users' programs.
    private func serving(
        _ program: String, _ identifier: String, _ users: String...
    ) async throws -> (server: ServingProgram, users: [User]) {
        let (cabinet, store) = (try Program.built("cabinet"), folder.path("store"))
        for name in users {
            for words in [["add", name], ["sign-in", name, "--to", folder.path("\(name).json")]] {
                let outcome = try await cabinet.run(["users"] + words + ["--store", store], in: folder)
                try #require(outcome.status == 0, "\(outcome.errors)")
            }
        }
        let server = try await ServingProgram(store: store, ["--container", identifier], in: folder)
        return (server, try users.map { try User(program, server.url, folder.path("\($0).json")) })
    }

    @Test("Shopping list: each user has lists of their own")
    func shopping() async throws {
        let (server, users) = try await serving("shopping-list", "com.example.shopping-list", "ann", "ben")
        let (ann, ben) = (users[0], users[1])
        #expect(try await ann.run("lists").errors == "No Records Found\n")
        _ = try await ann.rows("lists", "add", "Groceries")
        _ = try await ben.rows("lists", "add", "Hardware")
        _ = try await ann.rows("items", "add", "Groceries", "Milk", "--number", "2")
        #expect(try await ann.rows("lists").map(\.[0]) == ["Groceries"])
        #expect(try await ben.rows("lists").map(\.[0]) == ["Hardware"])
        #expect(try await ben.run("items", "Groceries").status == 3)
        #expect(try await ann.rows("items", "Groceries").map { Array($0.prefix(2)) } == [["Milk", "2"]])
        #expect(try await server.end(SIGTERM) == 0)
    }

    @Test("Shopping list: a list is shared with another user, who changes, watches and leaves it")
    func sharing() async throws {
        let (server, users) = try await serving("shopping-list", "com.example.shopping-list", "ann", "ben", "cleo")
        let (ann, ben, cleo) = (users[0], users[1], users[2])
        let names = try await [ann.rows("user")[0][0], ben.rows("user")[0][0], cleo.rows("user")[0][0]]
        _ = try await ann.rows("lists", "add", "Groceries")
        _ = try await ann.rows("items", "add", "Groceries", "Milk", "--number", "2")
        _ = try await ann.rows("lists", "add", "Secrets")
        #expect(try await ann.run("lists", "users", "Groceries").errors == "The list is not shared.\n")
        let shared = try await ann.rows("lists", "share", "Groceries", names[1])
        #expect(try await ann.rows("lists", "share", "Groceries", names[2], "--read-only") == shared)
        #expect(shared[0][0] == "Groceries")
        // The list has moved to its zone, with its items.
        #expect(try await ann.rows("lists").map(\.[0]) == ["Groceries", "Secrets"])
        #expect(try await ann.rows("items", "Groceries").map { Array($0.prefix(2)) } == [["Milk", "2"]])

        #expect(try await ben.run("lists").errors == "No Records Found\n")
        for user in [ben, cleo] {
            #expect(try await user.rows("lists", "join", shared[0][1]).map(\.[0]) == ["Groceries"])
        }
        _ = try await ben.rows("lists", "add", "Hardware")
        #expect(try await ben.rows("lists").map(\.[0]) == ["Groceries", "Hardware"])
        _ = try await ben.rows("items", "add", "Groceries", "Bread")
        _ = try await ben.rows("items", "number", "Groceries", "Milk", "3")
        #expect(try await cleo.run("items", "add", "Groceries", "Eggs").status == 1)
        #expect(
            try await cleo.rows("items", "Groceries").map { Array($0.prefix(2)) } == [["Bread", "1"], ["Milk", "3"]])
        #expect(
            try await ann.rows("lists", "users", "Groceries") == [
                [names[0], "owner", "has the list"], [names[1], "may change", "has the list"],
                [names[2], "may read", "has the list"],
            ])

        // The participant's screen shows the owner's change at once.
        let words = ben.words(["items", "watch", "Groceries"])
        try await Terminal.running(Program.installed("env"), words, in: ben.folder) { terminal in
            try await terminal.wait(forRow: "Milk", "3")
            _ = try await ann.rows("items", "add", "Groceries", "Eggs", "--number", "6")
            try await terminal.wait(forRow: "Eggs", "6")
        }
        #expect(try await ann.run("lists", "leave", "Secrets").status == 2)
        _ = try await ben.rows("lists", "leave", "Groceries")
        #expect(try await ben.rows("lists").map(\.[0]) == ["Hardware"])
        #expect(try await ben.run("lists", "join", shared[0][1]).status == 1)
        _ = try await ann.rows("lists", "delete", "Groceries")
        #expect(try await cleo.run("lists").errors == "No Records Found\n")
        #expect(try await server.end(SIGTERM) == 0)
    }

    @Test("Shopping list: a list that is watched shows another process's change at once")
    func watching() async throws {
        let (server, users) = try await serving("shopping-list", "com.example.shopping-list", "ann")
        let ann = users[0]
        _ = try await ann.rows("lists", "add", "Groceries")
        let words = ann.words(["items", "watch", "Groceries"])
        try await Terminal.running(Program.installed("env"), words, in: ann.folder) { terminal in
            try await terminal.wait(for: "No Items Found")
            _ = try await ann.rows("items", "add", "Groceries", "Bread", "--number", "3")
            try await terminal.wait(forRow: "Bread", "3")
        }
        _ = try await server.end(SIGTERM)
    }

    @Test("Notes: a second process has the notes and their pictures, and another user has none")
    func notes() async throws {
        let (server, users) = try await serving("notes", "com.example.notes", "ann", "ben")
        let (ann, ben) = (users[0], users[1])
        _ = try await ann.rows("new", "--title", "Hills", "--text", "Dawn", "--image", TestPicture.hills.path)
        let copy = ann.folder.path("hills.jpg")
        _ = try await ann.rows("show", "Hills", "--save-picture", copy)
        #expect(try Data(contentsOf: URL(filePath: copy)) == Data(contentsOf: TestPicture.hills))
        #expect(try await ann.rows("list").map(\.[0]) == ["Hills"])
        #expect(try await ben.run("list").errors == "No Notes Found\n")
        #expect(try await server.end(SIGTERM) == 0)
    }

    #if os(Linux)
    @Test("CloudKit lists: two processes of one user, unmodified")
    func cloudKitLists() async throws {
        let (server, users) = try await serving("CloudKitLists", "iCloud.CloudKitLists", "ann")
        for run in 1...2 {
            let outcome = try await users[0].run()
            #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
            // The second run finds the list that the first one has not deleted.
            #expect(outcome.output.hasPrefix(run == 1 ? "No Records Found" : "Books\n"))
        }
        #expect(try await server.end(SIGTERM) == 0)
    }
    #endif
}

/// A program with the credentials of a user of a server.
private struct User {
    let folder: TemporaryFolder
    private let program: Program
    private let variables: [String]
    private let options: [String]

    init(_ name: String, _ server: URL, _ credentials: String) throws {
        folder = try TemporaryFolder()
        program = try .built(name)
        let isCloudKit = name == "CloudKitLists"
        variables =
            ["CABINET_CREDENTIALS=\(credentials)"] + (isCloudKit ? ["CABINET_STORE=\(server.absoluteString)"] : [])
        options = isCloudKit ? [] : ["--store", server.absoluteString]
    }

    /// The words of a call by `env`.
    func words(_ arguments: [String]) -> [String] { variables + [program.executable.path] + arguments + options }

    func run(_ arguments: String...) async throws -> Program.Outcome {
        try await Program.installed("env").run(words(arguments), in: folder)
    }

    /// Runs a command that must succeed, and returns the rows that it prints, by their columns.
    func rows(_ arguments: String...) async throws -> [[String]] {
        let outcome = try await Program.installed("env").run(words(arguments), in: folder)
        try #require(outcome.status == 0, "\(outcome.errors)")
        return outcome.lines.map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
    }
}
