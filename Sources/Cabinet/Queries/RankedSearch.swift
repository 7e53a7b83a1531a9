/// A search that all records of a page match, and whose relevance alone is their order.
package struct RankedSearch: Sendable {
    /// The search.
    package let search: PlannedSearch
    /// The rest of the plan's filter.
    package let rest: Filter
}

extension QueryPlan {
    /// The search that orders the plan's records, the best first; `nil` in other orders, and if a record may not match it.
    package var rankedSearch: RankedSearch? {
        guard isOrdered, order.count == 1, order[0].isByRelevance, !order[0].ascending, searches.count == 1,
            let rest = filter.removing(searches[0], fields)
        else { return nil }
        return RankedSearch(search: searches[0], rest: rest)
    }
}

extension Filter {
    /// Returns the filter without a search that every record must match; `nil` if it is not a part of the filter.
    fileprivate func removing(_ search: PlannedSearch, _ fields: FieldTypes) -> Filter? {
        switch self {
        case .comparison(let comparison):
            let isSame =
                comparison.searchText == search.text && comparison.searchedFields(in: fields) == search.keys
            return isSame ? .constant(true) : nil
        case .and(var children):
            for index in children.indices {
                guard let rest = children[index].removing(search, fields) else { continue }
                children[index] = rest
                return .and(children)
            }
            return nil
        case .constant, .or, .not: return nil
        }
    }
}
