import ProgramTestSupport
import TerminalProgram
import Testing

@Suite("Shopping list: its full screen", .timeLimit(.minutes(15)))
struct FullScreenTests {
    private let shopping: ShoppingList

    init() throws {
        shopping = try ShoppingList()
    }

    private func running(
        columns: Int = 80, rows: Int = 24, environment: [String] = [], _ test: (Terminal) async throws -> Void
    ) async throws {
        try await Terminal.running(
            shopping.program, ["--store", shopping.store], in: shopping.folder, columns: columns, rows: rows,
            environment: environment, test)
    }

    @Test("Add, refuse a blank name, step, edit, delete, undo, quit; progress appears and disappears")
    func story() async throws {
        try await running { terminal in
            try await terminal.wait(for: "No Records Found")
            #expect(try await terminal.isFullScreen())
            try await terminal.press("a")
            try await terminal.wait(for: "New list")
            try await terminal.wait(for: "A name cannot be blank.")
            try await terminal.type("   ")
            try await terminal.press("C-u")
            #expect(try await shopping.lists() == [])
            try await terminal.type("Groceries")
            try await terminal.wait(forRow: "Groceries")

            try await terminal.press("Enter")
            try await terminal.wait(for: "No Items Found")
            try await terminal.press("a")
            try await terminal.wait(for: "New item")
            try await terminal.write("Milk")
            try await terminal.press("Tab")
            try await terminal.write("+++-")
            try await terminal.wait(forRow: "Number", "3")
            try await terminal.press("Enter")
            try await terminal.wait(forRow: "Milk", "3")

            try await terminal.press("+", "+", "-")
            try await terminal.wait(forRow: "Milk", "4")
            try await terminal.press("Enter", "C-u")
            try await terminal.type("Käse 🧀")
            let screen = try await terminal.wait(forRow: "Käse 🧀", "4")
            #expect(!screen.contains("Saving"))

            try await terminal.press("d")
            try await terminal.wait(for: "Käse 🧀 will be deleted with the next key.")
            try await terminal.wait(for: "No Items Found")
            try await terminal.press("u")
            try await terminal.wait(forRow: "Käse 🧀", "4")
            #expect(try await shopping.items("Groceries") == [["Käse 🧀", "4"]])
            try await terminal.press("d")
            try await terminal.wait(for: "No Items Found")
            try await terminal.press("Escape")
            // The list's name is on its own screen too.
            try await terminal.wait(until: "the lists") { $0.contains("Groceries") && !$0.contains("No Items Found") }
            #expect(try await shopping.items("Groceries") == [])
            try await terminal.press("d")
            try await terminal.wait(for: "Delete Groceries and its items?")
            try await terminal.press("y")
            try await terminal.wait(for: "Groceries and its items will be deleted with the next key.")
            try await terminal.wait(for: "No Records Found")
            #expect(try await shopping.lists() == ["Groceries"])
            try await terminal.press("q")
            try await terminal.wait(for: "[ended with 0]")
            #expect(try await !terminal.isFullScreen())

            let shown = try terminal.everythingShown()
            for progress in ["Fetching…", "Saving…", "Deleting…"] { #expect(shown.contains(progress)) }
        }
        #expect(try await shopping.lists() == [])
    }

    @Test("A number that an item cannot have is refused while it is typed; nothing is rounded")
    func numbers() async throws {
        try await shopping.rows("lists", "add", "Groceries")
        try await shopping.rows("items", "add", "Groceries", "Milk", "--number", "998")
        try await running { terminal in
            try await terminal.wait(forRow: "Groceries")
            try await terminal.press("Enter")
            try await terminal.wait(forRow: "Milk", "998")
            try await terminal.press("e", "Tab", "C-u")
            for (typed, message) in [
                ("0", "'0' is too small"), ("99999999", "is too large"), ("x", "is not a whole number"),
            ] {
                try await terminal.write(typed)
                try await terminal.wait(for: message)
                try await terminal.press("Enter", "C-u")
                try await terminal.wait(for: "Edit item")
            }
            try await terminal.type("999")
            try await terminal.wait(forRow: "Milk", "999")
            try await terminal.press("+")
            try await terminal.wait(for: "'1000' is too large: type a number from 1 to 999.")
        }
        #expect(try await shopping.items("Groceries") == [["Milk", "999"]])
    }

    @Test("2,000 rows: only those that fit are shown, the selection is always one of them, and the order is natural")
    func manyRows() async throws {
        try await shopping.rows("lists", "add", "Things")
        let names = (1...2000).map { "Thing \($0)\n" }.joined()
        try await shopping.rows("items", "add", "Things", "--from-file", "-", input: names)
        try await running { terminal in
            try await terminal.wait(forRow: "Things")
            try await terminal.press("Enter")
            let first = try await terminal.wait(for: "1 of 2000")
            // The rows of the terminal, without the title, the message and the keys.
            #expect(
                first.rows.filter { $0.first?.hasPrefix("Thing ") == true }.map { $0[0] }
                    == (1...20).map { "Thing \($0)" })
            try await terminal.press("NPage")
            #expect(try await terminal.wait(for: "21 of 2000").contains("› Thing 21 "))
            try await terminal.press("End")
            let last = try await terminal.wait(for: "2000 of 2000")
            #expect(last.contains("› Thing 2000"))
            #expect(last.contains("  Thing 1981"))
            #expect(!last.contains("Thing 1980"))
            try await terminal.press("Up")
            try await terminal.wait(for: "› Thing 1999")
            try await terminal.press("Home")
            try await terminal.wait(for: "1 of 2000")
        }
    }

