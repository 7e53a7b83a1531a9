/// Filters that stand for trees that are too deep or too large: builders cannot throw, so the result throws when it is used.
extension Filter {
    /// The filter that stands for one that is deeper than ``maximumDepth``.
    static let tooDeepFilter = Filter.comparison(Comparison(.tooDeepExpression, .equal, .constant(nil)))

    /// The filter, or ``tooDeepFilter`` if it is too deep.
    ///
    /// So no builder makes a tree that recursion cannot go through, and each call costs no more than the size of its operands.
    var ifShallow: Filter { isShallow ? self : .tooDeepFilter }
}

extension Filter.Expression {
    /// The operand that stands for one that is deeper than ``Filter/maximumDepth``.
    static let tooDeepExpression = Filter.Expression.unstorable(
        "an operand of more than \(Filter.maximumDepth) levels")

    /// The operand, or ``tooDeepExpression`` if it is too deep.
    var ifShallow: Filter.Expression { (try? validateDepth(from: 1)) == nil ? .tooDeepExpression : self }
}
