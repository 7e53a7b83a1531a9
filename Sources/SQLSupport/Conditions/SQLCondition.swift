/// A condition on a row.
///
/// NULL counts as false, because the filter language has no "unknown". AND and OR treat NULL and false alike, and
/// ``negated`` turns both into true.
package enum SQLCondition: Sendable {
    case always
    case never
    /// An expression, and the depth of its nested parentheses.
    case sql(String, depth: Int = 1)

    /// The condition that holds where this one does not.
    package var negated: SQLCondition {
        switch self {
        case .always: .never
        case .never: .always
        case .sql(let text, let depth): .sql("(\(text)) IS NOT TRUE", depth: depth + 1)
        }
    }

    /// The condition as an expression.
    package var text: String {
        switch self {
        case .always: "TRUE"
        case .never: "FALSE"
        case .sql(let text, _): text
        }
    }

    /// The WHERE clause, with a leading space; `nil` if no row meets the condition.
    package var clause: String? {
        switch self {
        case .always: ""
        case .never: nil
        case .sql(let text, _): " WHERE \(text)"
        }
    }

    package var isAlways: Bool { if case .always = self { true } else { false } }

    package var isNever: Bool { if case .never = self { true } else { false } }

    package var depth: Int { if case .sql(_, let depth) = self { depth } else { 0 } }

    /// Returns the condition that holds where all of `conditions` hold.
    package static func all(_ conditions: [SQLCondition]) -> SQLCondition {
        if conditions.contains(where: \.isNever) { return .never }
        return joined(conditions, by: " AND ") ?? .always
    }

    /// Returns the condition that holds where at least one of `conditions` holds.
    package static func any(_ conditions: [SQLCondition]) -> SQLCondition {
        if conditions.contains(where: \.isAlways) { return .always }
        return joined(conditions, by: " OR ") ?? .never
    }

    private static func joined(_ conditions: [SQLCondition], by conjunction: String) -> SQLCondition? {
        var parts: [(text: String, depth: Int)] = []
        parts.reserveCapacity(conditions.count)
        for case .sql(let text, let depth) in conditions { parts.append((text, depth)) }
        return parts.isEmpty ? nil : joined(parts[...], by: conjunction)
    }

    /// Builds a balanced tree, because SQLite limits the depth of an expression.
    ///
    /// It parses `a OR b OR c …` as an expression as deep as the number of its parts.
    private static func joined(_ parts: ArraySlice<(text: String, depth: Int)>, by conjunction: String) -> SQLCondition
    {
        if parts.count == 1, let part = parts.first { return .sql(part.text, depth: part.depth) }
        if parts.count <= 8 {
            let text = parts.map { "(\($0.text))" }.joined(separator: conjunction)
            return .sql(text, depth: (parts.map(\.depth).max() ?? 0) + 1)
        }
        let middle = parts.startIndex + parts.count / 2
        let left = joined(parts[..<middle], by: conjunction)
        let right = joined(parts[middle...], by: conjunction)
        return .sql("(\(left.text))\(conjunction)(\(right.text))", depth: max(left.depth, right.depth) + 1)
    }
}
