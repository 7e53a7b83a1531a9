/// A comparison of texts with a known right side, with the evaluator's result.
///
/// A backend whose own language cannot express an operator, such as `LIKE` with its wildcards or `MATCHES`, calls it
/// for each row instead of fetching the record:
///
/// ```swift
/// let test = try TextTest(.like, "a?c*", options: .caseInsensitive)
/// try test.holds(for: "ABC")
/// ```
public struct TextTest: Sendable {
    private let judge: FilterJudge
    private let folding: Filter.Options

    /// Prepares a comparison.
    ///
    /// - Parameters:
    ///   - operator: The operator.
    ///   - right: The text on its right side.
    ///   - options: The options of the comparison.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the operator does not take the text, as `MATCHES` does not take a
    ///   malformed regular expression; ``CabinetError/Code/limitExceeded`` if the expression is too large or the work of the
    ///   request is spent; and ``CabinetError/Code/operationCancelled``.
    public init(_ operator: Filter.Operator, _ right: String, options: Filter.Options = []) throws {
        let comparison = Filter.Comparison(
            .constant(.string("")), `operator`, .constant(.string(right)), options: options)
        let rule = comparison.rule
        folding = rule.folding(options)
        let value = FilterValue(.string(right)).folded(folding)
        if let error = rule.valueError(about: value) { throw error }
        judge = rule.judge(value)
    }

    /// Returns a Boolean value that indicates whether the comparison holds for a text on its left side.
    ///
    /// - Throws: ``CabinetError/Code/limitExceeded`` if that takes too much work, see ``Limits/workPerRequest``, and
    ///   ``CabinetError/Code/operationCancelled`` if the task of the request was cancelled.
    public func holds(for left: String) throws -> Bool {
        try judge(FilterValue(.string(left)).foldedOnce(folding))
    }
}
