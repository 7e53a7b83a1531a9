/// The type of an operand, as far as it is known without a record.
struct OperandType {
    /// The kind of the operand's value, if it has one.
    let kind: Kind

    /// The operand as a sentence names it: `the field 'number'`.
    ///
    /// It is made when it is asked for: nearly all operands are right, and deep ones make long texts.
    var subject: String { makeSubject() }

    private let makeSubject: () -> String

    enum Kind: Equatable {
        /// Nil in every record.
        case nothing
        /// A value of a type that the records decide, if not nil.
        case unknown
        /// One value of a type.
        case scalar(FieldType.Scalar)
        /// A list: of elements of one type, or of several; as long in every record, or not.
        case list(of: FieldType.Scalar?, count: Int?)
    }

    init(_ expression: Filter.Expression, fields: FieldTypes) {
        switch expression {
        case .field(let key):
            kind = Kind(fields.type(ofValid: key))
            makeSubject = { FieldPath.isLong(key) ? "the path '\(key)'" : "the field '\(key)'" }
        case .constant(let value):
            kind = value.map { Kind($0) } ?? .nothing
            makeSubject = { "the value \(expression.abbreviated)" }
        case .list(let elements):
            kind = .list(of: nil, count: elements.count)
            makeSubject = { "the list \(expression.abbreviated)" }
        case .member, .element, .arithmetic, .negative, .distance, .referring:
            // Faults within the operand have been refused before.
            kind = (try? expression.computedKind(in: fields)) ?? .unknown
            makeSubject = { "the value of \(expression.abbreviated)" }
        case .searchableText:
            kind = .scalar(.string)
            makeSubject = { "the searchable text" }
        case .variable:
            // Validation has refused it.
            kind = .nothing
            makeSubject = { "the variable \(expression.abbreviated)" }
        case .unstorable(let text):
            kind = .nothing
            makeSubject = { "the value \(text)" }
        }
    }

    private init(kind: Kind, subject: @autoclosure @escaping () -> String) {
        self.kind = kind
        makeSubject = subject
    }

    /// Returns the types on the left side of a comparison: of its left operand, or of the elements of that operand.
    ///
    /// - Returns: `nil` if the comparison has a quantifier, and its left operand is not a list.
    static func compared(in comparison: Filter.Comparison, fields: FieldTypes) -> [OperandType]? {
        let whole = OperandType(comparison.left, fields: fields)
        return comparison.quantifier == .single ? [whole] : elements(of: comparison.left, fields: fields)
    }

    /// Returns the types of an operand's elements: one for each element of a literal list, or one for all.
    ///
    /// - Returns: `nil` if the operand is not a list.
    static func elements(of expression: Filter.Expression, fields: FieldTypes) -> [OperandType]? {
        if case .list(let elements) = expression, !elements.isEmpty {
            return elements.map { OperandType($0, fields: fields) }
        }
        return OperandType(expression, fields: fields).element.map { [$0] }
    }

    /// The type of each element of the operand's list, or `nil` if the operand is not a list.
    var element: OperandType? {
        switch kind {
        case .nothing: return self
        case .scalar: return nil
        case .unknown: return OperandType(kind: .unknown, subject: "an element of \(subject)")
        case .list(let type, let count):
            // A list without a type that has no elements is the literal {}.
            let kind = type.map(Kind.scalar) ?? (count == 0 ? .nothing : .unknown)
            return OperandType(kind: kind, subject: "an element of \(subject)")
        }
    }

    /// A description of the operand, as the end of a sentence: `the field 'number' is of type INT64`.
    var finding: String {
        switch kind {
        case .nothing: "\(subject) is nil"
        case .unknown: "\(subject) is of a type that is not known"
        case .scalar(let type): "\(subject) is of type \(type.rawValue)"
        case .list(let type, let count?) where type == nil: "\(subject) has \(count.counted("element"))"
        case .list(let type?, _): "\(subject) is of type \(FieldType(type, isList: true))"
        case .list: "\(subject) is a list"
        }
    }

    var isNothing: Bool { kind == .nothing }

    /// Whether the operand is a list in some record, as far as is known.
    var mayBeList: Bool {
        switch kind {
        case .list, .unknown, .nothing: true
        case .scalar: false
        }
    }

    /// Whether the operand is text in some record, as far as is known.
    var mayBeText: Bool { mayBe([.string]) }

    /// Whether the operand is nil, or of one of some types, as far as is known.
    func mayBe(_ types: [FieldType.Scalar]) -> Bool {
        switch kind {
        case .nothing, .unknown: true
        case .scalar(let type): types.contains(type)
        case .list: false
        }
    }

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
        case .nothing, .unknown: true
        case .scalar(.string), .scalar(.int64), .scalar(.double), .scalar(.timestamp), .scalar(.bytes): true
        case .scalar(.reference), .scalar(.location), .scalar(.asset), .list: false
        }
    }
}

extension OperandType.Kind {
    /// Creates the type of the values that a path may lead to.
    init(_ type: PathType) {
        guard let shapes = type.shapes else {
            self = .unknown
            return
        }
        if shapes.isEmpty {
            self = .nothing
        } else if let known = type.known {
            self.init(known)
        } else if !shapes.allSatisfy(\.isList) {
            self = .unknown
        } else if shapes.count == 1, case .elements(let type)? = shapes.first, !type.isList {
            self = .list(of: type.scalar, count: nil)
        } else {
            self = .list(of: nil, count: nil)
        }
    }

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
