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
