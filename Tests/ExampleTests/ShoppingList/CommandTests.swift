import Testing

@Suite("Shopping list: commands say what is wrong")
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

    @Test("A list or an item that does not exist is told from a failure")
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
            ["shop"], ["lists", "shop"], ["lists", "add"], ["lists", "add", "A", "B"], ["items"],
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

    @Test("What follows -- is a name, whatever it looks like")
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
}
