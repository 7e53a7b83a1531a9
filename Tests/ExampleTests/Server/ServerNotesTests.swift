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

    @Test("The story: each machine shows what the other one has saved, including pictures")
    func story() async throws {
        let machines = try await machines(2)
        let (phone, tablet) = (machines[0], machines[1])

        #expect(try await phone.run("list").errors == "No Notes Found\n")
        try await phone.rows("new", "--title", "Packing list", "--text", "Tent")
        try await phone.rows("new", "--title", "Hills", "--text", "Dawn", "--image", TestPicture.hills.path)
        #expect(try await tablet.firstColumn("list") == ["Packing list", "Hills"])

        let copy = tablet.folder.path("hills.jpg")
        try await tablet.rows("show", "Hills", "--save-picture", copy)
        #expect(try Data(contentsOf: URL(filePath: copy)) == Data(contentsOf: TestPicture.hills))
        try await tablet.rows("edit", "Hills", "--title", "Hills at dawn")
        try await tablet.rows("delete", "Packing list")
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
