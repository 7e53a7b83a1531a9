package import Cabinet

/// An SQL expression whose value in each row is a field, or is computed from fields.
package struct SQLTerm {
    /// The zone of the records that references point to.
    package enum TargetZone: Sendable {
        /// The zone of the row.
        case row
        /// The default zone, which holds users' records.
        case `default`
    }

    /// The exactness of an expression.
    package enum Precision {
        /// The expression has the exact value.
        case exact
        /// The expression is a DOUBLE that may stand for an integer, so it is not used where that matters.
        case quotient
        /// The expression may have a rounding error, as distances have.
        case distance
    }

    /// The expression, which can stand beside any operator.
    package var text: String
    /// The type of the values.
    package let type: FieldType
    package var targetZone: TargetZone
    /// The quoted name of the row's column, if the expression is a column.
    ///
    /// An index may cover it.
    package var column: String?
    /// The prefix of the column that an index holds, if it does not hold the whole value.
    package var key: SQLKey?
    /// Conditions that together cover each row for which the expression may be wrong or may fail.
    package var inexactCases: [String]
    package var precision: Precision
    /// The depth of the expression's nested parentheses.
    package var depth: Int

    package init(
        text: String, type: FieldType, targetZone: TargetZone = .row, column: String? = nil,
        inexactCases: [String] = [],
        precision: Precision = .exact, depth: Int = 0
    ) {
        self.text = text
        self.type = type
        self.targetZone = targetZone
        self.column = column
        self.inexactCases = inexactCases
        self.precision = precision
        self.depth = depth
    }

    package var isColumn: Bool { column != nil }

    /// Whether this is the column of the records' own IDs.
    package var isID: Bool { column == SystemField.recordID.column }

    /// The kind of the values; `nil` for lists, and for types that SQL cannot compare.
    package var kind: ComparisonKind? { type.isList ? nil : ComparisonKind(type.scalar) }

    /// A test that no value of the type passes.
    ///
    /// Inexact values may have another type.
    package var fails: SQLTest { SQLTest(.never, inexactCases: inexactCases) }

    /// Returns a test whose text contains the term.
    package func test(_ text: String) -> SQLTest {
        SQLTest(.sql(text, depth: depth + 1), inexactCases: inexactCases)
    }

    /// Returns a test whose text contains this term and another.
    package func test(with other: SQLTerm, _ text: String) -> SQLTest {
        SQLTest(.sql(text, depth: max(depth, other.depth) + 1), inexactCases: inexactCases + other.inexactCases)
    }
}

/// The prefix of a text, or of bytes, that an index holds instead of the whole value.
package struct SQLKey {
    /// The expression of the index.
    package let text: String
    /// The largest length of the prefix, in characters of a text or in bytes.
    package let length: Int
    /// Whether the value is bytes, not text.
    package let isOfBytes: Bool

    package init(text: String, length: Int, isOfBytes: Bool) {
        self.text = text
        self.length = length
        self.isOfBytes = isOfBytes
    }
}
