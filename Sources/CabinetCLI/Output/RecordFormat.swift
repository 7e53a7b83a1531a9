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
            for row in [titles] + rows.map({ $0.map(\.csv) }) { write(csv: row) }
        }
    }

    /// Prints a line of comma-separated values: as they are for a program, and without characters that a terminal would interpret.
    func write(csv cells: [String]) {
        console.write(CSV.line(console.isTerminal ? cells.map(\.printable) : cells))
    }
}

extension JSONValue {
    /// The value in a table: on one line, without characters that a terminal would interpret.
    var cell: String { text.printable }
}
