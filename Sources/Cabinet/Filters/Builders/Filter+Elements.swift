extension Filter {
    /// The elements of a list as the left side of a comparison that one, all or none of them must fulfil.
    ///
    /// ```swift
    /// .any("tags") == "new"
    /// .all("prices") < 100 && .none("tags").beginsWith("old")
    /// ```
    public struct Elements: FilterSubject {
        /// The share of the elements that must fulfil the comparison: one, all or none.
        public let quantifier: Quantifier

        /// The list.
        public let list: Expression

        /// Creates the left side of a comparison.
        ///
        /// - Parameters:
        ///   - quantifier: The share of the elements that must fulfil the comparison: one, all or none.
        ///   - list: The list.
        public init(_ quantifier: Quantifier, of list: Expression) {
            self.quantifier = quantifier
            self.list = list
        }

        /// Returns a filter that matches the records for which a comparison of the elements holds.
        ///
        /// - Parameters:
        ///   - operator: The operator.
        ///   - right: The right operand.
        ///   - options: The options for the comparison of text.
        public func compared(_ operator: Operator, to right: Expression, options: Options) -> Filter {
            .comparison(Comparison(list, `operator`, right, options: options, quantifier: quantifier))
        }
    }

    /// The elements of a list field, for a comparison that at least one of them must fulfil.
    ///
    /// An empty list does not match.
    ///
    /// - Parameter key: The field's name.
    public static func any(_ key: Record.FieldKey) -> Elements {
        Filter.Elements(.any, of: .field(key))
    }

    /// The elements of a list field, for a comparison that all of them must fulfil.
    ///
    /// An empty list matches.
    ///
    /// - Parameter key: The field's name.
    public static func all(_ key: Record.FieldKey) -> Elements {
        Filter.Elements(.all, of: .field(key))
    }

    /// The elements of a list field, for a comparison that none of them may fulfil.
    ///
    /// An empty list matches.
    ///
    /// - Parameter key: The field's name.
    public static func none(_ key: Record.FieldKey) -> Elements {
        Filter.Elements(.none, of: .field(key))
    }
}

// The same for contexts that expect the operators below instead of a filter.
extension Filter.Elements {
    /// The elements of a list field, for a comparison that at least one of them must fulfil.
    ///
    /// An empty list does not match.
    ///
    /// - Parameter key: The field's name.
    public static func any(_ key: Record.FieldKey) -> Filter.Elements {
        Filter.Elements(.any, of: .field(key))
    }

    /// The elements of a list field, for a comparison that all of them must fulfil.
    ///
    /// An empty list matches.
    ///
    /// - Parameter key: The field's name.
    public static func all(_ key: Record.FieldKey) -> Filter.Elements {
        Filter.Elements(.all, of: .field(key))
    }

    /// The elements of a list field, for a comparison that none of them may fulfil.
    ///
    /// An empty list matches.
    ///
    /// - Parameter key: The field's name.
    public static func none(_ key: Record.FieldKey) -> Filter.Elements {
        Filter.Elements(.none, of: .field(key))
    }
}

extension Filter.Elements {
    /// Matches the records where any, all or none of the elements equal a value, as the quantifier requires.
    public static func == (left: Filter.Elements, right: (any FilterArgument)?) -> Filter {
        left.compared(.equal, to: right)
    }

    /// Matches the records where any, all or none of the elements equal another expression's value, as the quantifier requires.
    public static func == (left: Filter.Elements, right: Filter.Expression) -> Filter {
        left.compared(.equal, to: right, options: [])
    }

    /// Matches the records where any, all or none of the elements differ from a value, as the quantifier requires.
    public static func != (left: Filter.Elements, right: (any FilterArgument)?) -> Filter {
        left.compared(.notEqual, to: right)
    }

    /// Matches the records where any, all or none of the elements differ from another expression's value, as the quantifier requires.
    public static func != (left: Filter.Elements, right: Filter.Expression) -> Filter {
        left.compared(.notEqual, to: right, options: [])
    }

    /// Matches the records where any, all or none of the elements come before a value, as the quantifier requires.
    public static func < (left: Filter.Elements, right: (any FilterArgument)?) -> Filter {
        left.compared(.lessThan, to: right)
    }

    /// Matches the records where any, all or none of the elements come before another expression's value, as the quantifier requires.
    public static func < (left: Filter.Elements, right: Filter.Expression) -> Filter {
        left.compared(.lessThan, to: right, options: [])
    }

    /// Matches the records where any, all or none of the elements come before a value or equal it, as the quantifier requires.
    public static func <= (left: Filter.Elements, right: (any FilterArgument)?) -> Filter {
        left.compared(.lessThanOrEqual, to: right)
    }

    /// Matches the records where any, all or none of the elements come before another expression's value or equal it, as the quantifier requires.
    public static func <= (left: Filter.Elements, right: Filter.Expression) -> Filter {
        left.compared(.lessThanOrEqual, to: right, options: [])
    }

    /// Matches the records where any, all or none of the elements come after a value, as the quantifier requires.
    public static func > (left: Filter.Elements, right: (any FilterArgument)?) -> Filter {
        left.compared(.greaterThan, to: right)
    }

    /// Matches the records where any, all or none of the elements come after another expression's value, as the quantifier requires.
    public static func > (left: Filter.Elements, right: Filter.Expression) -> Filter {
        left.compared(.greaterThan, to: right, options: [])
    }

    /// Matches the records where any, all or none of the elements come after a value or equal it, as the quantifier requires.
    public static func >= (left: Filter.Elements, right: (any FilterArgument)?) -> Filter {
        left.compared(.greaterThanOrEqual, to: right)
    }

    /// Matches the records where any, all or none of the elements come after another expression's value or equal it, as the quantifier requires.
    public static func >= (left: Filter.Elements, right: Filter.Expression) -> Filter {
        left.compared(.greaterThanOrEqual, to: right, options: [])
    }
}
