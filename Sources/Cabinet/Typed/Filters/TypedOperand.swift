/// A term that can also be the right side of a comparison, or a part of a computed term.
public protocol TypedOperand<Compared>: TypedTerm {
    /// The term as an operand of untyped filters.
    var expression: Filter.Expression { get }
}

extension TypedOperand {
    /// Returns a filter that compares the term with an untyped operand.
    public func compared(
        _ operator: Filter.Operator, to right: Filter.Expression, options: Filter.Options
    ) -> Filter {
        .comparison(Filter.Comparison(expression, `operator`, right, options: options))
    }
}
