import Cabinet

extension FilterTranslator {
    /// Returns the condition that the characters of a text which a value of JSON must have are in the whole text.
    ///
    /// SQL finds them many times faster than the core, and PostgreSQL sends no other rows to it. In JSON, a character stands for
    /// itself or is escaped; those with a short escape are not searched for.
    mutating func jsonCandidates(_ comparison: Filter.Comparison) -> SQLCondition? {
        guard comparison.options.isEmpty, case .field(let key) = comparison.left,
            case .constant(.string(let text)?) = comparison.right, !text.isEmpty,
            text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && !["\"", "\\", "/"].contains($0) }),
            let path = try? FieldPath(key), path.steps.count == 2, case .json(let json) = path.steps[1],
            json.type == .string, case .term(let column) = terms.meaning(of: path.first), column.type == .string
        else { return nil }
        let count = builder.values.count
        let tests = [text, "\\u"].map { Dialect.contains(.value(.string($0)), in: .term(column), &self) }
        let found = tests.compactMap(\.self)
        if found.count == tests.count, found.allSatisfy(\.inexactCases.isEmpty) { return SQLTest.any(found).condition }
        builder.truncate(to: count)
        return nil
    }
}
