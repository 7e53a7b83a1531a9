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