    @Test("A search shows the rows with its words as it is typed, is kept by Enter, and ended by Escape")
    func search() async throws {
        try await shopping.rows("lists", "add", "Things")
        let names = (1...200).map { $0 % 50 == 0 ? "Käse \($0)\n" : "Thing \($0)\n" }.joined()
        try await shopping.rows("items", "add", "Things", "--from-file", "-", input: names)
        try await running { terminal in
            try await terminal.wait(forRow: "Things")
            // On the first screen, only q quits.
            try await terminal.press("Escape", "Escape", "Enter")
            try await terminal.wait(for: "1 of 200")
            try await terminal.press("/")
            try await terminal.wait(for: "Search:")
            try await terminal.write("kase 5")
            #expect(try await terminal.wait(for: "1 of 2").contains("› Käse 50 "))
            try await terminal.press("Down")
            try await terminal.wait(for: "› Käse 150 ")
            try await terminal.press("Enter", "+")
            try await terminal.wait(forRow: "Käse 150", "2")
            try await terminal.wait(for: "'kase 5' 2 of 2")
            try await terminal.press("d")
            try await terminal.wait(for: "'kase 5' 1 of 1")
            try await terminal.press("u")
            try await terminal.wait(for: "› Käse 150 ")
            try await terminal.press("Escape")
            #expect(try await terminal.wait(for: "of 200").contains("› Käse 150 "))
            try await terminal.press("Escape")
            try await terminal.wait(forRow: "Things")
        }
    }

    @Test("The end of the input is the next key: what waits for it is deleted")
    func deletionAtEnd() async throws {
        try await shopping.rows("lists", "add", "Groceries")
        try await shopping.rows("items", "add", "Groceries", "Milk")
        try await running { terminal in
            try await terminal.wait(forRow: "Groceries")
            try await terminal.press("Enter")
            try await terminal.wait(forRow: "Milk", "1")
            try await terminal.press("d")
            try await terminal.wait(for: "No Items Found")
            try await terminal.press("C-d")
            try await terminal.wait(for: "[ended with 0]")
        }
        #expect(try await shopping.items("Groceries") == [])
    }

