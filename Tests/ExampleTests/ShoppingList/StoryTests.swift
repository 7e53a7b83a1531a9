import ProgramTestSupport
import Testing

@Suite("Shopping list: the tutorial's story, from the shell")
struct StoryTests {
    private let shopping: ShoppingList

    init() throws {
        shopping = try ShoppingList()
    }

    @Test("Two lists, five items; rename, number, delete; every command is a new process")
    func story() async throws {
        let start = try await shopping.run("lists")
        #expect(start.output == "")
        #expect(start.errors == "No Records Found\n")
        #expect(start.status == 0)

        try await shopping.rows("lists", "add", "Hardware")
        try await shopping.rows("lists", "add", "groceries")
        #expect(try await shopping.lists() == ["groceries", "Hardware"])
        #expect(try await shopping.run("items", "Hardware").errors == "No Items Found\n")

        for name in ["Milk", "bread", "Apples"] { try await shopping.rows("items", "add", "groceries", name) }
        try await shopping.rows("items", "add", "Hardware", "Nails", "--number", "100")
        try await shopping.rows("items", "add", "Hardware", "Hammer")
        #expect(try await shopping.items("groceries") == [["Apples", "1"], ["bread", "1"], ["Milk", "1"]])
        #expect(try await shopping.items("Hardware") == [["Hammer", "1"], ["Nails", "100"]])

        try await shopping.rows("lists", "rename", "groceries", "Groceries")
        try await shopping.rows("items", "rename", "Groceries", "bread", "Rye bread")
        try await shopping.rows("items", "number", "Groceries", "Milk", "2")
        #expect(try await shopping.items("Groceries") == [["Apples", "1"], ["Milk", "2"], ["Rye bread", "1"]])

        try await shopping.rows("items", "delete", "Groceries", "Apples")
        try await shopping.rows("lists", "delete", "Hardware")
        #expect(try await shopping.lists() == ["Groceries"])
        #expect(try await shopping.items("Groceries") == [["Milk", "2"], ["Rye bread", "1"]])
    }

    @Test("Two processes add 1,000 items each to one list at the same time")
    func twoProcesses() async throws {
        try await shopping.rows("lists", "add", "Groceries")
        let outcomes = try await withThrowingTaskGroup(of: Program.Outcome.self) { group in
            for writer in ["A", "B"] {
                let names = (1...1000).map { "\(writer) \($0)\n" }.joined()
                let file = try shopping.folder.write(names, to: "\(writer).txt")
                group.addTask { try await shopping.run("items", "add", "Groceries", "--from-file", file) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        for outcome in outcomes {
            #expect(outcome.errors == "")
            #expect(outcome.status == 0)
            #expect(outcome.lines.count == 1000)
        }
        let items = try await shopping.rows("items", "Groceries")
        #expect(items.count == 2000)
        #expect(Set(items.map { $0[0] }).count == 2000)
        #expect(Set(items.map { $0[2] }).count == 2000)
    }

    @Test("The demo narrates the whole story, the same every time")
    func demo() async throws {
        let expected = try ExpectedOutput.text("demo.txt")
        let inTemporaryFolder = try await shopping.program.run(["demo"], in: shopping.folder)
        #expect(inTemporaryFolder.output == expected)
        #expect(inTemporaryFolder.status == 0)

        let inStore = try await shopping.run("demo")
        #expect(inStore.output == expected)
        #expect(try await shopping.lists() == ["Groceries"])
        #expect(try await shopping.run("demo").status == 2)
        #expect(try await shopping.lists() == ["Groceries"])
    }
}
