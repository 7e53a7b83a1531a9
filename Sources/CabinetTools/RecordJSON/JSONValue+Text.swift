package import Cabinet
import Foundation

extension JSONValue {
    /// The value as plain text, without quotes; the essence of an object.
    package var text: String {
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

    /// The value as a cell of comma-separated values: as plain text where that is read as the same value, and as JSON otherwise.
    package var csv: String {
        switch self {
        case .array: description
        case .object(let members): plain(members.first?.key) ?? description
        default: text
        }
    }

    /// The value of an object as text that is read as the same value; `nil` if no such text exists.
    private func plain(_ kind: String?) -> String? {
        func isRead(_ text: String, as type: FieldType, _ value: JSONValue) -> Bool {
            (try? JSONValue(typed: text, of: "", as: type)) == value
        }
        switch kind {
        case "timestamp":
            // Milliseconds may not be all of the date.
            let isExact = self["seconds"].map { $0.double == RecordJSON.date(text)?.timeIntervalSinceReferenceDate }
            return isExact == false ? nil : text
        case "bytes": return isRead(text, as: .bytes, self) ? text : nil
        case "reference":
            let action = self["action"]?.string ?? "none"
            if action == "none" { return isRead(text, as: .reference, ["reference": .string(text)]) ? text : nil }
            return isRead("\(text) \(action)", as: .reference, self) ? "\(text) \(action)" : nil
        case "location": return isRead(text, as: .location, self) ? text : nil
        case "asset", "list", "double", "encrypted": return nil
        default: return text
        }
    }
}

extension FieldValue {
    /// The value as a person types it, in the form of its type where that says everything, and as JSON otherwise.
    package var typed: String {
        let json = RecordJSON.json(self) { _ in nil }
        switch self {
        case .string(let text) where text.isTypable: return text
        case .timestamp(let date):
            let text = RecordJSON.shown(date)
            return RecordJSON.date(text) == date ? text : json.description
        case .reference(let reference):
            let name = reference.recordID.recordName
            if name.contains(" ") || name.isEmpty || !name.isTypable { return json.description }
            return reference.action == .none ? name : "\(name) \(reference.action)"
        case .location(let place):
            let plain = Location(latitude: place.latitude, longitude: place.longitude)
            return place == plain ? "\(place.latitude), \(place.longitude)" : json.description
        default: return json.description
        }
    }
}

extension String {
    /// Whether the text is read as a text again: it is not JSON, and every character is one that a key gives.
    fileprivate var isTypable: Bool {
        !isEmpty && (try? JSONValue(parsing: self)) == nil
            && !unicodeScalars.contains { $0.isControl && $0 != "\n" && $0 != "\t" }
    }
}

/// Comma-separated values as in RFC 4180, but with the system's line ends.
///
/// A cell is the value with an apostrophe before it if a spreadsheet would run the value as a formula, or if the value looks like such a
/// cell. Reading removes that apostrophe.
package enum CSV {
    /// Returns a line.
    ///
    /// - Parameters:
    ///   - cells: The values.
    ///   - isForSpreadsheet: Whether values that a spreadsheet would run as formulas begin with an apostrophe.
    package static func line(_ cells: [String], isForSpreadsheet: Bool = false) -> String {
        cells.map { cell in
            let needsMark = isForSpreadsheet && isFormula(cell) && Double(cell) == nil || hasMark(cell)
            let cell = needsMark ? "'" + cell : cell
            let needsQuotes = cell.unicodeScalars.contains { [",", "\"", "\n", "\r"].contains($0) }
            if !needsQuotes { return cell }
            // By scalars: a quotation mark and a combining mark after it are one character.
            let parts = cell.unicodeScalars.split(separator: "\"", omittingEmptySubsequences: false)
            return "\"\(parts.map { String($0) }.joined(separator: "\"\""))\""
        }.joined(separator: ",")
    }

    /// Returns the value of a cell.
    static func value(of cell: String) -> String { hasMark(cell) ? String(cell.unicodeScalars.dropFirst()) : cell }

    /// Whether a text begins as the formulas of spreadsheets do.
    private static func isFormula(_ text: String) -> Bool {
        text.unicodeScalars.first.map { "=+-@\t\r".unicodeScalars.contains($0) } == true
    }

    /// Whether a text has an apostrophe, or several, before the beginning of a formula.
    private static func hasMark(_ text: String) -> Bool {
        text.unicodeScalars.first == "'" && isFormula(String(text.unicodeScalars.drop { $0 == "'" }))
    }
}
