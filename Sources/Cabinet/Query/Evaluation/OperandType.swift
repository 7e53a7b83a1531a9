/// What is known of an operand before a record is seen.
struct OperandType {
    /// The kind of the operand's value, if it has one.
    let kind: Kind

    /// The operand as a sentence names it: `the field 'number'`.
    let subject: String

    enum Kind: Equatable {
        /// Nil in every record.
        case nothing
        /// One value of a type.
        case scalar(FieldType.Scalar)
        /// A list: of elements of one type, or of several; as long in every record, or not.
        case list(of: FieldType.Scalar?, count: Int?)
    }

    init(_ expression: Filter.Expression, fields: FieldTypes) {
        switch expression {
        case .field(let key):
            kind = fields[key].map { Kind($0) } ?? .nothing
            subject = "the field '\(key)'"
        case .constant(let value):
            kind = value.map { Kind($0) } ?? .nothing
            subject = "the value \(expression.abbreviated)"
        case .list(let elements):
            kind = .list(of: nil, count: elements.count)
            subject = "the list \(expression.abbreviated)"
        case .member, .element, .arithmetic, .negative, .distance, .searchableText, .variable:
            // Validation has refused them.
            kind = .nothing
            subject = "the value \(expression.abbreviated)"
        case .unstorable(let text):
            kind = .nothing
            subject = "the value \(text)"
        }
    }

    private init(kind: Kind, subject: String) {
        self.kind = kind
        self.subject = subject
    }

    /// What stands on the left side when a comparison is made: its left operand, or each of that one's elements.
    ///
    /// - Returns: `nil` if the comparison has a quantifier, and its left operand is no list.
    static func compared(in comparison: Filter.Comparison, fields: FieldTypes) -> [OperandType]? {
        let whole = OperandType(comparison.left, fields: fields)
        if comparison.quantifier == .single { return [whole] }
        if case .list(let elements) = comparison.left, !elements.isEmpty {
            return elements.map { OperandType($0, fields: fields) }
        }
        switch whole.kind {
        case .nothing: return [whole]
        case .scalar: return nil
        case .list(let type, _):
            return [OperandType(kind: type.map(Kind.scalar) ?? .nothing, subject: "an element of \(whole.subject)")]
        }
    }

    /// What the operand is, as the end of a sentence: `the field 'number' is of type INT64`.
    var finding: String {
        switch kind {
        case .nothing: "\(subject) is nil"
        case .scalar(let type): "\(subject) is of type \(type.rawValue)"
        case .list(let type, let count?) where type == nil: "\(subject) has \(count) elements"
        case .list(let type, _): "\(subject) is of type \(FieldType(type ?? .string, isList: true))"
        }
    }

    var isNothing: Bool { kind == .nothing }

    var isList: Bool {
        if case .list = kind { true } else { false }
    }

    var isText: Bool { kind == .scalar(.string) }

    /// Whether the operand is a file, or a list of files.
    var isAsset: Bool {
        switch kind {
        case .scalar(.asset), .list(of: .asset, _): true
        default: false
        }
    }

    /// Whether the language orders values of the type.
    var hasOrder: Bool {
        switch kind {
        case .nothing, .scalar(.string), .scalar(.int64), .scalar(.double), .scalar(.timestamp), .scalar(.bytes): true
        case .scalar(.reference), .scalar(.location), .scalar(.asset), .list: false
        }
    }
}

extension OperandType.Kind {
    init(_ type: FieldType) {
        self = type.isList ? .list(of: type.scalar, count: nil) : .scalar(type.scalar)
    }

    init(_ value: FieldValue) {
        if case .list(let list) = value {
            self = .list(of: list.elementType, count: list.count)
        } else {
            self = .scalar(value.fieldType.scalar)
        }
    }
}
