import ProgramTestSupport
import Testing

@Suite("Shopping list: two terminals at once", .timeLimit(.minutes(15)))
struct TwoTerminalsTests {
    private let shopping: ShoppingList

    init() throws {
        shopping = try ShoppingList()
    }

    /// Opens the list of groceries in two terminals.
    private func running(_ test: (_ first: Terminal, _ second: Terminal) async throws -> Void) async throws {
        try await shopping.rows("lists", "add", "Groceries")
        try await shopping.rows("items", "add", "Groceries", "Milk", "--number", "2")
        let arguments = ["items", "watch", "Groceries", "--store", shopping.store]
        try await Terminal.running(shopping.program, arguments, in: shopping.folder) { first in
            let other = try TemporaryFolder()
            try await Terminal.running(shopping.program, arguments, in: other) { second in
                try await first.wait(forRow: "Milk", "2")
                try await second.wait(forRow: "Milk", "2")
                try await test(first, second)
            }
        }
    }

    @Test("Changes in one terminal are shown in the other one, whose selection stays")
    func live() async throws {
        try await running { first, second in
            try await first.press("a")
            try await first.type("Bread")
            try await second.wait(forRow: "Bread", "1")
            try await second.wait(for: "› Milk")
            try await second.press("+")
            try await first.wait(forRow: "Milk", "3")
            try await first.press("d", "y")
            try await second.wait(until: "no bread") { !$0.contains("Bread") }
            try await second.wait(for: "1 of 1")
        }
    }

    @Test("One changes the name, the other one the number: both changes are kept")
    func differentFields() async throws {
        try await running { first, second in
            try await first.press("e", "C-u")
            try await first.write("Oat milk")
            try await second.press("e", "Tab", "C-u")
            try await second.type("7")
            try await second.wait(forRow: "Milk", "7")
            try await first.wait(for: "Changed elsewhere to: Milk, 7.")
            try await first.press("Enter")
            for terminal in [first, second] { try await terminal.wait(forRow: "Oat milk", "7") }
        }
        #expect(try await shopping.items("Groceries") == [["Oat milk", "7"]])
    }

    @Test("Both change the number: the second one sees both values, and chooses", arguments: [("m", "9"), ("t", "7")])
    func sameField(answer: String, result: String) async throws {
        try await running { first, second in
            try await first.press("e", "Tab", "C-u")
            try await first.write("9")
            try await second.press("e", "Tab", "C-u")
            try await second.type("7")
            try await second.wait(forRow: "Milk", "7")
            try await first.press("Enter")
            try await first.wait(for: "Another terminal changed the number to 7. You typed 9.")
            #expect(try await shopping.items("Groceries") == [["Milk", "7"]])
            try await first.press(answer)
            for terminal in [first, second] { try await terminal.wait(forRow: "Milk", result) }
        }
        #expect(try await shopping.items("Groceries") == [["Milk", result]])
    }

    @Test("A value that is newer than the decision is asked about again")
    func changedAgain() async throws {
        try await running { first, second in
            try await first.press("e", "Tab", "C-u")
            try await first.write("9")
            try await shopping.rows("items", "number", "Groceries", "Milk", "7")
            try await first.press("Enter")
            try await first.wait(for: "changed the number to 7.")
            try await shopping.rows("items", "number", "Groceries", "Milk", "8")
            try await first.press("m")
            try await first.wait(for: "changed the number to 8.")
            try await first.press("Escape")
            try await first.wait(for: "Edit item")
            try await first.press("Escape")
            try await first.wait(forRow: "Milk", "8")
        }
    }

    @Test("An item that was deleted elsewhere closes its form, with a message")
    func deletedItem() async throws {
        try await running { first, second in
            try await first.press("e")
            try await first.write("!")
            try await first.wait(forRow: "Name", "Milk!")
            try await second.press("d", "y")
            try await first.wait(for: "'Milk' was deleted elsewhere. Nothing was saved.")
            try await first.wait(for: "No Items Found")
        }
    }

    @Test("A list that was deleted elsewhere closes its screen and every form on it, with a message")
    func deletedList() async throws {
        try await running { first, second in
            try await first.press("a")
            try await first.write("Bread")
            try await first.wait(forRow: "Name", "Bread")
            try await shopping.rows("lists", "delete", "Groceries")
            for terminal in [first, second] {
                try await terminal.wait(for: "'Groceries' was deleted elsewhere.")
                try await terminal.wait(for: "[ended with 0]")
            }
        }
    }

    @Test("Prompts of lines merge and ask the same way, and do not ask forever about a deleted record")
    func prompts() async throws {
        try await shopping.rows("lists", "add", "Groceries")
        try await shopping.rows("items", "add", "Groceries", "Milk", "--number", "2")
        let arguments = ["--plain", "--store", shopping.store]
        try await Terminal.running(shopping.program, arguments, in: shopping.folder) { terminal in
            try await terminal.type("1")
            try await terminal.wait(for: "1.  Milk  2")
            try await terminal.type("1")
            try await terminal.wait(for: "Name [Milk]")
            try await shopping.rows("items", "number", "Groceries", "Milk", "7")
            try await terminal.type("Oat milk")
            try await terminal.wait(for: "Number 2:")
            try await terminal.type("")
            try await terminal.wait(for: "1.  Oat milk  7")

            try await terminal.type("1")
            try await terminal.type("")
            try await terminal.wait(for: "Number 7:")
            try await terminal.type("0")
            try await terminal.wait(for: "'0' is too small: type a number from 1 to 999.")
            try await terminal.type("9")
            try await terminal.wait(for: "Number 9:")
            try await shopping.rows("items", "number", "Groceries", "Oat milk", "8")
            try await terminal.type("")
            try await terminal.wait(for: "Another terminal changed the number to 8. You typed 9.")
            try await terminal.type("m")
            try await terminal.wait(for: "1.  Oat milk  9")

            try await terminal.type("1")
            try await terminal.wait(for: "Name [Oat milk]")
            try await shopping.rows("items", "delete", "Groceries", "Oat milk")
            try await terminal.type("Soy milk")
            try await terminal.type("")
            try await terminal.wait(for: "We were not able to save your item.")
            try await terminal.wait(for: "No Items Found")
        }
        #expect(try await shopping.items("Groceries") == [])
    }
}
