import ProgramTestSupport
import Testing

@Suite("Shopping list: its screens, through pipes")
struct PipeTests {
    private let shopping: ShoppingList

    init() throws {
        shopping = try ShoppingList()
    }

    @Test("The screens work line by line, without a code that only a terminal understands")
    func story() async throws {
        let outcome = try await shopping.run(input: "a\n \nGroceries\n1\na\nMilk\n++\n\na\nbread\n\nd 1\ny\nq\nq\n")
        #expect(outcome.status == 0)
        #expect(outcome.errors == "")
        #expect(outcome.output.unicodeScalars.allSatisfy { $0 == "\n" || $0.properties.generalCategory != .control })
        for line in [
            "No Records Found", "A name cannot be blank.", "No Items Found", "  2.  Milk   3", "Delete bread? (y/N)",
        ] {
            #expect(outcome.lines.contains(line))
        }
        #expect(!outcome.output.contains("Saving"))
        #expect(try await shopping.items("Groceries") == [["Milk", "3"]])
    }

    @Test("The input may end anywhere", arguments: ["", "a\n", "a\nGroceries\n1\na\nMilk\n+", "7\nx\ne\nd 1 2\n"])
    func endOfInput(input: String) async throws {
        let outcome = try await shopping.run("interactive", input: input)
        #expect(outcome.status == 0)
        #expect(outcome.errors == "")
        if !outcome.lines.contains("Groceries") { #expect(try await shopping.lists() == []) }
    }

    @Test("Editing an item changes its name and number, and never its list")
    func editing() async throws {
        try await shopping.rows("lists", "add", "Groceries")
        try await shopping.rows("items", "add", "Groceries", "Milk")
        let sql = "SELECT list, \"list.action\" FROM Items"
        let before = try await SQLiteShell.output(sql, on: shopping)

        let outcome = try await shopping.run(input: "1\n1\nOat milk\n5\n-\n\n1\n\n\nq\nq\n")
        #expect(outcome.output.contains("Name [Oat milk], or . to cancel:"))
        #expect(try await shopping.items("Groceries") == [["Oat milk", "4"]])
        #expect(try await SQLiteShell.output(sql, on: shopping) == before)
    }

    @Test("A point cancels, and no is the answer unless yes is given")
    func cancelling() async throws {
        try await shopping.rows("lists", "add", "Groceries")
        let outcome = try await shopping.run(input: "a\n.\ne 1\n.\nd 1\n\n1\na\n.\na\nMilk\n.\nq\nq\n")
        #expect(outcome.status == 0)
        #expect(try await shopping.lists() == ["Groceries"])
        #expect(try await shopping.items("Groceries") == [])
    }

    @Test("A store that fails: the tutorial's sentence and the reason, and the screen stays")
    func damagedStore() async throws {
        try await shopping.rows("lists", "add", "Groceries")
        try shopping.damageStore()
        let outcome = try await shopping.run(input: "a\nHardware\n.\nq\n")
        #expect(outcome.status == 0)
        #expect(outcome.lines.contains("Error Fetching Records"))
        #expect(outcome.lines.contains("We were not able to save your list."))
    }

    @Test("Many rows come in pages; a row of another page can be named, too")
    func pages() async throws {
        try await shopping.rows("lists", "add", "Things")
        let names = (1...450).map { "Thing \($0)\n" }.joined()
        try await shopping.rows("items", "add", "Things", "--from-file", "-", input: names)
        let outcome = try await shopping.run(input: "1\nn\nn\nn\nn\nn\np\nd 350\ny\nq\nq\n")
        let numbers = outcome.lines.compactMap { line in
            line.firstMatch(of: #/^ +([0-9]+)\. +Thing [0-9]/#).flatMap { Int($0.1) }
        }
        // The last page is shown twice, because no page follows it.
        let pages = [1...100, 101...200, 201...300, 301...400, 401...450, 401...450, 301...400, 301...400]
        let isPaged = numbers == pages.flatMap { Array($0) }
        #expect(isPaged)
        #expect(outcome.lines.contains("Delete Thing 350? (y/N)"))
        #expect(try await shopping.items("Things").count == 449)
    }
}
