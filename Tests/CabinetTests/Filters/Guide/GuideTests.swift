import Cabinet
import Foundation
import Testing

@Suite("The guide to filters: every format string in it is read, every row says the same twice")
struct GuideTests {
    static let articles = [
        "Filters", "FilterOperators", "MigratingPredicates", "SortingAndCounting", "QueryCosts",
    ]

    @Test("Both spellings of a row give the same tree")
    func rows() throws {
        for row in GuideRows.all {
            #expect(try row.built == Filter(format: row.format, arguments: row.arguments), "\(row.format)")
        }
    }

    @Test("Every row that stands in a table is among the compiled ones, as it stands there")
    func tables() throws {
        let source = try Self.text(at: "Tests/CabinetTests/Filters/Guide/GuideRows.swift").filter { !$0.isWhitespace }
        var count = 0
        for row in try Self.tables("FilterOperators") where row.header.starts(with: ["Format string", "Swift"]) {
            let format = row.cells[0].code.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
            let compiled = "row(\(row.cells[1].code), \"\(format)\"".filter { !$0.isWhitespace }
            #expect(source.contains(compiled), "\(row.cells[0])")
            count += 1
        }
        #expect(count == GuideRows.all.count)
    }

    @Test("Every format string of the articles is read", arguments: articles)
    func formats(article: String) throws {
        let text = try Self.text(of: article)
        for match in text.matches(of: #/Filter\("((?:[^"\\]|\\.)*)"/#) {
            #expect(Self.isRead(String(match.output.1)), "\(match.output.1)")
        }
        for row in try Self.tables(article) where row.header.first == "Format string" {
            #expect(Self.isRead(row.cells[0].code), "\(row.cells[0])")
        }
    }

    @Test("The differences that the page about NSPredicate lists are refused, and the recommended spellings are parsed")
    func replacements() throws {
        let rows = try Self.tables("MigratingPredicates").filter { $0.header.starts(with: ["NSPredicate", "Cabinet"]) }
        #expect(rows.count > 10)
        for row in rows {
            #expect(!Self.isRead(row.cells[0].code), "\(row.cells[0])")
            #expect(Self.isRead(row.cells[1].code), "\(row.cells[1])")
        }
    }

    @Test("The page's statements about CloudKit agree with the validation")
    func incompatibilities() throws {
        let filter = try Filter("list.name == 'Groceries' OR number > 3")
        let incompatibilities = filter.validateForCloudKit().map(\.description)
        let page = try Self.text(of: "MigratingPredicates")
        #expect(incompatibilities.count == 2)
        for incompatibility in incompatibilities {
            let shown = incompatibility.prefix { $0 != "," }
            #expect(page.contains("\n\(shown)"), "\(incompatibility)")
        }
        for row in try Self.tables("MigratingPredicates") where row.header == ["Format string", "Notes"] {
            guard row.section == "Coming from CKQuery" else { continue }
            #expect(Self.filters(row.cells[0].code).contains { $0.validateForCloudKit().isEmpty }, "\(row.cells[0])")
        }
    }

    // MARK: Reading

    /// A row of a table, with its cells.
    private struct Row {
        let section: String
        let header: [String]
        let cells: [String]
    }

    private static func tables(_ article: String) throws -> [Row] {
        var rows: [Row] = []
        var section = ""
        var header: [String]?
        for line in try text(of: article).components(separatedBy: "\n") {
            if line.hasPrefix("## ") { section = String(line.dropFirst(3)) }
            guard line.hasPrefix("|") else {
                header = nil
                continue
            }
            let cells = line.replacing("\\|", with: "\0").dropFirst().split(
                separator: "|", omittingEmptySubsequences: false
            )
            .map { $0.replacing("\0", with: "|").trimmingCharacters(in: .whitespaces) }
            if let header {
                if !line.hasPrefix("|---") {
                    rows.append(Row(section: section, header: header, cells: Array(cells.dropLast())))
                }
            } else {
                header = Array(cells.dropLast())
            }
        }
        return rows
    }

    /// Whether a format is parsed with some arguments of the types of its specifiers.
    private static func isRead(_ format: String) -> Bool { !filters(format).isEmpty }

    private static func filters(_ format: String) -> [Filter] {
        let specifiers = format.matches(of: #/%(@|K|[a-z]+)/#).map { String($0.output.1) }
        let values: [any FilterArgument] = [
            "x", Location(latitude: 1, longitude: 2), ["x"], 3, Date(), Record(recordType: "Lists"),
        ]
        return values.compactMap { value in
            let arguments = specifiers.map { specifier -> any FilterArgument in
                switch specifier {
                case "@": value
                case "K": "name"
                case "f", "g", "lf": 1.5
                default: 1
                }
            }
            return try? Filter(format: format, arguments: arguments)
        }
    }

    private static func text(of article: String) throws -> String {
        try text(at: "Sources/Cabinet/Cabinet.docc/\(article).md")
    }

    private static func text(at path: String) throws -> String {
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<5 { root.deleteLastPathComponent() }
        return try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }
}

extension String {
    /// The text between the backticks of a cell.
    fileprivate var code: String {
        firstMatch(of: #/`([^`]*)`/#).map { String($0.output.1) } ?? ""
    }
}
