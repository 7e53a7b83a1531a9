extension Filter {
    /// Checks that each comparison has operands of one kind.
    ///
    /// For a text field, `stage == 3` is well-formed and false for every record, which is rarely intended.
    ///
    /// - Parameter fields: The types of the records' fields. The filter is valid for them; see ``validate(fields:)``.
    /// - Throws: ``CabinetError/Code/invalidArguments``, naming both operands, their types, and the type that was
    ///   expected.
    func validateKinds(fields: FieldTypes) throws(CabinetError) {
        try forEachComparison { comparison throws(CabinetError) in
            for case .referring(let type, _, let filter) in comparison.allOperands {
                try filter.validateKinds(fields: fields.types(of: type))
            }
            guard let (left, right) = comparison.mismatch(fields: fields) else { return }
            let expected = comparison.left.isConstant ? right : left
            let other = comparison.left.isConstant ? left : right
            throw comparison.error(
                "'\(comparison.rule.symbol)' compares values of one kind; \(expected.finding), and \(other.finding). "
                    + "Expected \(expected.typeName)\(expected.hint(insteadOf: other, in: comparison)).")
        }
    }
}

extension Filter.Comparison {
    /// Two operands, or elements of them, that are compared and whose values are never of one kind; `nil` if there are none.
    fileprivate func mismatch(fields: FieldTypes) -> (left: OperandType, right: OperandType)? {
        let right = OperandType(self.right, fields: fields)
        for left in OperandType.compared(in: self, fields: fields) ?? [] {
            let pairs: [(OperandType, OperandType)] =
                switch `operator` {
                case .equal, .notEqual, .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual: [(left, right)]
                case .between, .in:
                    (OperandType.elements(of: self.right, fields: fields) ?? [right]).map { (left, $0) }
                case .contains:
                    if quantifier == .single, let elements = OperandType.elements(of: self.left, fields: fields) {
                        elements.map { ($0, right) }
                    } else {
                        [(left.element ?? left, right)]
                    }
                // These take text alone, which was checked before.
                case .beginsWith, .endsWith, .like, .matches, .tokenMatches, .search: []
                }
            if let pair = pairs.first(where: { !$0.isComparable(to: $1) }) { return pair }
        }
        return nil
    }
}

extension Filter.Comparison {
    /// The first text of the constant operand if it is short, for an example of a reference in a format string.
    fileprivate var exampleName: Filter.Expression {
        let texts: [String] =
            switch left.isConstant ? left : right {
            case .constant(.string(let text)?): [text]
            case .constant(.list(.string(let texts))?): texts
            default: []
            }
        return .constant(.string(texts.first.flatMap { $0.utf8.count <= 60 ? $0 : nil } ?? "milk"))
    }
}

extension OperandType {
    /// Whether a value of this operand may equal, or be ordered with, one of the other.
    fileprivate func isComparable(to other: OperandType) -> Bool {
        switch (kind, other.kind) {
        case (.nothing, _), (_, .nothing), (.unknown, _), (_, .unknown): true
        case (.scalar(let left), .scalar(let right)): left.isSameKind(as: right)
        // Empty lists are equal, and lists of several types are compared element by element.
        case (.list(_, count: 0), .list), (.list, .list(_, count: 0)): true
        case (.list(let left?, _), .list(let right?, _)): left.isSameKind(as: right)
        case (.list, .list): true
        case (.scalar, .list), (.list, .scalar): false
        }
    }

    /// The type of the operand's values, in the schema language.
    fileprivate var typeName: String {
        switch kind {
        case .scalar(let type): type.rawValue
        case .list(let type?, _): "\(FieldType.list(of: type))"
        case .list: "a list"
        case .nothing, .unknown: "any value"
        }
    }

    /// Advice about a common mistake, as the end of a sentence.
    fileprivate func hint(insteadOf other: OperandType, in comparison: Filter.Comparison) -> String {
        switch (kind, other.kind) {
        case (.list, .scalar): "; for an element of the list, use CONTAINS"
        case (.scalar, .list) where comparison.operator == .equal: "; for one of several values, use IN"
        case (.scalar(.reference), .scalar(.string)):
            "; compare with a record, its ID, or a Reference; in a text, CAST(\(comparison.exampleName), 'REFERENCE')"
        case (.scalar(.timestamp), _): "; compare with a Date"
        default: ""
        }
    }
}

extension FieldType.Scalar {
    /// Whether values of the types can be equal: the two types of numbers are one kind.
    fileprivate func isSameKind(as other: FieldType.Scalar) -> Bool {
        self == other || isNumber && other.isNumber
    }

    private var isNumber: Bool { self == .int64 || self == .double }
}
