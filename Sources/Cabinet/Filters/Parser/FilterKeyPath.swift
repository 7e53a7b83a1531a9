/// The spelling of key paths in format strings.
///
/// ``FieldPath`` defines their meaning.
enum FilterKeyPath {
    /// The operators as messages list them.
    static let spelledOperators = "@count, @sum, @avg, @min or @max"

    /// Whether a step begins the way to a value of JSON, whose members follow.
    static func beginsJSON(_ step: some StringProtocol) -> Bool { FieldPath.JSON(operator: step) != nil }

    /// The steps of a key path.
    static func steps(of path: String) -> [Substring] {
        path.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map(Substring.init)
    }

    /// Returns the fault of a path's steps, as a phrase such as `has an empty step`, or `nil` if there is none.
    ///
    /// - Parameter isContinued: Whether the path continues from a value, instead of from the record.
    static func syntaxError(_ steps: [Substring], isContinued: Bool = false) -> String? {
        if steps.count > FieldPath.maximumLength { return "has more than \(FieldPath.maximumLength) steps" }
        for (index, step) in steps.enumerated() {
            if step.isEmpty { return "has an empty step" }
            guard step.utf8.first == UInt8(ascii: "@") else { continue }
            if beginsJSON(step) {
                if index == 0, !isContinued {
                    return "begins with '\(step)', which stands after a text with JSON, as in address.\(step).city"
                }
                continue
            }
            guard let collection = FieldPath.Collection(rawValue: step.lowercased()) else {
                return "has the step '\(step)'; the operators over lists are \(spelledOperators), and JSON is read by "
                    + FieldPath.JSON.spelledOperators
            }
            if index == 0, !isContinued {
                return "begins with '\(step)', which stands after a list, as in tags.\(step)"
            }
            if collection == .count, index < steps.count - 1 { return "goes on after '@count', which is a number" }
        }
        return nil
    }

    /// Returns a Boolean value that indicates whether a name can stand in a path unescaped.
    ///
    /// A reserved word needs `#`.
    static func isPlain(_ name: String) -> Bool {
        // No reserved word is longer, and an endless name need not be made capital.
        name.utf8.count > ReservedWord.longest || !ReservedWord.all.contains(name.uppercased())
    }

    /// Whether a text is a name of the language, which needs no quotes.
    static func isName(_ text: some StringProtocol) -> Bool {
        text.utf8.first?.beginsName == true && text.utf8.allSatisfy(\.continuesName)
    }

    /// Returns a key path as it is spelled in a format string.
    ///
    /// Reserved words are escaped. The path stands in quotes if a step is not a name of the language.
    static func spelled(_ path: String, isContinued: Bool = false) -> String {
        if path == "allTokens", !isContinued { return "#allTokens" }
        var isInJSON = false
        let isPlainText = steps(of: path).allSatisfy { step in
            if step.utf8.first == UInt8(ascii: "@") {
                isInJSON = beginsJSON(step)
                return isName(step.dropFirst())
            }
            // Members may be positions.
            return isInJSON ? !step.isEmpty && step.utf8.allSatisfy(\.continuesName) : isName(step)
        }
        guard isPlainText else { return "#" + FilterLiteral.quoted(path) }
        var spelled = ""
        var isAfterOperator = false
        for (index, step) in steps(of: path).enumerated() {
            if index > 0 { spelled += "." }
            // `@sum.SELF` is the sum of the elements themselves.
            if !isPlain(String(step)), !(isAfterOperator && step == "SELF") { spelled += "#" }
            spelled += step
            isAfterOperator = step.utf8.first == UInt8(ascii: "@") && !beginsJSON(step)
        }
        return spelled
    }
}
