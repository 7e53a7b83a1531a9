import Cabinet
import CabinetSQLite
import Foundation
import ProgramTestSupport
import Testing

@testable import CabinetCLI

@Suite("Dashboard: texts that a terminal would interpret")
struct ControlCharacterTests {
    /// Codes that color the text after them.
    private static let hostile = "\u{1B}[31mred\u{9B}32m"

    private let cabinet: CabinetProgram

    init() throws {
        cabinet = try CabinetProgram()
    }

    private func saveHostileRecord() async throws {
        try await cabinet.output(
            "save",
            input: #"{"recordName":"r","recordType":"Coin","fields":{"name":"\u001b[31mred\u009b32m"}}"#)
    }

    @Test("CSV in a pipe is unchanged, and a table and JSON have no codes")
    func pipe() async throws {
        try await saveHostileRecord()
        #expect(try await cabinet.output("query", "Coin", "--format", "csv").contains("r,\(Self.hostile)\n"))
        let table = try await cabinet.output("query", "Coin")
        #expect(table.contains(#"\u{1B}[31mred\u{009B}32m"#), "\(table)")
        let json = try await cabinet.output("query", "Coin", "--format", "json")
        #expect(json.contains(#""\u001b[31mred\u009b32m""#), "\(json)")
        try await cabinet.output("save", input: json)
        #expect(try await cabinet.output("query", "Coin", "--format", "csv").contains("r,\(Self.hostile)\n"))
    }

    @Test("CSV on a terminal has no codes", .timeLimit(.minutes(15)))
    func terminal() async throws {
        try await saveHostileRecord()
        let arguments = ["query", "Coin", "--format", "csv", "--store", cabinet.store]
        try await Terminal.running(cabinet.program, arguments, in: cabinet.folder) { terminal in
            try await terminal.wait(for: "[ended with 0]")
            let shown = try terminal.everythingShown()
            #expect(shown.contains(#"r,\u{1B}[31mred\u{009B}32m"#))
            #expect(!shown.contains("\u{1B}[31m") && !shown.contains("\u{9B}"))
        }
    }

    @Test("Errors have no codes, wherever they are printed")
    func errors() async throws {
        try await saveHostileRecord()
        let errors = try await cabinet.failure(2, "get", Self.hostile)
        #expect(errors.contains(#"\u{1B}[31mred\u{009B}32m"#), "\(errors)")
        #expect(!errors.contains("\u{1B}") && !errors.contains("\u{9B}"))
        let unknown = try await cabinet.failure(2, "query", "Coin", Self.hostile)
        #expect(!unknown.contains("\u{1B}") && !unknown.contains("\u{9B}"), "\(unknown)")
    }
    @Test(
        "The names of a schema that another program or a server has made have no codes, in exports, differences and screens"
    )
    func schemas() async throws {
        try await saveHostileRecord()
        let backend = SQLiteBackend(directory: URL(filePath: cabinet.store))
        try await backend.write(.private(owner: Account.default.userRecordName)) {
            let field = StoredField(name: "red", type: .string)
            try await $0.apply([.addFields([field], to: Self.hostile)])
        }
        await backend.close()
        let other = try cabinet.folder.write("DEFINE SCHEMA RECORD TYPE Coin (name STRING);", to: "other.ckdb")
        for words in [["schema", "export"], ["schema", "diff", other], ["schema", "deploy", "--dry-run", other]] {
            let outcome = try await cabinet.program.run(words + ["--store", cabinet.store], in: cabinet.folder)
            #expect(outcome.output.contains(#"\u{1B}[31mred\u{009B}32m"#), "\(words): \(outcome.output)")
            #expect(!outcome.output.contains("\u{1B}") && !outcome.output.contains("\u{9B}"))
        }
        let zone = TypesScreen(zoneID: RecordZone.ID(zoneName: Self.hostile))
        #expect(zone.title == #"Zone \u{1B}[31mred\u{009B}32m"#)
    }
}
