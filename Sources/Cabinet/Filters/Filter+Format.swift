extension Filter {
    /// Reads a filter from a format string in `NSPredicate`'s language.
    ///
    /// ```swift
    /// try Filter("list == %@ AND number BETWEEN {1, 5}", reference)
    /// try Filter("%K BEGINSWITH %@ OR tags CONTAINS 'new'", "name", prefix)
    /// try Filter("list.owner.city == %@ AND price * number > 100", city)
    /// ```
    ///
    /// <doc:Filters> introduces the language, and <doc:FilterOperators> lists its operators.
    ///
    /// - Parameters:
    ///   - format: The filter's text. `%@` stands for any value, `%K` for the name of a field or a key path, `%d` for a
    ///     whole number, `%f` for a number; within quotes they are plain text.
    ///   - arguments: The values, in the order of the specifiers. They are bound, never pasted as text.
    /// - Throws: ``CabinetError/Code/invalidArguments``, whose message shows where the text is wrong and what was
    ///   expected; see <doc:FilterMistakes>.
    /// - Complexity: O(*n*) in the length of the text.
    public init(_ format: String, _ arguments: (any FilterArgument)?...) throws {
        try self.init(format: format, arguments: arguments)
    }

    /// Reads a filter from a format string in `NSPredicate`'s language, with the arguments in an array.
    ///
    /// - Parameters:
    ///   - format: The filter's text; see ``init(_:_:)``.
    ///   - arguments: The values, in the order of the specifiers, as many as there are specifiers.
    /// - Throws: ``CabinetError/Code/invalidArguments``, whose message shows where the text is wrong and what was
    ///   expected.
    /// - Complexity: O(*n*) in the length of the text.
    public init(format: String, arguments: [(any FilterArgument)?]) throws {
        var parser = FilterParser(format, arguments: arguments)
        self = try parser.parse()
    }
}

/// Filters in place of trees that are too deep or too large.
///
/// Builders cannot throw, so a filter that fails when it is used is the result.
extension Filter {
    /// The filter in place of one that is deeper than ``maximumDepth``.
    static let tooDeepFilter = Filter.comparison(Comparison(.tooDeepExpression, .equal, .constant(nil)))

    /// The filter, or ``tooDeepFilter`` if it is too deep.
    ///
    /// No builder returns a tree that is too deep for recursion, and each call costs at most the size of its operands.
    var ifShallow: Filter { isShallow ? self : .tooDeepFilter }
}

extension Filter.Expression {
    /// The operand in place of one that is deeper than ``Filter/maximumDepth``.
    static let tooDeepExpression = Filter.Expression.unstorable(
        "an operand of more than \(Filter.maximumDepth) levels")

    /// The operand, or ``tooDeepExpression`` if it is too deep.
    var ifShallow: Filter.Expression { (try? validateDepth(from: 1)) == nil ? .tooDeepExpression : self }
}

extension Record: FilterArgument {
    /// A reference to the record, with the action ``Reference/Action/none``.
    public var filterValue: FieldValue? { recordID.fieldValue }
}

extension Set: FilterArgument where Element: FilterArgument {
    /// The elements as a list in their order, or `nil` if they are not all of one type that a list can hold.
    ///
    /// The order does not depend on the set's own, so equal sets give equal filters.
    public var filterValue: FieldValue? {
        guard case .list(let list)? = Array(self).filterValue else { return nil }
        let values = list.elements.sorted { FieldValue.sortOrder($0, $1) == .before }
        return FieldList(values, of: list.elementType).map(FieldValue.list)
    }
}
