import Cabinet
import CabinetSQLite
import Foundation
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
        let outcome = try await shopping.run(input: "a\n \nGroceries\n1\na\nMilk\n++\n\na\nbread\n\nd 1\nq\nq\n")
        #expect(outcome.status == 0)
        #expect(outcome.errors == "")
        #expect(outcome.output.unicodeScalars.allSatisfy { $0 == "\n" || $0.properties.generalCategory != .control })
        for line in [
            "No Records Found", "A name cannot be blank.", "No Items Found", "  2.  Milk   3",
            "bread will be deleted with the next line.",
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

    @Test("A number that another program has saved out of the range is refused with its step")
    func greatNumber() async throws {
        try await shopping.rows("lists", "add", "Groceries")
        try await shopping.rows("items", "add", "Groceries", "Milk")
        let container = try Container(
            identifier: "test", backend: SQLiteBackend(directory: URL(filePath: shopping.store)))
        var item = try #require(
            try await container.privateDatabase.allRecords(matching: Query(recordType: "Items")).first)
        item["number"] = Int.max
        try await container.privateDatabase.save(item)
        await container.close()
        let outcome = try await shopping.run(input: "1\n1\n\n+\n3\n\nq\nq\n")
        #expect(outcome.status == 0 && outcome.output.contains("is too large"), "\(outcome.output)\(outcome.errors)")
        #expect(try await shopping.items("Groceries") == [["Milk", "3"]])
    }

    @Test("The next line undoes a deletion if it is u; another line, and the end of the input, perform it")
    func undoing() async throws {
        try await shopping.rows("lists", "add", "Groceries")
        for name in ["Apples", "Bread", "Milk"] { try await shopping.rows("items", "add", "Groceries", name) }
        let outcome = try await shopping.run(input: "1\nd 2\nu\nu\nd 2\nd 2\nq\nd 1\ny\nu\nq\n")
        #expect(outcome.status == 0)
        // The row has its number again, and after its deletion the next one has it.
        #expect(
            outcome.output.matches(of: #/(\w+) will be deleted with the next line\./#).map { $0.1 }
                == ["Bread", "Bread", "Milk", "items"])
        #expect(outcome.lines.contains("There is nothing to undo."))
        #expect(try await shopping.items("Groceries") == [["Apples", "1"]])

        #expect(try await shopping.run("interactive", input: "1\nd 1\n").status == 0)
        #expect(try await shopping.items("Groceries") == [])
        #expect(try await shopping.run("interactive", input: "d 1\nyes\n\n").status == 0)
        #expect(try await shopping.lists() == [])
    }

    @Test("A deletion that fails shows the row and the reason, and the line that was typed has no effect")
    func failedDeletion() async throws {
        try await shopping.rows("lists", "add", "Groceries")
        for name in ["Apples", "Bread"] { try await shopping.rows("items", "add", "Groceries", name) }
        let trigger = "CREATE TRIGGER stop BEFORE DELETE ON Items BEGIN SELECT RAISE(ABORT, 'It stays.'); END"
        let file = try #require(SQLiteShell.files(in: shopping.store).first)
        #expect(try await Program.installed("sqlite3").run([file, trigger], in: shopping.folder).status == 0)
        let outcome = try await shopping.run(input: "1\nd 1\nd 1\nq\nd 1\n")
        #expect(outcome.lines.contains("We are unable to delete the item."))
        #expect(outcome.lines.filter { $0 == "  1.  Apples  1" }.count == 2)
        #expect(!outcome.output.contains("Bread will be deleted"))
        #expect(try await shopping.items("Groceries").count == 2)
    }

    @Test("A search shows the rows with its words, numbered, also those of pages that were not seen, until / ends it")
    func search() async throws {
        try await shopping.rows("lists", "add", "Things")
        let names = (1...450).map { $0 % 200 == 0 ? "Käse \($0)\n" : "Thing \($0)\n" }.joined()
        try await shopping.rows("items", "add", "Things", "--from-file", "-", input: names)
        let outcome = try await shopping.run(
            input: "1\nn\n/ kase 00\nd 2\nu\n3\n2\nKäse\n\n/THING 44\n/\n/ nothing\nq\nq\n")
        #expect(outcome.status == 0)
        #expect(outcome.lines.contains("Search: kase 00"))
        #expect(outcome.lines.filter { $0 == "  1.  Käse 200  1" }.count == 5)
        #expect(outcome.lines.filter { $0 == "  2.  Käse 400  1" }.count == 3)
        #expect(outcome.lines.contains("Search: THING 44"))
        #expect(outcome.lines.contains("There is no row 3."))
        #expect(outcome.lines.contains("No Items Found"))
        #expect(try await shopping.items("Things").contains(["Käse", "1"]))
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
        let outcome = try await shopping.run(input: "1\nn\nn\nn\nn\nn\np\nd 350\nq\nq\n")
        let numbers = outcome.lines.compactMap { line in
            line.firstMatch(of: #/^ +([0-9]+)\. +Thing [0-9]/#).flatMap { Int($0.1) }
        }
        // The last page is shown twice, because no page follows it.
        let pages = [1...100, 101...200, 201...300, 301...400, 401...450, 401...450, 301...400, 301...400]
        let isPaged = numbers == pages.flatMap { Array($0) }
        #expect(isPaged)
        #expect(outcome.lines.contains("Thing 350 will be deleted with the next line."))
        #expect(try await shopping.items("Things").count == 449)
    }
}
