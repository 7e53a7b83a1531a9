/// The elements of a list, and what they refer to.
///
/// ```swift
/// .field("tags").first == "new"
/// .field("tags").count > 2
/// .field("friends")[0].member("name") == "Ada"
/// ```
extension Filter.Expression {
    /// The element of the list at a position, counted from 0; nil if there is none.
    public subscript(position: Int) -> Filter.Expression {
        self[Filter.Expression(position)]
    }

    /// The element of the list at the position that another operand computes; nil if there is none.
    public subscript(position: Filter.Expression) -> Filter.Expression {
        Filter.Expression.element(self, .at(position)).ifShallow
    }

    /// The first element of the list; nil if it is empty.
    public var first: Filter.Expression { Filter.Expression.element(self, .first).ifShallow }

    /// The last element of the list; nil if it is empty.
    public var last: Filter.Expression { Filter.Expression.element(self, .last).ifShallow }

    /// The number of the list's elements, including those that are nil; nil if the list is nil.
    public var count: Filter.Expression { Filter.Expression.element(self, .size).ifShallow }

    /// Returns the value of a field of the record that the operand refers to.
    ///
    /// If the operand is a list of references, the result is the list of the values.
    ///
    /// - Parameter key: The name of a field or system field, or a key path: names with dots between them.
    public func member(_ key: Record.FieldKey) -> Filter.Expression {
        switch self {
        // One chain of names is one key path, as in format strings.
        case .field(let path): .field("\(path).\(key)")
        case .member(let operand, let path): .member(operand, "\(path).\(key)")
        default: Filter.Expression.member(self, key).ifShallow
        }
    }
}
