import Foundation
import PostgresTestSupport
import ProgramTestSupport
import Testing

@Suite("Shopping list: two machines and a PostgreSQL server")
struct ServerShoppingTests {
    private func machines(_ count: Int) async throws -> [Machine] {
        let store = try await PostgresServer.shared.value.newDatabase()
        return try (0..<count).map { _ in try Machine("shopping-list", store: store) }
    }

    @Test("The story: each machine sees the other's changes; nothing is stored in their homes")
    func story() async throws {
        let machines = try await machines(2)
        let (home, work) = (machines[0], machines[1])
        #expect(try await home.run("lists").errors == "No Records Found\n")
        try await home.rows("lists", "add", "groceries")
        try await work.rows("lists", "add", "Hardware")
        #expect(try await home.firstColumn("lists") == ["groceries", "Hardware"])
        try await work.rows("items", "add", "groceries", "Milk", "--number", "2")
        try await home.rows("items", "add", "Hardware", "Nails")
        try await home.rows("items", "rename", "groceries", "Milk", "Oat milk")
        #expect(try await work.rows("items", "groceries").map { Array($0.prefix(2)) } == [["Oat milk", "2"]])
        try await work.rows("lists", "delete", "Hardware")
        #expect(try await home.firstColumn("lists") == ["groceries"])
        #expect(try await home.run("items", "Hardware").status == 3)
        for machine in machines {
            #expect(machine.files().allSatisfy { $0.hasSuffix(".out") || $0.hasSuffix(".err") })
        }
    }

    @Test("Two processes add 100 items each to one list at the same time, while a third one watches")
    func together() async throws {
        let machines = try await machines(3)
        try await machines[2].rows("lists", "add", "Groceries")
        try await Terminal.running(
            machines[2].program, ["--store", machines[2].store], in: machines[2].folder
        ) { terminal in
            try await terminal.wait(forRow: "Groceries")
            try await terminal.press("Enter")
            try await terminal.wait(for: "No Items Found")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (machine, name) in zip(machines, ["A", "B"]) {
                    group.addTask {
                        let names = (1...100).map { "\(name) \($0)\n" }.joined()
                        let outcome = try await machine.run(
                            "items", "add", "Groceries", "--from-file", "-", input: names)
                        #expect(outcome.errors == "")
                        #expect(outcome.lines.count == 100)
                    }
                }
                try await group.waitForAll()
            }
            // The screen shows the changes of others at once.
            try await terminal.wait(for: "of 200")
            try await terminal.press("End")
            try await terminal.wait(forRow: "B 100")
        }
        let items = try await machines[0].rows("items", "Groceries")
        #expect(Set(items.map { $0[0] }).count == 200)
        #expect(Set(items.map { $0[2] }).count == 200)
    }

    @Test("A machine that watches a list sees another one's change at once")
    func live() async throws {
        let machines = try await machines(2)
        let (home, shop) = (machines[0], machines[1])
        try await home.rows("lists", "add", "Groceries")
        try await home.rows("items", "add", "Groceries", "Milk")
        try await Terminal.running(
            shop.program, ["items", "watch", "Groceries", "--store", shop.store], in: shop.folder
        ) { terminal in
            try await terminal.wait(forRow: "Milk", "1")
            try await home.rows("items", "add", "Groceries", "Bread", "--number", "3")
            try await terminal.wait(forRow: "Bread", "3")
            try await home.rows("items", "delete", "Groceries", "Bread")
            try await home.rows("items", "number", "Groceries", "Milk", "2")
            #expect(!(try await terminal.wait(forRow: "Milk", "2")).contains("Bread"))
            try await home.rows("lists", "delete", "Groceries")
            try await terminal.wait(for: "'Groceries' was deleted elsewhere.")
        }
    }

    @Test("A restart of the server causes no error, neither for watchers nor for writers")
    func restart() async throws {
        let server = try await PostgresServer(isDurable: true)
        let store = server.connection()
        let (home, shop) = (try Machine("shopping-list", store: store), try Machine("shopping-list", store: store))
        try await home.rows("lists", "add", "Groceries")
        let watching = ["items", "watch", "Groceries", "--store", shop.store]
        try await Terminal.running(shop.program, watching, in: shop.folder) { terminal in
            try await terminal.wait(for: "No Items Found")
            // Several batches: the server is restarted after the first one.
            let names = (1...4000).map { "Item \($0)\n" }.joined()
            async let saving = home.run("items", "add", "Groceries", "--from-file", "-", input: names)
            try await terminal.wait(for: "Item ")
            try await server.restart(.immediate)
            let outcome = try await saving
            #expect(outcome.errors == "")
            #expect(outcome.status == 0)
            #expect(outcome.lines.count == 4000)
            try await terminal.wait(for: "of 4000")
            try await home.rows("lists", "delete", "Groceries")
            try await terminal.wait(for: "'Groceries' was deleted elsewhere.")
        }
    }

    @Test("The demo narrates the same story as in a folder, and needs an empty store")
    func demo() async throws {
        let machine = try await machines(1)[0]
        let outcome = try await machine.run("demo")
        #expect(outcome.errors == "")
        #expect(outcome.output == (try ExpectedOutput.text("demo.txt")))
        #expect(try await machine.firstColumn("lists") == ["Groceries"])
        let again = try await machine.run("demo")
        #expect(again.status == 2)
        #expect(again.errors.contains("empty store, but postgresql://"))
        #expect(!again.errors.contains("cabinet@"))
    }
}
