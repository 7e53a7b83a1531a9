/// AND, OR and NOT between filters.
///
/// ```swift
/// .field("list") == list && !(.field("number") > 3 || .field("isDone") == true)
/// ```
///
/// A filter that would be deeper than ``maximumDepth`` becomes one that is refused when it is used.
extension Filter {
    /// Matches the records that both filters match.
    ///
    /// A chain is a single ``and(_:)``. To join very many filters, use the case itself: `.and(filters)`.
    public static func && (left: Filter, right: Filter) -> Filter {
        if case .and(let children) = left, children.count > 1 {
            return right.isShallow(from: 2) ? .and(children + [right]) : .tooDeepFilter
        }
        return .and([left, right]).ifShallow
    }

    /// Matches the records that at least one of the filters matches.
    ///
    /// A chain is a single ``or(_:)``. To join very many filters, use the case itself: `.or(filters)`.
    public static func || (left: Filter, right: Filter) -> Filter {
        if case .or(let children) = left, children.count > 1 {
            return right.isShallow(from: 2) ? .or(children + [right]) : .tooDeepFilter
        }
        return .or([left, right]).ifShallow
    }

    /// Matches the records that the filter does not match, including those with nil in its fields.
    public static prefix func ! (filter: Filter) -> Filter {
        .not(filter).ifShallow
    }
}
