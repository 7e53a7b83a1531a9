import Foundation
import ProgramTestSupport
import Testing

@Suite("Browser: in a terminal", .timeLimit(.minutes(15)))
struct BrowseTerminalTests {
    private let cabinet: CabinetProgram

    init() throws {
        cabinet = try CabinetProgram()
    }

    private func running(
        columns: Int = 80, rows: Int = 24, _ options: String..., test: (Terminal) async throws -> Void
    ) async throws {
        try await Terminal.running(
            cabinet.program, ["browse", "--store", cabinet.store] + options, in: cabinet.folder, columns: columns,
            rows: rows, test)
    }

    @Test("Types, records and a record at both sizes, with all keys on the screen", arguments: [(80, 24), (200, 50)])
    func sizes(columns: Int, rows: Int) async throws {
        try await cabinet.saveCoins()
        try await running(columns: columns, rows: rows) { terminal in
            try await terminal.wait(for: "q quit")
            try await terminal.wait(forRow: "Coin", "3")
            #expect(try await terminal.isFullScreen())
            try await terminal.press("Enter")
            let records = try await terminal.wait(forRow: "euro")
            #expect(records.contains("1 of 3") && records.contains("Esc back") && !records.contains("…"), "\(records)")
            try await terminal.press("G", "Enter")
            let record = try await terminal.wait(for: "→ crown")
            #expect(record.contains("Esc back") && record.contains("Coin › euro"))
            try await terminal.resize(columns: columns - 20, rows: rows - 4)
            try await terminal.wait(for: "→ crown")
            try await terminal.press("Escape", "Escape", "Escape")
            // The first screen stays.
            try await terminal.wait(for: "Record types of")
            try await terminal.press("q")
            try await terminal.wait(for: "[ended with 0]")
            #expect(try await !terminal.isFullScreen())
        }
    }

    @Test("Changes of another program appear at once, in the records and in the list of changes")
    func live() async throws {
        try await cabinet.saveCoins()
        try await running { terminal in
            try await terminal.wait(forRow: "Coin", "3")
            try await cabinet.output("save", "mark", "--type", "Coin", "name=Mark")
            try await terminal.wait(forRow: "Coin", "4")
            try await terminal.press("c")
            try await terminal.wait(for: "Changes in _defaultZone")
            try await terminal.wait(for: "mark")
            try await cabinet.output("delete", "crown")
            try await terminal.wait(forRow: "deleted", "Coin", "crown")
            try await terminal.press("q", "Enter")
            try await terminal.wait(for: "1 of 3")
        }
    }

    @Test("A click selects a row, a second one opens it, and the wheel moves the selection")
    func mouse() async throws {
        try await cabinet.saveCoins()
        try await running { terminal in
            try await terminal.wait(forRow: "Coin", "3")
            try await terminal.press("Enter")
            try await terminal.wait(for: "1 of 3")
            try await terminal.write("\u{1B}[<0;5;6M\u{1B}[<0;5;6m")
            try await terminal.wait(for: "3 of 3")
            try await terminal.write("\u{1B}[<64;5;6M")
            try await terminal.wait(for: "2 of 3")
            try await terminal.write("\u{1B}[<0;5;5M\u{1B}[<0;5;5m")
            try await terminal.wait(for: "Crown, \"silver\"")
        }
    }

    @Test("A field is edited, and the schema is deployed to production, where a new field is refused")
    func deployment() async throws {
        try await cabinet.saveCoins()
        let production = cabinet.folder.path("production")
        try await running { terminal in
            try await terminal.wait(forRow: "Coin", "3")
            try await terminal.press("D")
            try await terminal.wait(for: "Deploy this schema to the store:")
            try await terminal.type(production)
            try await terminal.wait(for: "y deploy")
            try await terminal.press("y")
            try await terminal.wait(for: "(y/N)")
            try await terminal.press("y")
            try await terminal.wait(for: "The schema is deployed.")
        }
        let arguments = ["browse", "--store", production, "--environment", "production"]
        try await Terminal.running(cabinet.program, arguments, in: cabinet.folder) { terminal in
            try await terminal.wait(forRow: "Coin", "0")
            try await terminal.press("Enter")
            try await terminal.wait(for: "No records.")
            try await terminal.press("a")
            try await terminal.type("mark")
            try await terminal.wait(for: "not saved")
            try await terminal.press("+")
            try await terminal.wait(for: "Name of the field:")
            try await terminal.type("metal")
            try await terminal.wait(for: "metal:")
            try await terminal.type("silver")
            try await terminal.wait(for: "metal*")
            try await terminal.press("w")
            try await terminal.wait(for: "To add it to production: cabinet schema deploy")
        }
    }

    @Test("A record type and a field are renamed, and dropped after the number of losses was confirmed")
    func renamesAndDrops() async throws {
        try await cabinet.saveCoins()
        try await cabinet.output("save", "penny", "nmae=Penny")
        try await running { terminal in
            try await terminal.wait(forRow: "Coin", "3")
            try await terminal.press("n")
            try await terminal.wait(for: "New name of Coin:")
            try await terminal.press("C-u")
            try await terminal.type("Token")
            try await terminal.wait(forRow: "Token", "3")
            try await terminal.press("f")
            try await terminal.wait(for: "Token: fields")
            // The fields are name, nmae, old, price, tags and year.
            try await terminal.press("G", "n")
            try await terminal.wait(for: "New name of Token.year:")
            try await terminal.press("C-u")
            try await terminal.type("name")
            try await terminal.wait(for: "both")
            try await terminal.press("n", "C-u")
            try await terminal.type("struck")
            try await terminal.wait(forRow: "struck", "INT64")
            #expect(try await cabinet.output("count", "Token", "struck > 1900") == "2\n")
            try await terminal.press("g", "j", "d")
            try await terminal.wait(for: "Drop Token.nmae with 1 value? (y/N)")
            try await terminal.press("n")
            try await terminal.wait(until: "no question") { $0.contains("nmae") && !$0.contains("Drop Token.nmae") }
            try await terminal.press("d")
            try await terminal.wait(for: "Drop Token.nmae with 1 value? (y/N)")
            try await terminal.press("y")
            try await terminal.wait(until: "no field nmae") { !$0.contains("nmae") && $0.contains("struck") }
            try await terminal.press("Escape")
            try await terminal.wait(forRow: "Token", "3")
            try await terminal.press("d")
            try await terminal.wait(for: "Drop Token with 3 records? (y/N)")
            try await terminal.press("y")
            try await terminal.wait(until: "no type Token") { !$0.contains("Token") && $0.contains("q quit") }
        }
        #expect(try await cabinet.failure(3, "schema", "drop", "Token").contains("The database has none."))
        try await cabinet.output("verify")
    }

    @Test("Without a terminal, the command for scripts is named")
    func pipe() async throws {
        try await cabinet.saveCoins()
        #expect(try await cabinet.failure(2, "browse").contains("For a script: cabinet query TYPE"))
    }
}
