/// The comparison operators. Each compares an expression with a Swift value, or with another expression.
///
/// ```swift
/// .field("number") > 3
/// .field("list") == reference
/// .field("due") == nil
/// .field("number") < .field("stock")
/// ```
extension Filter.Expression {
    /// Matches the records where the operands are the same value, or both are nil.
    public static func == (left: Filter.Expression, right: (any FilterArgument)?) -> Filter {
        .comparison(Filter.Comparison(left, .equal, Filter.Expression(right)))
    }

    /// Matches the records where the operands are the same value, or both are nil.
    public static func == (left: Filter.Expression, right: Filter.Expression) -> Filter {
        .comparison(Filter.Comparison(left, .equal, right))
    }

    /// Matches the records where the operands differ; nil differs from every value.
    public static func != (left: Filter.Expression, right: (any FilterArgument)?) -> Filter {
        .comparison(Filter.Comparison(left, .notEqual, Filter.Expression(right)))
    }

    /// Matches the records where the operands differ; nil differs from every value.
    public static func != (left: Filter.Expression, right: Filter.Expression) -> Filter {
        .comparison(Filter.Comparison(left, .notEqual, right))
    }

    /// Matches the records where the left operand comes before the right one.
    public static func < (left: Filter.Expression, right: (any FilterArgument)?) -> Filter {
        .comparison(Filter.Comparison(left, .lessThan, Filter.Expression(right)))
    }

    /// Matches the records where the left operand comes before the right one.
    public static func < (left: Filter.Expression, right: Filter.Expression) -> Filter {
        .comparison(Filter.Comparison(left, .lessThan, right))
    }

    /// Matches the records where the left operand comes before the right one, or equals it.
    public static func <= (left: Filter.Expression, right: (any FilterArgument)?) -> Filter {
        .comparison(Filter.Comparison(left, .lessThanOrEqual, Filter.Expression(right)))
    }

    /// Matches the records where the left operand comes before the right one, or equals it.
    public static func <= (left: Filter.Expression, right: Filter.Expression) -> Filter {
        .comparison(Filter.Comparison(left, .lessThanOrEqual, right))
    }

    /// Matches the records where the left operand comes after the right one.
    public static func > (left: Filter.Expression, right: (any FilterArgument)?) -> Filter {
        .comparison(Filter.Comparison(left, .greaterThan, Filter.Expression(right)))
    }

    /// Matches the records where the left operand comes after the right one.
    public static func > (left: Filter.Expression, right: Filter.Expression) -> Filter {
        .comparison(Filter.Comparison(left, .greaterThan, right))
    }

    /// Matches the records where the left operand comes after the right one, or equals it.
    public static func >= (left: Filter.Expression, right: (any FilterArgument)?) -> Filter {
        .comparison(Filter.Comparison(left, .greaterThanOrEqual, Filter.Expression(right)))
    }

    /// Matches the records where the left operand comes after the right one, or equals it.
    public static func >= (left: Filter.Expression, right: Filter.Expression) -> Filter {
        .comparison(Filter.Comparison(left, .greaterThanOrEqual, right))
    }
}
