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

    /// How near the expression is to the value.
    enum Precision {
        /// It is the value.
        case exact
        /// It is the value as a DOUBLE, which may be whole: nothing more is computed of it where that matters.
        case quotient
        /// It may be off by rounding, for which ``FilterTranslator/distanceError`` leaves room.
        case distance
    }

    /// The expression, which can stand beside any operator.
    let text: String
    /// The type of the values: a `bigint` for INT64, a `double precision` for DOUBLE.
    let type: FieldType
    var targetZone = TargetZone.row
    /// The column of the rows that are searched, as SQL takes it, if this is one.
    var column: String?
    /// What an index has of the column, if that is not all of it.
    var key: SQLKey?
    /// Conditions of which one holds for each row in which the expression may be wrong, or fail.
    var unsure: [String] = []
    var precision = Precision.exact

    /// Whether this is the column of the records' own IDs.
    var isID: Bool { column == SystemField.recordID.column }

    /// What the filter language compares the values with.
    var kind: ComparisonKind? { type.isList ? nil : ComparisonKind(type.scalar) }

    /// A test that no value of the type passes; but where the term is unsure, the value may be of another type.
    var fails: SQLTest { SQLTest(.never, unsure: unsure) }

    /// A test of the term.
    func test(_ text: String) -> SQLTest { SQLTest(.sql(text), unsure: unsure) }
}

/// The beginning of a text, or of bytes, that stands in an index for the whole.
struct SQLKey {
    /// The expression, as the index has it.
    let text: String
    /// How long the beginning is at most: of text in characters, of bytes in bytes.
    let length: Int
    /// Whether it is of bytes, not of text.
    let isOfBytes: Bool

    /// Whether a value is told apart from all others by its beginning, because it is shorter than what is cut off.
    func isWhole(_ value: SQLValue) -> Bool {
        switch value {
        case .text(let text): text.utf8.count < length || text.unicodeScalars.count < length
        case .bytes(let data): data.count < length
        default: true
        }
    }
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
