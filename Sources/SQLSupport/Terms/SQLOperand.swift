package import Cabinet

/// An operand of a comparison, translated for the rows of a table.
package enum SQLOperand {
    /// The literal nil, or a field that is nil in every record.
    case null
    /// An expression.
    case term(SQLTerm)
    /// A single value.
    case value(FieldValue)
    /// A list of operands.
    case list([Filter.Expression])
    /// An operand that SQL cannot express.
    case unknown

    /// Whether the operand is text in every row that has a value.
    package var isText: Bool {
        switch self {
        case .term(let term): term.kind == .text
        case .value(.string): true
        default: false
        }
    }
}

extension SystemField {
    /// The quoted name of the column that holds the system field.
    package var column: String {
        switch self {
        case .recordID: #""___recordID""#
        case .creationDate: #""___createTime""#
        case .modificationDate: #""___modTime""#
        case .creatorUserRecordID: #""___createdBy""#
        case .lastModifiedUserRecordID: #""___modifiedBy""#
        case .parent: #""___parent""#
        }
    }

    /// The name of the column that holds the system field.
    package var columnName: String { String(column.dropFirst().dropLast()) }

    /// The zone of the records that the system field's references point to.
    package var targetZone: SQLTerm.TargetZone {
        switch self {
        case .creatorUserRecordID, .lastModifiedUserRecordID: .default
        case .recordID, .creationDate, .modificationDate, .parent: .row
        }
    }
}
