import Cabinet
import Foundation
import Testing

@Suite("Syntax errors: the documentation's table agrees with the parser")
struct FilterMistakesTests {
    private static let article = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Sources/Cabinet/Cabinet.docc/FilterMistakes.md")

    /// A row of the table.
    struct Mistake: CustomTestStringConvertible {
        let format: String
        let expectedMessage: String

        var testDescription: String { format }

        init?(row: String) {
            guard let match = row.wholeMatch(of: #/\| `(.*?)` \| `(.*)` \|/#) else { return nil }
            format = String(match.1.replacing("\\|", with: "|"))
            expectedMessage = String(match.2.replacing("\\|", with: "|"))
        }
    }

    private static func rows() throws -> [String] {
        try String(contentsOf: article, encoding: .utf8).split(separator: "\n").filter { $0.hasPrefix("| `") }.map(
            String.init)
    }

    @Test("Every row of every table is understood")
    func tables() throws {
        let rows = try Self.rows()
        #expect(rows.count > 60)
        for row in rows { #expect(Mistake(row: row) != nil, "\(row)") }
    }

    @Test("Every malformed format gives the documented message")
    func messages() throws {
        for mistake in try Self.rows().compactMap(Mistake.init) {
            do {
                let filter = try Filter(mistake.format)
                Issue.record("\(mistake.format) parses: \(filter)")
            } catch let error as CabinetError {
                #expect(error.code == .invalidArguments)
                let line = error.message.prefix { $0 != "\n" }
                let position = try #require(line.firstMatch(of: #/^The filter cannot be read at position \d+: /#))
                #expect(line[position.range.upperBound...] == mistake.expectedMessage, "\(mistake.format)")
            }
        }
    }
}
