/// A condition on a row.
///
/// SQL's NULL counts as false in it, as the filter language has no "unknown": joined by AND and OR the two behave
/// alike, and ``negated`` turns both into true.
enum SQLCondition {
    case always
    case never
    /// An expression, and how deep its parentheses are nested.
    case sql(String, depth: Int = 1)

    /// How deep parentheses may be nested: SQLite's parser has a stack of 100 symbols, of which a level takes up to
    /// three.
    static let maximumDepth = 25

    /// The condition that holds where this one does not.
    var negated: SQLCondition {
        switch self {
        case .always: .never
        case .never: .always
        case .sql(let text, let depth): .sql("(\(text)) IS NOT TRUE", depth: depth + 1)
        }
    }

    /// The WHERE clause, with a space before it; `nil` if no row can meet the condition.
    var clause: String? {
        switch self {
        case .always: ""
        case .never: nil
        case .sql(let text, _): " WHERE \(text)"
        }
    }

    var depth: Int {
        if case .sql(_, let depth) = self { depth } else { 0 }
    }

    /// The condition that holds where all of some conditions hold.
    static func all(_ conditions: [SQLCondition]) -> SQLCondition {
        var parts: [(text: String, depth: Int)] = []
        for condition in conditions {
            switch condition {
            case .always: break
            case .never: return .never
            case .sql(let text, let depth): parts.append((text, depth))
            }
        }
        return parts.isEmpty ? .always : joined(parts[...], by: " AND ")
    }

    /// The condition that holds where at least one of some conditions holds.
    static func any(_ conditions: [SQLCondition]) -> SQLCondition {
        var parts: [(text: String, depth: Int)] = []
        for condition in conditions {
            switch condition {
            case .always: return .always
            case .never: break
            case .sql(let text, let depth): parts.append((text, depth))
            }
        }
        return parts.isEmpty ? .never : joined(parts[...], by: " OR ")
    }

    /// A balanced tree of conditions, because SQLite limits how deep an expression is, and reads `a OR b OR c …` as
    /// one that is as deep as it is long.
    private static func joined(_ parts: ArraySlice<(text: String, depth: Int)>, by conjunction: String) -> SQLCondition
    {
        if parts.count == 1, let part = parts.first { return .sql(part.text, depth: part.depth) }
        if parts.count <= 8 {
            let text = parts.map { "(\($0.text))" }.joined(separator: conjunction)
            return .sql(text, depth: (parts.map(\.depth).max() ?? 0) + 1)
        }
        let middle = parts.startIndex + parts.count / 2
        guard case .sql(let left, let leftDepth) = joined(parts[..<middle], by: conjunction),
            case .sql(let right, let rightDepth) = joined(parts[middle...], by: conjunction)
        else { return .never }
        return .sql("(\(left))\(conjunction)(\(right))", depth: max(leftDepth, rightDepth) + 1)
    }
}
