/// How a key path is spelled in a format string; what it means, ``FieldPath`` knows.
enum FilterKeyPath {
    /// The operators as messages list them.
    static let spelledOperators = "@count, @sum, @avg, @min or @max"

    /// The steps of a key path.
    static func steps(of path: String) -> [Substring] {
        path.split(separator: ".", omittingEmptySubsequences: false)
    }

    /// What is wrong with the steps of a path, said of it: `has an empty step`; `nil` if nothing is.
    ///
    /// - Parameter isContinued: Whether the path goes on from a value, instead of from the record.
    static func complaint(_ steps: [Substring], isContinued: Bool = false) -> String? {
        if steps.count > FieldPath.maximumLength { return "has more than \(FieldPath.maximumLength) steps" }
        for (index, step) in steps.enumerated() {
            if step.isEmpty { return "has an empty step" }
            guard step.utf8.first == UInt8(ascii: "@") else { continue }
            guard let collection = FieldPath.Collection(rawValue: step.lowercased()) else {
                return "has the step '\(step)'; the operators over lists are \(spelledOperators)"
            }
            if index == 0, !isContinued {
                return "begins with '\(step)', which stands after a list, as in tags.\(step)"
            }
            if collection == .count, index < steps.count - 1 { return "goes on after '@count', which is a number" }
        }
        return nil
    }

    /// Whether a name stands in a path as it is; a reserved word needs `#`.
    static func isPlain(_ name: String) -> Bool {
        // No reserved word is longer, and an endless name need not be made capital.
        name.utf8.count > ReservedWord.longest || !ReservedWord.all.contains(name.uppercased())
    }

    /// Whether a text is a name of the language, which needs no quotes.
    static func isName(_ text: some StringProtocol) -> Bool {
        text.utf8.first?.beginsName == true && text.utf8.allSatisfy(\.continuesName)
    }

    /// A key path as it stands in a format string, with reserved words escaped, and in quotes if a step is no name of the language.
    static func spelled(_ path: String, isContinued: Bool = false) -> String {
        if path == "allTokens", !isContinued { return "#allTokens" }
        guard steps(of: path).allSatisfy({ isName($0.first == "@" ? $0.dropFirst() : $0) }) else {
            return "#" + FilterLiteral.quoted(path)
        }
        var spelled = ""
        var isAfterOperator = false
        for (index, step) in steps(of: path).enumerated() {
            if index > 0 { spelled += "." }
            // `@sum.SELF` is the sum of the elements themselves.
            if !isPlain(String(step)), !(isAfterOperator && step == "SELF") { spelled += "#" }
            spelled += step
            isAfterOperator = step.utf8.first == UInt8(ascii: "@")
        }
        return spelled
    }
}
