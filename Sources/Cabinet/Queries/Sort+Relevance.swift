extension Sort {
    /// The order of relevance: the records that fit the query's search best come first.
    ///
    /// ```swift
    /// Query(recordType: "Items", filter: .search("anvil rop"), sortedBy: .relevance)
    /// ```
    ///
    /// A record gets points for what it has in its searched fields:
    ///
    /// - 4000 for each word of the search that occurs as a whole word, rather than as the beginning of one.
    /// - 2000 for each two neighbours of the search that are also neighbours in a field, in the same order.
    /// - 1000 if a field begins with the first word of the search.
    /// - 1 to 999 for the share of a field's words that were searched for: 1 + 998 · *found* / *words*, rounded down, of
    ///   the field where it is largest.
    ///
    /// The points depend on the record alone, so every store gives the same, and a cursor stays exact while records
    /// change. If the filter has several searches, their points are added. Searches below NOT, those of lists' elements,
    /// and those for a field's text give none. If no search has a word, all records are alike.
    ///
    /// A query without a search refuses this order. In text its key is `@relevance`: `cabinet query --sort=-@relevance`.
    public static let relevance = Sort(relevanceKey, ascending: false)

    private static let relevanceKey = "@relevance"

    /// Whether the records are ordered by their relevance, in either direction.
    package var isByRelevance: Bool { key == Self.relevanceKey && origin == nil }

    /// Whether the records are ordered by a key path.
    var isByPath: Bool { FieldPath.isLong(key) && !isByRelevance }
}

/// A search of a plan's filter, whose points are a part of the relevance.
package struct PlannedSearch: Sendable {
    package let text: SearchText
    /// The fields, or key paths, that are searched.
    package let keys: [Record.FieldKey]
}

extension Filter {
    /// Returns the searches that a record may match; `nil` if the filter has none, and empty if none of them has a word.
    func plannedSearches(in fields: FieldTypes) -> [PlannedSearch]? {
        switch self {
        case .constant, .not: return nil
        case .and(let children), .or(let children):
            let found = children.compactMap { $0.plannedSearches(in: fields) }
            return found.isEmpty ? nil : found.flatMap(\.self)
        case .comparison(let comparison):
            guard comparison.operator == .search, comparison.quantifier == .single,
                case .constant(.string(let text)?) = comparison.right
            else { return nil }
            let search = SearchText(text)
            switch comparison.left {
            case .searchableText: return search.isEmpty ? [] : [PlannedSearch(text: search, keys: fields.searchable)]
            case .field(let key): return search.isEmpty ? [] : [PlannedSearch(text: search, keys: [key])]
            default: return nil
            }
        }
    }
}

extension [Sort] {
    /// Returns the searches that the records' relevance is computed from; none if they are not ordered by it.
    ///
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the filter has no search.
    func searches(of filter: Filter, in fields: FieldTypes) throws(CabinetError) -> [PlannedSearch] {
        guard contains(where: \.isByRelevance) else { return [] }
        if let searches = filter.plannedSearches(in: fields) { return searches }
        throw CabinetError(
            .invalidArguments,
            "Records are ordered by relevance to a search, and the filter has none. Expected one for a constant text, such as "
                + "SELF SEARCH 'milk', outside of NOT.")
    }
}

extension [PlannedSearch] {
    /// The fields of the records that the relevance is computed from.
    var fieldKeys: [Record.FieldKey] {
        flatMap(\.keys).compactMap { try? FieldPath($0).first }.filter { SystemField(rawValue: $0) == nil }
    }
}

extension [Record.FieldKey] {
    /// Returns the keys and those of others that are not among them.
    func adding(_ others: [Record.FieldKey]) -> [Record.FieldKey] {
        if others.isEmpty { return self }
        var seen = Set(self)
        return self + others.filter { seen.insert($0).inserted }
    }
}

extension QueryPlan {
    /// The order of the plan's records.
    var recordOrder: RecordOrder { RecordOrder(order, searches: searches) }
}
