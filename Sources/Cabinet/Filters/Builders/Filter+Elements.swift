extension Filter {
    /// The elements of a list, at least one or every one or none of which must fulfil a comparison.
    ///
    /// ```swift
    /// .any("tags") == "new"
    /// .all("prices") < 100 && .none("tags").beginsWith("old")
    /// ```
    public struct Elements: FilterSubject {
        /// How many of the elements must fulfil the comparison.
        public let quantifier: Quantifier

        /// The list.
        public let list: Expression

        /// Creates the left side of a comparison.
        ///
        /// - Parameters:
        ///   - quantifier: How many of the elements must fulfil the comparison.
        ///   - list: The list.
        public init(_ quantifier: Quantifier, of list: Expression) {
            self.quantifier = quantifier
            self.list = list
        }

        /// Matches the records for which a comparison of the elements holds.
        ///
        /// - Parameters:
        ///   - operator: How to compare.
        ///   - right: What to compare with.
        ///   - options: What the comparison of text leaves out of account.
        public func compared(_ operator: Operator, to right: Expression, options: Options) -> Filter {
            .comparison(Comparison(list, `operator`, right, options: options, quantifier: quantifier))
        }
    }

    /// The elements of a list field, at least one of which must fulfil the comparison; of an empty list none does.
    ///
    /// - Parameter key: The field's name.
    public static func any(_ key: Record.FieldKey) -> Elements {
        Filter.Elements(.any, of: .field(key))
    }

    /// The elements of a list field, every one of which must fulfil the comparison; an empty list does.
    ///
    /// - Parameter key: The field's name.
    public static func all(_ key: Record.FieldKey) -> Elements {
        Filter.Elements(.all, of: .field(key))
    }

    /// The elements of a list field, none of which may fulfil the comparison; an empty list does.
    ///
    /// - Parameter key: The field's name.
    public static func none(_ key: Record.FieldKey) -> Elements {
        Filter.Elements(.none, of: .field(key))
    }
}

// The same for where the operators below, and not a filter, are expected.
extension Filter.Elements {
    /// The elements of a list field, at least one of which must fulfil the comparison; of an empty list none does.
    ///
    /// - Parameter key: The field's name.
    public static func any(_ key: Record.FieldKey) -> Filter.Elements {
        Filter.Elements(.any, of: .field(key))
    }

    /// The elements of a list field, every one of which must fulfil the comparison; an empty list does.
    ///
    /// - Parameter key: The field's name.
    public static func all(_ key: Record.FieldKey) -> Filter.Elements {
        Filter.Elements(.all, of: .field(key))
    }

    /// The elements of a list field, none of which may fulfil the comparison; an empty list does.
    ///
    /// - Parameter key: The field's name.
    public static func none(_ key: Record.FieldKey) -> Filter.Elements {
        Filter.Elements(.none, of: .field(key))
    }
}

extension Filter.Elements {
    /// Matches the records where an element equals a value, or each does, or none.
    public static func == (left: Filter.Elements, right: (any FilterArgument)?) -> Filter {
        left.compared(.equal, to: right)
    }

    /// Matches the records where an element equals another expression's value, or each does, or none.
    public static func == (left: Filter.Elements, right: Filter.Expression) -> Filter {
        left.compared(.equal, to: right, options: [])
    }

    /// Matches the records where an element differs from a value, or each does, or none.
    public static func != (left: Filter.Elements, right: (any FilterArgument)?) -> Filter {
        left.compared(.notEqual, to: right)
    }

    /// Matches the records where an element differs from another expression's value, or each does, or none.
    public static func != (left: Filter.Elements, right: Filter.Expression) -> Filter {
        left.compared(.notEqual, to: right, options: [])
    }

    /// Matches the records where an element comes before a value, or each does, or none.
    public static func < (left: Filter.Elements, right: (any FilterArgument)?) -> Filter {
        left.compared(.lessThan, to: right)
    }

    /// Matches the records where an element comes before another expression's value, or each does, or none.
    public static func < (left: Filter.Elements, right: Filter.Expression) -> Filter {
        left.compared(.lessThan, to: right, options: [])
    }

    /// Matches the records where an element comes before, or equals, a value, or each does, or none.
    public static func <= (left: Filter.Elements, right: (any FilterArgument)?) -> Filter {
        left.compared(.lessThanOrEqual, to: right)
    }

    /// Matches the records where an element comes before, or equals, another expression's value, or each does, or none.
    public static func <= (left: Filter.Elements, right: Filter.Expression) -> Filter {
        left.compared(.lessThanOrEqual, to: right, options: [])
    }

    /// Matches the records where an element comes after a value, or each does, or none.
    public static func > (left: Filter.Elements, right: (any FilterArgument)?) -> Filter {
        left.compared(.greaterThan, to: right)
    }

    /// Matches the records where an element comes after another expression's value, or each does, or none.
    public static func > (left: Filter.Elements, right: Filter.Expression) -> Filter {
        left.compared(.greaterThan, to: right, options: [])
    }

    /// Matches the records where an element comes after, or equals, a value, or each does, or none.
    public static func >= (left: Filter.Elements, right: (any FilterArgument)?) -> Filter {
        left.compared(.greaterThanOrEqual, to: right)
    }

    /// Matches the records where an element comes after, or equals, another expression's value, or each does, or none.
    public static func >= (left: Filter.Elements, right: Filter.Expression) -> Filter {
        left.compared(.greaterThanOrEqual, to: right, options: [])
    }
}
