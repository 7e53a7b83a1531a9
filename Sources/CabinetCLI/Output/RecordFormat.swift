import Cabinet
import CabinetTools
import Foundation
import TerminalProgram

/// The formats in which records are printed.
enum RecordFormat: String, CaseIterable {
    case table
    case json
    case csv
}

extension Invocation {
    func format() throws(CommandError) -> RecordFormat {
        guard let text = option(CLIOption.format) else { return .table }
        if let format = RecordFormat(rawValue: text) { return format }
        throw .usage("There is no format '\(text.printable)'. Use table, json or csv.")
    }

    /// Prints rows below their titles: as a table, as objects with the titles as keys, or as CSV.
    func write(_ titles: [String], _ rows: [[JSONValue]]) throws {
        switch try format() {
        case .table:
            console.write(rows: [titles] + rows.map { $0.map(\.cell) })
        case .json:
            for row in rows {
                let members = zip(titles, row).map { JSONValue.Member(key: $0, value: $1) }
                console.write(JSONValue.object(members).description)
            }
        case .csv:
            for row in [titles] + rows.map({ $0.map(\.text) }) { write(csv: row) }
        }
    }

    /// Prints a line of comma-separated values: as they are for a program, and without characters that a terminal would interpret.
    func write(csv cells: [String]) {
        console.write(CSV.line(console.isTerminal ? cells.map(\.printable) : cells))
    }
}

/// Comma-separated values as in RFC 4180, but with the system's line ends.
enum CSV {
    static func line(_ cells: [String]) -> String {
        cells.map { cell in
            let needsQuotes = cell.unicodeScalars.contains { [",", "\"", "\n", "\r"].contains($0) }
            return needsQuotes ? "\"" + cell.replacing("\"", with: "\"\"") + "\"" : cell
        }.joined(separator: ",")
    }
}

extension JSONValue {
    /// The value as plain text, without quotes; the essence of an object.
    var text: String {
        switch self {
        case .null: ""
        case .string(let text): text
        case .array(let values): values.map(\.text).joined(separator: ", ")
        case .object(let members):
            switch members.first?.key {
            case "location":
                "\(self["location"]?["latitude"]?.text ?? ""), \(self["location"]?["longitude"]?.text ?? "")"
            case "asset": "\(self["size"]?.text ?? "0") bytes"
            case "list": ""
            default: members.first?.value.text ?? ""
            }
        default: description
        }
    }

    /// The value in a table: on one line, without characters that a terminal would interpret.
    var cell: String { text.printable }
}
