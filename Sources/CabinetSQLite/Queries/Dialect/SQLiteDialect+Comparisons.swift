import Cabinet
import SQLSupport

/// Comparisons in SQLite, which compares integers with fractions exactly.
extension SQLiteDialect {
    static let isSame = "IS"

    static func equal(_ term: SQLTerm, _ value: FieldValue, _ translator: inout Translator) -> SQLTest? {
        value.sqlValue.map { term.test(term.estimated("\(term.text) = \(translator.builder.parameter($0))")) }
    }

    static func equalNumbers(_ left: SQLTerm, _ right: SQLTerm) -> SQLTest {
        left.test(with: right, "\(left.text) \(isSame) \(right.text)")
    }

    static func equalLists(_ left: SQLTerm, _ right: SQLTerm) -> SQLTest? { nil }

    static func equal(_ list: SQLTerm, _ elements: [Filter.Expression], _ translator: inout Translator) -> SQLTest? {
        nil
    }

    static func ordered(
        _ term: SQLTerm, _ sign: OrderSign, _ value: FieldValue, _ translator: inout Translator
    ) -> SQLTest? {
        value.sqlValue.map { term.test("\(term.text) \(sign.rawValue) \(translator.builder.parameter($0))") }
    }

    static func ordered(_ left: SQLTerm, _ sign: OrderSign, _ right: SQLTerm) -> SQLTest? {
        left.test(with: right, "\(left.text) \(sign.rawValue) \(right.text)")
    }

    /// Fills the list to a power of two by repeating the last value, so that lists of any length share few statements.
    static func isMember(_ term: SQLTerm, of values: [FieldValue], _ translator: inout Translator) -> SQLTest? {
        guard let last = values.last, values.count <= maximumParameters else { return nil }
        var count = 1
        while count < values.count { count *= 2 }
        var parameters: [String] = []
        parameters.reserveCapacity(count)
        for value in values + repeatElement(last, count: count - values.count) {
            guard let stored = value.sqlValue else { return nil }
            parameters.append(translator.builder.parameter(stored))
        }
        return term.test(term.estimated("\(term.text) IN (\(parameters.joined(separator: ", ")))"))
    }
}

extension SQLTerm {
    /// Returns a condition with an estimate of the rows that meet it, if many rows have the same value.
    ///
    /// They do in a hidden column with references of the core. SQLite supposes that an index finds ten rows for a value. It would use
    /// that of the hidden column, and sort all rows of a share, where the index of another condition finds few.
    fileprivate func estimated(_ condition: String) -> String {
        let isHidden = column?.hasPrefix("\"_") == true && column?.hasPrefix("\"__") == false
        return isHidden && type.scalar == .reference ? "likelihood(\(condition), 0.05)" : condition
    }
}
