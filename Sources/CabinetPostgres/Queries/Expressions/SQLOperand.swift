import Cabinet

/// An operand of a comparison, translated for the rows of a table.
enum SQLOperand {
    /// The language's nil, and what is nil in every record.
    case null
    /// An expression.
    case term(SQLTerm)
    /// A single value.
    case value(FieldValue)
    /// A list of operands.
    case list([Filter.Expression])
    /// What SQL does not know.
    case unknown
}

extension SystemField {
    /// The column that holds the field, as SQL takes it.
    var column: String {
        switch self {
        case .recordID: #""___recordID""#
        case .creationDate: #""___createTime""#
        case .modificationDate: #""___modTime""#
        case .creatorUserRecordID: #""___createdBy""#
        case .lastModifiedUserRecordID: #""___modifiedBy""#
        case .parent: #""___parent""#
        }
    }

    /// The zone of the records that the field's references point to.
    var targetZone: SQLTerm.TargetZone {
        switch self {
        case .creatorUserRecordID, .lastModifiedUserRecordID: .default
        case .recordID, .creationDate, .modificationDate, .parent: .row
        }
    }
}

extension Filter.Expression {
    /// Whether the value is the same for all records.
    var isConstant: Bool {
        switch self {
        case .constant: true
        case .field, .variable, .searchableText, .unstorable: false
        case .list(let elements): elements.allSatisfy(\.isConstant)
        case .member(let operand, _), .negative(let operand): operand.isConstant
        case .element(let list, .at(let position)): list.isConstant && position.isConstant
        case .element(let list, _): list.isConstant
        case .arithmetic(let left, _, let right), .distance(let left, let right): left.isConstant && right.isConstant
        }
    }
}
