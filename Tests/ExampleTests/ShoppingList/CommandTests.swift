import Foundation
import ProgramTestSupport
import Testing

@Suite("Shopping list: commands report errors")
struct CommandTests {
    private let shopping: ShoppingList

    init() throws {
        shopping = try ShoppingList()
    }

    @Test("An empty or blank name is refused, and nothing is saved", arguments: ["", " ", " \t\n", "\u{3000}"])
    func blankNames(name: String) async throws {
        try await shopping.rows("lists", "add", "Groceries")
        try await shopping.rows("items", "add", "Groceries", "Milk")
        let before = try await shopping.rows("items", "Groceries")

        for command in [
            ["lists", "add", name], ["lists", "rename", "Groceries", name], ["items", "add", "Groceries", name],
            ["items", "rename", "Groceries", "Milk", name],
        ] {
            let outcome = try await shopping.program.run(command + ["--store", shopping.store], in: shopping.folder)
            #expect(outcome.status == 2)
            #expect(outcome.errors == "A name cannot be blank.\n")
            #expect(outcome.output == "")
        }
        let file = try await shopping.run(
            "items", "add", "Groceries", "--from-file", "-", input: "Bread\n\(name)\nEggs\n")
        #expect(file.status == 2)
        #expect(file.errors == "A name cannot be blank: line 2.\n")

        #expect(try await shopping.lists() == ["Groceries"])
        #expect(try await shopping.rows("items", "Groceries") == before)
    }

    @Test("A list or an item that does not exist is distinguished from a failure")
    func notFound() async throws {
        #expect(try await shopping.run("items", "Groceries").status == 3)
        #expect(try await shopping.run("lists", "delete", "Groceries").errors == "There is no list 'Groceries'.\n")

        try await shopping.rows("lists", "add", "Groceries")
        let outcome = try await shopping.run("items", "number", "Groceries", "Milk", "2")
        #expect(outcome.status == 3)
        #expect(outcome.errors == "There is no item 'Milk'.\n")
        #expect(outcome.output == "")
    }

    @Test("A name that several lists have is ambiguous; their record names are not")
    func ambiguous() async throws {
        let first = try await shopping.rows("lists", "add", "Groceries")[0][1]
        let second = try await shopping.rows("lists", "add", "Groceries")[0][1]

        let outcome = try await shopping.run("items", "add", "Groceries", "Milk")
        #expect(outcome.status == 4)
        #expect(outcome.errors.contains(first))
        #expect(outcome.errors.contains(second))

        try await shopping.rows("items", "add", second, "Milk")
        #expect(try await shopping.items(first) == [])
        #expect(try await shopping.items(second) == [["Milk", "1"]])
    }

    @Test(
        "Wrong arguments are refused",
        arguments: [
            ["shop"], ["lists", "shop"], ["--versoin"], ["--plain=yes"], ["lists", "add"], ["lists", "add", "A", "B"],
            ["items"],
            ["items", "add", "A"],
            ["items", "add", "A", "B", "--from-file", "C"], ["items", "add", "A", "B", "--number", "0"],
            ["items", "add", "A", "B", "--number", "1000"], ["items", "add", "A", "B", "--number", "2.5"],
            ["items", "add", "A", "B", "--number"], ["items", "number", "A", "B", "many"], ["lists", "--number", "2"],
            ["lists", "--shop", "2"], ["lists", "--store="], ["demo", "A"], ["--help", "shop"],
        ])
    func usage(arguments: [String]) async throws {
        let outcome = try await shopping.program.run(arguments, in: shopping.folder)
        #expect(outcome.status == 2)
        #expect(outcome.output == "")
        #expect(!outcome.errors.isEmpty)
    }

    @Test("An argument after -- is a name, in any form")
    func endOfOptions() async throws {
        try await shopping.rows("lists", "add", "add")
        let outcome = try await shopping.program.run(
            ["items", "add", "add", "--store", shopping.store, "--", "--help"], in: shopping.folder)
        #expect(outcome.status == 0)
        let items = try await shopping.program.run(
            ["--store", shopping.store, "items", "--", "add"], in: shopping.folder)
        #expect(items.output.hasPrefix("--help\t1\t"))
    }

    @Test("Text that would move the cursor or break a row is shown, not obeyed")
    func controlCharacters() async throws {
        try await shopping.rows("lists", "add", "one\ttwo\nthree\u{1B}[2J")
        #expect(try await shopping.lists() == [#"one\ttwo\nthree\u{1B}[2J"#])
    }

    @Test("Without --store, the store is in the user's folder for data")
    func defaultFolder() async throws {
        let added = try await shopping.program.run(["lists", "add", "Groceries"], in: shopping.folder)
        #expect(added.status == 0)
        #if !os(macOS)
        let found = try await shopping.program.run(
            ["lists", "--store", shopping.folder.path("data/shopping-list")], in: shopping.folder)
        #expect(found.output == added.output)
        #endif
    }

