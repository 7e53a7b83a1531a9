import Foundation
import ProgramTestSupport
import Testing

@Suite("Dashboard: records of one name in two zones")
struct ZoneCommandTests {
    private let cabinet: CabinetProgram

    init() async throws {
        cabinet = try CabinetProgram()
        try await cabinet.output("save", "penny", "--type", "Coin", "year=1967")
        try await cabinet.output("zones", "add", "Old")
        try await cabinet.output("save", "penny", "--type", "Coin", "year=1890", "--zone", "Old")
    }

    @Test("A query shows the zones of records outside of the default zone")
    func zones() async throws {
        #expect(
            try await cabinet.rows("query", "Coin", "year < 1900")
                == [["recordName", "zone", "year"], ["penny", "Old", "1890"]])
        let others = try await cabinet.rows("query", "Coin", "year > 1900")
        #expect(others == [["recordName", "year"], ["penny", "1967"]])
        let csv = try await cabinet.output("query", "Coin", "--sort", "year", "--format", "csv")
        #expect(csv == "recordName,zone,year\npenny,Old,1890\npenny,_defaultZone,1967\n")
        let one = try await cabinet.output("query", "Coin", "--format", "csv", "--zone", "_defaultZone")
        #expect(one == "recordName,year\npenny,1967\n")
        let missing = try await cabinet.failure(3, "get", "cent", "--zone", "Old")
        #expect(missing.contains("no such record in the zone 'Old' of the private database"), "\(missing)")
    }

    @Test("The column of the zone is imported, also beside a field of its name")
    func imports() async throws {
        func run(_ words: String...) async throws -> Program.Outcome {
            try await cabinet.program.run(words + ["--store", cabinet.folder.path("other")], in: cabinet.folder)
        }
        func imported() async throws -> String {
            let csv = try await cabinet.output("query", "Coin", "--sort", "year", "--format", "csv")
            return try await run("import", cabinet.folder.write(csv, to: "coins.csv"), "Coin").errors
        }
        #expect(try await imported().contains("The store assigns other values than the file's: zone."))
        _ = try await run("save", "cent", "--type", "Coin", "zone=Tropic")
        try await cabinet.output("save", "penny", "zone=Arctic")
        let errors = try await imported()
        #expect(errors.contains("The store assigns other values than the file's: ___zone."), "\(errors)")
        #expect(try await run("count", "Coin", "zone = 'Arctic'").output == "1\n")
    }

    @Test("The example of a deletion deletes what its query finds, and no record of the same name")
    func printedDeletion() async throws {
        try await cabinet.output("save", "cent", "--type", "Coin", "year=1890")
        let lines = try await cabinet.output("delete", "--help").split(separator: "\n")
        let example = try #require(lines.first { $0.contains("| xargs cabinet delete") })
        let folder = cabinet.program.executable.deletingLastPathComponent().path
        let outcome = try await Program.installed("sh").run(
            ["-c", "export PATH='\(folder)':$PATH CABINET_STORE='\(cabinet.store)'\n\(example)"], in: cabinet.folder)
        #expect(outcome.output == "1 record is deleted.\n", "\(outcome)")
        #expect(try await cabinet.output("count", "Coin") == "2\n")
        #expect(try await cabinet.output("get", "penny").contains("1967"))
    }
}
