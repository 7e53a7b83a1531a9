import Cabinet

/// An SQL expression that has, in every row, the value of a field, or of what is made of fields.
struct SQLTerm {
    /// The zone of the records that references point to.
    enum TargetZone {
        /// The row's own.
        case row
        /// The default one, where users' records are.
        case `default`
    }

    /// The expression, which can stand beside any operator.
    let text: String
    /// The type of the values.
    let type: FieldType
    var targetZone = TargetZone.row
    /// The column of the rows that are searched, as SQL takes it, if this is one: an index may be on it.
    var column: String?
    /// How deep the expression's parentheses are nested.
    var depth = 0

    var isColumn: Bool { column != nil }

    /// Whether this is the column of the records' own IDs.
    var isID: Bool { column == SystemField.recordID.column }

    /// What the filter language compares the values with.
    var kind: ComparisonKind? { type.isList ? nil : ComparisonKind(type.scalar) }
}

/// Values of one kind can be equal, and can be compared by SQL as the filter language compares them.
enum ComparisonKind {
    case text
    case number
    case date
    case bytes
    case reference

    /// - Returns: `nil` for the types that SQL cannot compare.
    init?(_ type: FieldType.Scalar) {
        switch type {
        case .string: self = .text
        case .int64, .double: self = .number
        case .timestamp: self = .date
        case .bytes: self = .bytes
        case .reference: self = .reference
        case .location, .asset: return nil
        }
    }

    var hasOrder: Bool { self != .reference }
}
