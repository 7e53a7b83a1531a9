extension FieldValue {
    /// Returns a Boolean value that indicates whether two values are equal in the filter language.
    ///
    /// This differs from `==`, which compares values as they are stored. Here 5 equals 5.0, and references to the same
    /// record are equal even if their actions differ.
    func isEqual(to other: FieldValue) -> Bool {
        switch (self, other) {
        case (.string(let left), .string(let right)): left.hasSameScalars(as: right)
        case (.int64(let left), .int64(let right)): left == right
        case (.double(let left), .double(let right)): left == right
        case (.int64(let left), .double(let right)): Ordering(left, right) == .same
        case (.double(let left), .int64(let right)): Ordering(right, left) == .same
        case (.timestamp(let left), .timestamp(let right)): left == right
        case (.bytes(let left), .bytes(let right)): left == right
        case (.reference(let left), .reference(let right)): left.recordID == right.recordID
        case (.location(let left), .location(let right)): left == right
        case (.asset(let left), .asset(let right)): left == right
        case (.list(let left), .list(let right)): left.isEqual(to: right)
        default: false
        }
    }
}

extension FieldList {
    /// Whether the lists have the same length, and equal elements in the same order.
    func isEqual(to other: FieldList) -> Bool {
        count == other.count && zip(elements, other.elements).allSatisfy { $0.isEqual(to: $1) }
    }

    /// Whether an element equals a value.
    func hasElement(equalTo value: FieldValue) -> Bool {
        switch (self, value) {
        case (.string(let elements), .string(let value)): elements.contains { $0.hasSameScalars(as: value) }
        case (.int64(let elements), .int64(let value)): elements.contains(value)
        case (.double(let elements), .double(let value)): elements.contains(value)
        case (.int64, .double), (.double, .int64): elements.contains { $0.isEqual(to: value) }
        case (.timestamp(let elements), .timestamp(let value)): elements.contains(value)
        case (.bytes(let elements), .bytes(let value)): elements.contains(value)
        case (.reference(let elements), .reference(let value)): elements.contains { $0.recordID == value.recordID }
        case (.location(let elements), .location(let value)): elements.contains(value)
        case (.asset(let elements), .asset(let value)): elements.contains(value)
        default: false
        }
    }
}
