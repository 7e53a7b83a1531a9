import Foundation
import ProgramTestSupport
import Testing

@Suite("Shopping list: its prompts, in a plain terminal", .timeLimit(.minutes(15)))
struct TerminalTests {
    private let shopping: ShoppingList

    init() throws {
        shopping = try ShoppingList()
    }

    @Test("Add, refuse a blank name, step, edit, delete, quit")
    func story() async throws {
        try await Terminal.running(shopping.program, ["--plain", "--store", shopping.store], in: shopping.folder) {
            terminal in
            try await terminal.wait(for: "No Records Found")
            try await terminal.type("a")
            try await terminal.wait(for: "New list")
            try await terminal.type("   ")
            try await terminal.wait(for: "A name cannot be blank.")
            #expect(try await shopping.lists() == [])
            try await terminal.type("Groceries")
            try await terminal.wait(for: "1.  Groceries")

            try await terminal.type("1")
            try await terminal.wait(for: "No Items Found")
            try await terminal.type("a")
            try await terminal.wait(for: "Name")
            try await terminal.type("Milk")
            try await terminal.wait(for: "Number 1:")
            try await terminal.type("+++")
            try await terminal.wait(for: "Number 4:")
            try await terminal.type("-")
            try await terminal.wait(for: "Number 3:")
            try await terminal.type("")
            try await terminal.wait(for: "1.  Milk  3")

            try await terminal.type("1")
            try await terminal.wait(for: "Name [Milk]")
            try await terminal.type("Käse")
            try await terminal.wait(for: "Number 3:")
            try await terminal.type("12")
            try await terminal.wait(for: "Number 12:")
            try await terminal.type("")
            try await terminal.wait(for: "1.  Käse  12")

            try await terminal.type("d 1")
            try await terminal.wait(for: "Käse will be deleted with the next line.")
            try await terminal.type("u")
            try await terminal.wait(for: "1.  Käse  12")
            try await terminal.type("/ kase")
            try await terminal.wait(for: "Search: kase")
            try await terminal.type("d 1")
            try await terminal.wait(for: "No Items Found")
            #expect(try await shopping.items("Groceries") == [["Käse", "12"]])
            try await terminal.type("/")
            // Earlier lines are still on the screen.
            try await terminal.wait(until: "the whole list") { screen in
                guard let search = screen.range(of: "/ show all", options: .backwards) else { return false }
                return screen[search.upperBound...].contains("/ word search")
            }
            #expect(try await shopping.items("Groceries") == [])
            try await terminal.type("q")
            try await terminal.wait(for: "q quit")
            try await terminal.type("d 1")
            try await terminal.wait(for: "Delete Groceries and its items? (y/N)")
            try await terminal.type("y")
            try await terminal.wait(for: "Groceries and its items will be deleted with the next line.")
            try await terminal.wait(for: "No Records Found")
            try await terminal.type("q")
            try await terminal.wait(for: "[ended with 0]")
        }
        #expect(try await shopping.lists() == [])
    }

    @Test("Ctrl-D leaves from a screen below, and unfinished input is not saved")
    func endOfInput() async throws {
        try await shopping.rows("lists", "add", "Groceries")
        try await Terminal.running(shopping.program, ["--plain", "--store", shopping.store], in: shopping.folder) {
            terminal in
            try await terminal.wait(for: "1.  Groceries")
            try await terminal.type("1")
            try await terminal.wait(for: "No Items Found")
            try await terminal.type("a")
            try await terminal.type("Milk")
            try await terminal.wait(for: "Number 1:")
            try await terminal.press("C-d")
            try await terminal.wait(for: "[ended with 0]")
        }
        #expect(try await shopping.items("Groceries") == [])
    }

    @Test("A command's rows are aligned for a person")
    func rows() async throws {
        #expect(try await shopping.run("demo").status == 0)
        let arguments = ["items", "Groceries", "--store", shopping.store]
        try await Terminal.running(shopping.program, arguments, in: shopping.folder) { terminal in
            let screen = try await terminal.wait(for: "[ended with 0]")
            #expect(screen.contains("\nMilk       2  "))
        }
    }
}
