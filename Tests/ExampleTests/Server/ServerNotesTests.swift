import Foundation
import PostgresTestSupport
import ProgramTestSupport
import Testing

@Suite("Notes: two machines and a PostgreSQL server")
struct ServerNotesTests {
    private func machines(_ count: Int, password: String = "") async throws -> [Machine] {
        // The server requires no password, and accepts any.
        let store = try await PostgresServer.shared.value.newDatabase().replacing(
            "cabinet@", with: "cabinet\(password)@")
        return try (0..<count).map { _ in try Machine("notes", store: store) }
    }

    @Test("The story: each machine fetches only changes, including pictures")
    func story() async throws {
        let machines = try await machines(2)
        let (phone, tablet) = (machines[0], machines[1])
        func fetched(by machine: Machine) async throws -> String { try await machine.run("list", "--verbose").errors }

        #expect(try await phone.run("list").errors == "No Notes Found\n")
        try await phone.rows("new", "--title", "Packing list", "--text", "Tent")
        try await phone.rows("new", "--title", "Hills", "--text", "Dawn", "--image", TestPicture.hills.path)
        #expect(try await fetched(by: tablet) == "Fetched the latest changes: 2 notes, 0 deletions.\n")
        #expect(try await fetched(by: tablet) == "Fetched the latest changes: 0 notes, 0 deletions.\n")
        #expect(
            try await fetched(by: phone)
                == "Fetched the latest changes: 0 notes, 1 that this device has saved itself, 0 deletions.\n")

        let copy = tablet.folder.path("hills.jpg")
        try await tablet.rows("show", "Hills", "--save-picture", copy)
        #expect(try Data(contentsOf: URL(filePath: copy)) == Data(contentsOf: TestPicture.hills))
        try await tablet.rows("edit", "Hills", "--title", "Hills at dawn")
        try await tablet.rows("delete", "Packing list")
        #expect(try await fetched(by: phone) == "Fetched the latest changes: 1 note, 1 deletion.\n")
        #expect(try await fetched(by: phone) == "Fetched the latest changes: 0 notes, 0 deletions.\n")
        #expect(try await phone.firstColumn("list") == ["Hills at dawn"])
    }

    @Test("Two machines create notes at the same time, and both end with all of them")
    func together() async throws {
        let machines = try await machines(2)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (machine, name) in zip(machines, ["A", "B"]) {
                group.addTask {
                    for number in 1...4 {
                        try await machine.rows("new", "--title", "\(name) \(number)", "--text", "Text")
                    }
                }
            }
            try await group.waitForAll()
        }
        let expected = Set(["A", "B"].flatMap { name in (1...4).map { "\(name) \($0)" } })
        for machine in machines {
            let rows = try await machine.rows("list")
            #expect(Set(rows.map { $0[0] }) == expected)
            #expect(Set(rows.map { $0[4] }).count == 8)
        }
    }

    @Test(
        "The fetched notes are in the user's cache folder, or in the given one, without the password"
    )
    func cache() async throws {
        let machine = try await machines(1, password: ":geheim")[0]
        try await machine.rows("new", "--title", "Note", "--text", "Text")
        func kept() -> [String] { machine.files().filter { $0.hasSuffix("local-notes.json") } }
        let file = try #require(kept().first)
        #if !os(macOS)
        #expect(file.hasPrefix("cache/notes/"))
        #endif
        #expect(!file.contains("geheim"))
        #expect(!(try String(contentsOfFile: machine.folder.path(file), encoding: .utf8)).contains("geheim"))

        let other = machine.folder.path("elsewhere")
        let outcome = try await machine.run("list", "--verbose", "--cache", other)
        #expect(outcome.errors == "Fetched the latest changes: 1 note, 0 deletions.\n")
        #expect(Set(kept()) == [file, "elsewhere/local-notes.json"])
    }

    @Test("The demo narrates the same story as in a folder, and leaves no file")
    func demo() async throws {
        let machine = try await machines(1)[0]
        let outcome = try await machine.run("demo")
        #expect(outcome.errors == "")
        #expect(outcome.output == (try ExpectedOutput.text("notes-demo.txt")))
        #expect(machine.files().allSatisfy { $0.hasSuffix(".out") || $0.hasSuffix(".err") })
        let again = try await machine.run("demo")
        #expect(again.status == 2)
        #expect(again.errors.contains("empty store, but postgresql://"))
        #expect(try await machine.firstColumn("list") == ["Hills at dawn"])
    }
}
