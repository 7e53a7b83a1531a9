/// The operators that the language spells as words.
extension Filter.Expression {
    /// Matches the records where this text begins with another, scalar by scalar.
    ///
    /// The empty text begins nothing.
    ///
    /// - Parameter text: The beginning.
    public func beginsWith(_ text: String) -> Filter {
        comparison(.beginsWith, Filter.Expression(text))
    }

    /// Matches the records where this text begins with that of another expression.
    ///
    /// - Parameter text: The beginning.
    public func beginsWith(_ text: Filter.Expression) -> Filter {
        comparison(.beginsWith, text)
    }

    /// Matches the records where this list has an element equal to a value, or where a text occurs in this one.
    ///
    /// - Parameter value: The element, or the text.
    public func contains(_ value: any RecordValue) -> Filter {
        comparison(.contains, Filter.Expression(value))
    }

    /// Matches the records where this list has an element equal to another expression's value, or where that text
    /// occurs in this one.
    ///
    /// - Parameter value: The element, or the text.
    public func contains(_ value: Filter.Expression) -> Filter {
        comparison(.contains, value)
    }

    /// Matches the records where the value equals one of several.
    ///
    /// - Parameter values: The values.
    public func isIn<Value: RecordValue>(_ values: some Sequence<Value>) -> Filter {
        comparison(.in, Filter.Expression(list: values.map { Filter.Expression($0) }))
    }

    /// Matches the records where the value equals an element of another expression's list, or occurs in its text.
    ///
    /// - Parameter collection: The list, or the text.
    public func isIn(_ collection: Filter.Expression) -> Filter {
        comparison(.in, collection)
    }

    /// Matches the records where the value lies between two others, both included.
    ///
    /// - Parameters:
    ///   - lower: The smallest value that matches.
    ///   - upper: The greatest value that matches. If it is less than `lower`, nothing matches.
    public func isBetween(_ lower: any RecordValue, _ upper: any RecordValue) -> Filter {
        comparison(.between, Filter.Expression(list: [Filter.Expression(lower), Filter.Expression(upper)]))
    }

    /// Matches the records where the value lies between those of two other expressions, both included.
    ///
    /// - Parameters:
    ///   - lower: The smallest value that matches.
    ///   - upper: The greatest value that matches.
    public func isBetween(_ lower: Filter.Expression, _ upper: Filter.Expression) -> Filter {
        comparison(.between, Filter.Expression(list: [lower, upper]))
    }

    private func comparison(_ operator: Filter.Operator, _ right: Filter.Expression) -> Filter {
        .comparison(Filter.Comparison(self, `operator`, right))
    }
}
