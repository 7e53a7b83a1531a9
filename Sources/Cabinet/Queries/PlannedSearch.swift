/// A search of a plan's filter, whose points are a part of the relevance.
package struct PlannedSearch: Sendable {
    /// The words and phrases that are searched for.
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
            guard let search = comparison.searchText, let keys = comparison.searchedFields(in: fields) else {
                return nil
            }
            return search.isEmpty ? [] : [PlannedSearch(text: search, keys: keys)]
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
