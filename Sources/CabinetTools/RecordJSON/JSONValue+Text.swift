package import Cabinet

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
}

extension FieldValue {
    /// The value as a person types it: text as such, unless it would be read as JSON or has characters that no key gives, and other
    /// values as JSON.
    package var typed: String {
        let json = RecordJSON.json(self) { _ in nil }
        guard case .string(let text) = json, !text.isEmpty, (try? JSONValue(parsing: text)) == nil,
            !text.unicodeScalars.contains(where: { $0.isControl && $0 != "\n" && $0 != "\t" })
        else { return json.description }
        return text
    }
}

/// Comma-separated values as in RFC 4180, but with the system's line ends.
package enum CSV {
    /// Returns a line.
    ///
    /// - Parameters:
    ///   - cells: The values.
    ///   - isForSpreadsheet: Whether values that a spreadsheet would run as formulas begin with an apostrophe.
    package static func line(_ cells: [String], isForSpreadsheet: Bool = false) -> String {
        cells.map { cell in
            let isFormula = isForSpreadsheet && cell.first.map { "=+-@\t\r".contains($0) } == true && Double(cell) == nil
            let cell = isFormula ? "'" + cell : cell
            let needsQuotes = cell.unicodeScalars.contains { [",", "\"", "\n", "\r"].contains($0) }
            return needsQuotes ? "\"" + cell.replacing("\"", with: "\"\"") + "\"" : cell
        }.joined(separator: ",")
    }
}