    @Test("Long names of every width are cut at the edge, so that the numbers stay in their column")
    func longNames() async throws {
        try await shopping.rows("lists", "add", "Things")
        for name in [String(repeating: "long ", count: 40), String(repeating: "日本", count: 60), "e\u{301}a 🧀 short"] {
            try await shopping.rows("items", "add", "Things", name, "--number", "12")
        }
        for (columns, rows) in [(80, 24), (200, 50), (30, 8)] {
            try await running(columns: columns, rows: rows) { terminal in
                try await terminal.wait(forRow: "Things")
                try await terminal.press("Enter")
                let screen = try await terminal.wait(for: "of 3")
                let lines = screen.split(separator: "\n").filter { $0.hasSuffix(" 12") }
                #expect(lines.count == 3)
                // Characters of two columns are one character each.
                #expect(lines.allSatisfy { $0.reduce(0) { $0 + $1.columns } == columns })
                #expect(lines.filter { $0.contains("…") }.count == 2)
            }
        }
        let command = ["items", "Things", "--store", shopping.store]
        try await Terminal.running(shopping.program, command, in: shopping.folder, columns: 80, rows: 24) { terminal in
            let screen = try await terminal.wait(for: "[ended with 0]")
            #expect(screen.split(separator: "\n").count == 4)
        }
    }

    @Test("A terminal of another size gets a whole screen, also a tiny one")
    func resizing() async throws {
        try await shopping.rows("lists", "add", "Things")
        try await shopping.rows(
            "items", "add", "Things", "--from-file", "-", input: (1...40).map { "Thing \($0)\n" }.joined())
        try await running { terminal in
            try await terminal.wait(forRow: "Things")
            try await terminal.press("Enter")
            try await terminal.wait(for: "  Thing 20 ")
            try await terminal.resize(columns: 200, rows: 50)
            try await terminal.wait(for: "  Thing 40 ")
            for (columns, rows) in [(10, 5), (3, 2), (1, 1)] {
                try await terminal.resize(columns: columns, rows: rows)
                try await terminal.press("Down")
            }
            try await terminal.resize(columns: 80, rows: 24)
            try await terminal.wait(for: "› Thing 4 ")
            try await terminal.press("a")
            try await terminal.resize(columns: 60, rows: 20)
            try await terminal.type("New thing")
            try await terminal.wait(for: "of 41")
        }
    }

    @Test("Text that is pasted is not a command, and its line breaks do not end the form")
    func paste() async throws {
        try await running { terminal in
            try await terminal.wait(for: "No Records Found")
            try await terminal.paste("quit")
            try await terminal.press("a")
            try await terminal.wait(for: "New list")
            try await terminal.paste("Fruit\nand vegetables")
            try await terminal.wait(forRow: "Name", "Fruit and vegetables")
            try await terminal.press("Home", "Delete", "Right", "BSpace")
            try await terminal.type("F")
            try await terminal.wait(forRow: "Fuit and vegetables")
        }
        #expect(try await shopping.lists() == ["Fuit and vegetables"])
    }

    @Test("Colors, without NO_COLOR; and prompts of lines if the terminal supports nothing else")
    func colors() async throws {
        try await shopping.rows("lists", "add", "Groceries")
        // `swift test` sets the variable for the tests themselves.
        try await running(environment: ["-u", "NO_COLOR"]) { terminal in
            try await terminal.wait(forRow: "Groceries")
            #expect(try await terminal.styledScreen().contains(#/\u{1B}\[[0-9;]*36m/#))
        }
        try await running(environment: ["NO_COLOR=1"]) { terminal in
            try await terminal.wait(forRow: "Groceries")
            let screen = try await terminal.styledScreen()
            #expect(!screen.contains(#/\u{1B}\[[0-9;]*3[0-7]m/#))
            // The selection must still be visible.
            #expect(screen.contains(#/\u{1B}\[[0-9;]*7m/#))
        }
        try await running(environment: ["TERM=dumb"]) { terminal in
            try await terminal.wait(for: "1.  Groceries")
            #expect(try await !terminal.isFullScreen())
            #expect(!(try terminal.everythingShown()).drop { $0 != "L" }.contains("\u{1B}"))
        }
    }
}
