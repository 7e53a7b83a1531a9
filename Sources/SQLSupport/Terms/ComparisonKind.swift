package import Cabinet

/// A kind of comparable values: values of one kind can be equal, and SQL compares them as the filter language does.
package enum ComparisonKind: Sendable {
    case text
    case number
    case date
    case bytes
    case reference

    /// Returns the kind of a type.
    ///
    /// - Returns: `nil` for types that SQL cannot compare.
    package init?(_ type: FieldType.Scalar) {
        switch type {
        case .string: self = .text
        case .int64, .double: self = .number
        case .timestamp: self = .date
        case .bytes: self = .bytes
        case .reference: self = .reference
        case .location, .asset: return nil
        }
    }

    package var hasOrder: Bool { self != .reference }
}
