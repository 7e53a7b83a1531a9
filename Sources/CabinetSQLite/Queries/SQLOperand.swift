import Cabinet

/// An operand of a comparison, resolved against a table.
enum SQLOperand {
    /// The language's nil, and a field that no record has.
    case null
    /// A column.
    case column(SQLColumn)
    /// A single value.
    case value(FieldValue)
    /// A list of operands.
    case list([Filter.Expression])
    /// What SQL does not know.
    case unknown

    init(_ expression: Filter.Expression, table: Table, fields: FieldTypes) {
        switch expression {
        case .field(let key) where key.utf8.contains(UInt8(ascii: ".")): self = .unknown
        case .field(let key): self = SQLColumn(key, table: table, fields: fields).map(SQLOperand.column) ?? .null
        case .constant(nil): self = .null
        case .constant(.list(let list)?): self = .list(list.elements.map { .constant($0) })
        case .constant(let value?): self = .value(value)
        case .list(let elements): self = .list(elements)
        case .member, .element, .arithmetic, .negative, .distance, .searchableText, .variable: self = .unknown
        // Validation has refused it.
        case .unstorable: self = .null
        }
    }
}

/// A column that a field or system field is stored in.
struct SQLColumn {
    /// The zone of the records that a column's references point to.
    enum TargetZone {
        /// The row's own.
        case row
        /// The default one, where users' records are.
        case `default`
    }

    /// The column's name as SQL takes it.
    let name: String
    let type: FieldType
    var targetZone = TargetZone.row

    /// - Returns: `nil` if the records have no such field.
    init?(_ key: Record.FieldKey, table: Table, fields: FieldTypes) {
        if let field = SystemField(rawValue: key) {
            type = field.fieldType
            switch field {
            case .recordID: name = Self.idName
            case .creationDate: name = #""___createTime""#
            case .modificationDate: name = #""___modTime""#
            case .creatorUserRecordID: name = #""___createdBy""#
            case .lastModifiedUserRecordID: name = #""___modifiedBy""#
            case .parent: name = #""___parent""#
            }
            if [.creatorUserRecordID, .lastModifiedUserRecordID].contains(field) { targetZone = .default }
        } else if fields[key] != nil, let column = table.column(of: key) {
            name = column.quoted
            type = column.type
        } else {
            return nil
        }
    }

    /// Whether this is the column of the records' own IDs.
    var isID: Bool { name == Self.idName }

    private static let idName = #""___recordID""#

    /// What the filter language compares the column's values with.
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
