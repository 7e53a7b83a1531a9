/// A condition on a row.
///
/// SQL's NULL counts as false in it, as the filter language has no "unknown": joined by AND and OR the two behave
/// alike, and ``negated`` turns both into true.
enum SQLCondition {
    case always
    case never
    /// An expression.
    case sql(String)

    /// The condition that holds where this one does not.
    var negated: SQLCondition {
        switch self {
        case .always: .never
        case .never: .always
        case .sql(let text): .sql("(\(text)) IS NOT TRUE")
        }
    }

    /// The condition as an expression.
    var text: String {
        switch self {
        case .always: "TRUE"
        case .never: "FALSE"
        case .sql(let text): text
        }
    }

    var isNever: Bool { if case .never = self { true } else { false } }

    /// The condition that holds where all of some conditions hold.
    static func all(_ conditions: [SQLCondition]) -> SQLCondition {
        var parts: [String] = []
        for condition in conditions {
            switch condition {
            case .always: break
            case .never: return .never
            case .sql(let text): parts.append(text)
            }
        }
        return parts.isEmpty ? .always : joined(parts, by: " AND ")
    }

    /// The condition that holds where at least one of some conditions holds.
    static func any(_ conditions: [SQLCondition]) -> SQLCondition {
        var parts: [String] = []
        for condition in conditions {
            switch condition {
            case .always: return .always
            case .never: break
            case .sql(let text): parts.append(text)
            }
        }
        return parts.isEmpty ? .never : joined(parts, by: " OR ")
    }

    private static func joined(_ parts: [String], by conjunction: String) -> SQLCondition {
        if parts.count == 1, let part = parts.first { return .sql(part) }
        return .sql(parts.map { "(\($0))" }.joined(separator: conjunction))
    }
}
