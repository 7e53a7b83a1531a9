/// The spelling of constants in format strings.
enum FilterLiteral {
    /// A text in quotes.
    static func quoted(_ text: String) -> String {
        var literal = ""
        write(text, to: &literal, longest: .max)
        return literal
    }

    /// Writes a text in quotes, up to a number of scalars.
    static func write(_ value: String, to text: inout String, longest: Int) {
        text += "'"
        // By scalars, because a quote and a combining mark after it make one character.
        let scalars = value.unicodeScalars
        let shown = scalars.prefix(longest)
        for scalar in shown {
            switch scalar {
            case "'": text += "\\'"
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += shown.endIndex == scalars.endIndex ? "'" : "…'"
    }

    /// Writes the elements of a list in braces, up to a number of them.
    static func write(_ elements: [FieldValue?], to text: inout String, longest: Int) {
        text += "{"
        for (index, element) in elements.prefix(longest).enumerated() {
            if index > 0 { text += ", " }
            if let element { element.writeLiteral(to: &text, longest: longest) } else { text += "NIL" }
        }
        text += elements.count > longest ? ", …}" : "}"
    }
}

extension FieldValue {
    /// Writes the value as it stands in a format string.
    ///
    /// - Parameter longest: The number of characters of a text, and of elements of a list, to write at most. If it is limited, a
    ///   person reads the text, and values without a literal of their own are described instead: `<3 bytes>`.
    func writeLiteral(to text: inout String, longest: Int) {
        switch self {
        case .string(let value): FilterLiteral.write(value, to: &text, longest: longest)
        case .int64(let value): text += value.description
        case .double(let value) where value.isFinite: text += value.description
        // The empty list of a format string has no type.
        case .list(let list) where list.count == 0 && longest == .max: text += "CAST({}, '\(fieldType)')"
        case .list(let list): FilterLiteral.write(list.elements, to: &text, longest: longest)
        case .double, .timestamp, .bytes, .reference, .location, .asset, .encrypted:
            guard longest == .max, let parts = castParts else {
                text += "<\(self)>"
                return
            }
            text += "CAST("
            if parts.count == 1, let part = parts[0] {
                part.writeLiteral(to: &text, longest: longest)
            } else {
                FilterLiteral.write(parts, to: &text, longest: longest)
            }
            text += ", '\(fieldType)')"
        }
    }

    /// Whether a literal stands for the value, as for all but encrypted ones and assets that are files of a program.
    var isWritable: Bool {
        switch self {
        case .asset, .encrypted: castParts != nil
        case .list(.asset(let assets)): assets.allSatisfy { FieldValue.asset($0).castParts != nil }
        default: true
        }
    }
}
