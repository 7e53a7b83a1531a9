/// Between which ranks the value of a field must lie for a filter to hold; see ``FieldValue/rank``.
///
/// A store that keeps ranks beside its records asks the evaluator about those alone that may match.
struct RankBound {
    let key: Record.FieldKey
    let ranks: ClosedRange<UInt64>
}

extension Filter {
    /// What a valid filter demands of the ranks of single fields; nothing if it cannot be said that way.
    ///
    /// A record that is outside of one of the bounds does not match, and evaluating the filter for it does not throw, as its values
    /// are of the types that the filter was validated for.
    func rankBounds(fields: FieldTypes) -> [RankBound] {
        var bounds: [RankBound] = []
        _ = addRankBounds(to: &bounds, fields: fields)
        return bounds
    }

    /// - Returns: Whether there is nothing in the filter that may throw, so that what comes after it can be added too.
    private func addRankBounds(to bounds: inout [RankBound], fields: FieldTypes) -> Bool {
        switch self {
        case .comparison(let comparison):
            guard let bound = comparison.rankBound(fields: fields) else { return false }
            bounds.append(bound)
            return true
        case .and(let children):
            return children.allSatisfy { $0.addRankBounds(to: &bounds, fields: fields) }
        case .constant, .or, .not:
            return false
        }
    }
}

extension Filter.Comparison {
    fileprivate func rankBound(fields: FieldTypes) -> RankBound? {
        guard quantifier == .single, options.isEmpty, case .field(let key) = left, !FieldPath.isLong(key),
            SystemField(rawValue: key) == nil, fields[key] != nil, let constant = right.literal
        else { return nil }
        return rule.ranks(comparedWith: constant).map { RankBound(key: key, ranks: $0) }
    }
}

extension Filter.Expression {
    /// The value that is written down; `nil` if something must be known or computed to have it.
    fileprivate var literal: FilterValue? {
        switch self {
        case .constant(let value): return FilterValue(value)
        case .list(let elements):
            let literals = elements.compactMap(\.literal)
            return literals.count == elements.count ? .list(literals) : nil
        default: return nil
        }
    }
}