    @Test("A store that cannot be opened: the tutorial's sentence, then the reason")
    func damagedStore() async throws {
        try await shopping.rows("lists", "add", "Groceries")
        let file = try shopping.damageStore()

        let outcome = try await shopping.run("lists")
        #expect(outcome.status == 1)
        #expect(outcome.output == "")
        #expect(outcome.errors.hasPrefix("Error Fetching Records\n"))
        #expect(outcome.errors.contains(file))
    }

    @Test("A file of names that cannot be read")
    func missingFile() async throws {
        try await shopping.rows("lists", "add", "Groceries")
        let outcome = try await shopping.run("items", "add", "Groceries", "--from-file", "missing.txt")
        #expect(outcome.status == 1)
        #expect(outcome.errors.hasPrefix("missing.txt cannot be read as text: "))
    }

    @Test(
        "A number that an item cannot have is refused, with the reason",
        arguments: [
            ("0", "'0' is too small: type a number from 1 to 999."),
            ("-3", "'-3' is too small: type a number from 1 to 999."),
            ("1000", "'1000' is too large: type a number from 1 to 999."),
            ("99999999999999999999999", "'9999999999999999999…' is too large: type a number from 1 to 999."),
            ("-99999999999999999999999", "'-999999999999999999…' is too small: type a number from 1 to 999."),
            ("2.5", "'2.5' is not a whole number: type a number from 1 to 999."),
            ("٣", "'٣' is not a whole number: type a number from 1 to 999."),
        ])
    func numbers(typed: String, message: String) async throws {
        try await shopping.rows("lists", "add", "Groceries")
        let outcome = try await shopping.run("items", "add", "Groceries", "Milk", "--number=\(typed)")
        #expect(outcome.status == 2)
        #expect(outcome.errors == message + "\n")
        #expect(try await shopping.items("Groceries") == [])
    }

    @Test(
        "A misspelled word gets the nearest one as a suggestion",
        arguments: [
            (["item"], "There is no command 'item'. Did you mean 'items'?"),
            (["itmes", "add", "A", "B"], "There is no command 'itmes'. Did you mean 'items add'?"),
            (
                ["lists", "ad", "A"],
                "'ad' is one argument too many. Did you mean 'lists add'? See: shopping-list lists --help"
            ),
            (["--stroe", "x"], "There is no option --stroe. Did you mean '--store'?"),
            (["items", "add", "A", "--form-file=b"], "There is no option --form-file. Did you mean '--from-file'?"),
            (["entirely-different"], "There is no command 'entirely-different'. See: shopping-list --help"),
        ])
    func suggestions(words: [String], message: String) async throws {
        let outcome = try await shopping.program.run(words, in: shopping.folder)
        #expect(outcome.status == 2)
        #expect(outcome.errors == message + "\n")
        #expect(outcome.output == "")
    }

    @Test("--version prints the version, and needs no value")
    func version() async throws {
        for words in [["--version"], ["lists", "--version"]] {
            let outcome = try await shopping.program.run(words, in: shopping.folder)
            #expect(outcome.output.wholeMatch(of: #/shopping-list [0-9]+\.[0-9]+\.[0-9]+\n/#) != nil)
            #expect(outcome.status == 0)
        }
    }

    @Test("An argument that is not UTF-8 is refused, and nothing is saved")
    func invalidText() async throws {
        let script = #""$0" lists add "$(printf 'a\377b')" --store "$1""#
        let shell = Program(executable: URL(filePath: "/bin/sh"))
        let outcome = try await shell.run(
            ["-c", script, shopping.program.executable.path, shopping.store], in: shopping.folder)
        #expect(outcome.status == 2)
        #expect(outcome.errors.hasSuffix(" is not valid UTF-8.\n"))
        #expect(try await shopping.lists() == [])
    }

    @Test("Names with numbers are in their natural order, regardless of case and accents")
    func naturalOrder() async throws {
        for name in ["Thing 10", "thing 2", "Zebra", "Äpfel", "Thing 1", "apple"] {
            try await shopping.rows("lists", "add", name)
        }
        #expect(try await shopping.lists() == ["Äpfel", "apple", "Thing 1", "thing 2", "Thing 10", "Zebra"])
    }

    @Test("A file of names is saved in few transactions, which readers see whole")
    func batches() async throws {
        try await shopping.rows("lists", "add", "Groceries")
        let names = (1...1000).map { "Item \($0)\n" }.joined()
        let rows = try await shopping.rows("items", "add", "Groceries", "--from-file", "-", input: names)
        #expect(rows.map { $0[0] } == (1...1000).map { "Item \($0)" })
        // Records of one transaction have one creation date.
        let dates = try await SQLiteShell.output(
            "SELECT count(DISTINCT \"___createTime\") FROM Items", on: shopping)
        #expect(dates == ["3"])
    }
}
