/// A left side of a comparison: an operand, or the elements of a list.
///
/// The methods are the operators that the language spells as words, and all operators with options:
///
/// ```swift
/// .field("name").beginsWith("M", options: [.caseInsensitive])
/// .any("tags").like("new*")
/// ```
public protocol FilterSubject: Sendable {
    /// Matches the records for which a comparison holds.
    ///
    /// - Parameters:
    ///   - operator: The operator.
    ///   - right: The right operand.
    ///   - options: The options for the comparison of text.
    func compared(_ operator: Filter.Operator, to right: Filter.Expression, options: Filter.Options) -> Filter
}

extension Filter.Expression: FilterSubject {
    /// Matches the records for which a comparison holds.
    ///
    /// - Parameters:
    ///   - operator: The operator.
    ///   - right: The right operand.
    ///   - options: The options for the comparison of text.
    public func compared(
        _ operator: Filter.Operator, to right: Filter.Expression, options: Filter.Options
    ) -> Filter {
        .comparison(Filter.Comparison(self, `operator`, right, options: options))
    }
}

extension FilterSubject {
    /// Matches the records for which a comparison with a value holds.
    ///
    /// - Parameters:
    ///   - operator: The operator.
    ///   - value: The value to compare with, or `nil` for the language's NIL.
    ///   - options: The options for the comparison of text. The default is an exact comparison.
    public func compared(
        _ operator: Filter.Operator, to value: (any FilterArgument)?, options: Filter.Options = []
    ) -> Filter {
        compared(`operator`, to: Filter.Expression(value), options: options)
    }

    /// Matches the records where this text begins with another, scalar by scalar.
    ///
    /// The empty text begins nothing.
    ///
    /// - Parameters:
    ///   - text: The beginning.
    ///   - options: The options for the comparison. The default is an exact comparison.
    public func beginsWith(_ text: String, options: Filter.Options = []) -> Filter {
        compared(.beginsWith, to: Filter.Expression(text), options: options)
    }

    /// Matches the records where this text begins with that of another expression.
    ///
    /// - Parameters:
    ///   - text: The beginning.
    ///   - options: The options for the comparison. The default is an exact comparison.
    public func beginsWith(_ text: Filter.Expression, options: Filter.Options = []) -> Filter {
        compared(.beginsWith, to: text, options: options)
    }

    /// Matches the records where this text ends with another, scalar by scalar.
    ///
    /// The empty text ends nothing.
    ///
    /// - Parameters:
    ///   - text: The end.
    ///   - options: The options for the comparison. The default is an exact comparison.
    public func endsWith(_ text: String, options: Filter.Options = []) -> Filter {
        compared(.endsWith, to: Filter.Expression(text), options: options)
    }

    /// Matches the records where this text ends with that of another expression.
    ///
    /// - Parameters:
    ///   - text: The end.
    ///   - options: The options for the comparison. The default is an exact comparison.
    public func endsWith(_ text: Filter.Expression, options: Filter.Options = []) -> Filter {
        compared(.endsWith, to: text, options: options)
    }

    /// Matches the records where this whole text matches a pattern.
    ///
    /// In the pattern, `?` stands for one Unicode scalar, `*` for any number of them or none, and everything else for
    /// itself.
    ///
    /// - Parameters:
    ///   - pattern: The pattern.
    ///   - options: The options for the comparison. The default is an exact comparison.
    public func like(_ pattern: String, options: Filter.Options = []) -> Filter {
        compared(.like, to: Filter.Expression(pattern), options: options)
    }

    /// Matches the records where this whole text matches a regular expression, in the syntax of
    /// `NSRegularExpression`.
    ///
    /// A malformed expression is refused when the filter is used. An expression from an untrusted user can take long: the
    /// evaluation then ends with ``CabinetError/Code/limitExceeded``, after about a second for each record.
    ///
    /// - Parameters:
    ///   - pattern: The regular expression.
    ///   - options: The options for the comparison. The default is an exact comparison.
    public func matches(_ pattern: String, options: Filter.Options = []) -> Filter {
        compared(.matches, to: Filter.Expression(pattern), options: options)
    }

    /// Matches the records where this list has an element equal to a value, or where a text occurs in this one.
    ///
    /// - Parameters:
    ///   - value: The element, or the text.
    ///   - options: The options for the comparison of text. The default is an exact comparison.
    public func contains(_ value: any FilterArgument, options: Filter.Options = []) -> Filter {
        compared(.contains, to: Filter.Expression(value), options: options)
    }

    /// Matches the records where this list has an element equal to another expression's value, or where that text
    /// occurs in this one.
    ///
    /// - Parameters:
    ///   - value: The element, or the text.
    ///   - options: The options for the comparison of text. The default is an exact comparison.
    public func contains(_ value: Filter.Expression, options: Filter.Options = []) -> Filter {
        compared(.contains, to: value, options: options)
    }

    /// Matches the records where the value equals one of several.
    ///
    /// - Parameters:
    ///   - values: The values.
    ///   - options: The options for the comparison of text. The default is an exact comparison.
    public func isIn<Value: FilterArgument>(_ values: some Sequence<Value>, options: Filter.Options = []) -> Filter {
        compared(.in, to: Filter.Expression(list: values.map { Filter.Expression($0) }), options: options)
    }

    /// Matches the records where the value equals an element of another expression's list, or occurs in its text.
    ///
    /// - Parameters:
    ///   - collection: The list, or the text.
    ///   - options: The options for the comparison of text. The default is an exact comparison.
    public func isIn(_ collection: Filter.Expression, options: Filter.Options = []) -> Filter {
        compared(.in, to: collection, options: options)
    }

    /// Matches the records where the value lies between two others, both included.
    ///
    /// - Parameters:
    ///   - lower: The smallest value that matches.
    ///   - upper: The greatest value that matches. If it is less than `lower`, nothing matches.
    public func isBetween(_ lower: any FilterArgument, _ upper: any FilterArgument) -> Filter {
        isBetween(Filter.Expression(lower), Filter.Expression(upper))
    }

    /// Matches the records where the value lies between those of two other expressions, both included.
    ///
    /// - Parameters:
    ///   - lower: The smallest value that matches.
    ///   - upper: The greatest value that matches.
    public func isBetween(_ lower: Filter.Expression, _ upper: Filter.Expression) -> Filter {
        compared(.between, to: Filter.Expression(list: [lower, upper]), options: [])
    }
}
