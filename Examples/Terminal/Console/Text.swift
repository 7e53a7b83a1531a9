extension [[String]] {
    /// The rows as lines, each column as wide as its longest text.
    package func aligned() -> [String] {
        var widths: [Int] = []
        for row in self {
            for (column, text) in row.enumerated() {
                if column == widths.count { widths.append(0) }
                widths[column] = Swift.max(widths[column], text.count)
            }
        }
        return map { row in
            let columns = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
            return columns.joined(separator: "  ").trimmingSuffix(while: \.isWhitespace)
        }
    }
}

extension String {
    /// The text on one line, with nothing in it that a terminal would obey.
    package var printable: String {
        let scalars = unicodeScalars.map { scalar in
            scalar.properties.generalCategory == .control ? scalar.escaped(asASCII: true) : String(scalar)
        }
        return scalars.joined()
    }

    fileprivate func trimmingSuffix(while predicate: (Character) -> Bool) -> String {
        String(self[..<(lastIndex { !predicate($0) }.map(index(after:)) ?? startIndex)])
    }
}
