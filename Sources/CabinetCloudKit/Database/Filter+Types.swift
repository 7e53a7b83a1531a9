import Cabinet

extension Filter {
    /// Returns the reason why CloudKit refuses a comparison of a field with a value of another type; `nil` without such a one.
    ///
    /// - Parameter fields: The types of the fields, which the filter names correctly.
    func typeMismatch(_ fields: FieldTypes) -> String? {
        switch self {
        case .constant: nil
        case .comparison(let comparison): comparison.typeMismatch(fields)
        case .and(let children), .or(let children): children.lazy.compactMap { $0.typeMismatch(fields) }.first
        case .not(let child): child.typeMismatch(fields)
        }
    }
}

extension Filter.Comparison {
    fileprivate func typeMismatch(_ fields: FieldTypes) -> String? {
        for (field, value) in [(left, right), (right, left)] {
            guard case .field(let key) = field, let type = fields[key], !type.isEncrypted else { continue }
            for filterType in value.constantTypes where filterType.comparable != type.scalar.comparable {
                return "Field '\(key)' has a value type of \(type) and cannot be queried using filter value type "
                    + "\(filterType.rawValue)."
            }
        }
        return nil
    }
}

extension Filter.Expression {
    /// The types of the constants of an operand; those of a list's elements.
    fileprivate var constantTypes: [FieldType.Scalar] {
        switch self {
        // An empty list may be one of any type.
        case .constant(.list(let list)?) where list.elements.isEmpty: []
        case .constant(let value?): [value.fieldType.scalar]
        case .list(let operands): operands.flatMap(\.constantTypes)
        default: []
        }
    }
}

extension FieldType.Scalar {
    /// The type that stands for all that can be compared with this one: whole numbers with fractions, and others with themselves.
    fileprivate var comparable: FieldType.Scalar { self == .int64 ? .double : self }
}
