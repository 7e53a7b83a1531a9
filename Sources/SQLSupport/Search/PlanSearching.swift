package import Cabinet

/// A database snapshot that supports searches for the records of plans.
package protocol PlanSearching {
    associatedtype Search: PlanSearch

    /// Translates a plan.
    ///
    /// - Parameter isPage: Whether the search is for one page of records, not for all of them.
    /// - Returns: `nil` if no record has the type or is in the zone.
    func search(for plan: QueryPlan, isPage: Bool) throws -> Search?

    /// Adds the execution plan of a search to an explanation.
    func explain(_ search: inout Search, _ explanation: inout QueryExplanation) throws

    /// Returns the stored records with the given IDs, in the order of the IDs.
    func records(for ids: [RecordID], keys: [Record.FieldKey]?) throws -> [StoredRecord?]
}

extension PlanSearching {
    /// Returns a cache of the records that references point to, for the evaluation of a plan.
    package func recordResolver(for plan: QueryPlan) -> RecordResolver {
        RecordResolver {
            try self.records(for: $0, keys: nil)
        } counting: {
            try self.count(matching: plan.counting($0))
        }
    }

    /// Counts a query's records, wherever the page begins and ends.
    package func count(matching plan: QueryPlan) throws -> Int {
        try search(for: plan, isPage: false)?.count() ?? 0
    }

    /// Computes one value of a query's records; `nil` if SQL cannot.
    package func value(
        of aggregate: Aggregate, over key: Record.FieldKey, matching plan: QueryPlan
    ) throws -> FieldValue?? {
        guard let search = try search(for: plan, isPage: false) else {
            return .some(AggregateAccumulator(aggregate).result)
        }
        return try search.value(of: aggregate, over: key)
    }

    /// Counts a query's records by values; `nil` if SQL cannot.
    package func counts(by key: Record.FieldKey, matching plan: QueryPlan) throws -> [ValueCount]? {
        guard let search = try search(for: plan, isPage: false) else { return [] }
        return try search.counts(by: key)
    }

    /// Explains how a query's records would be found.
    package func explanation(of plan: QueryPlan) throws -> QueryExplanation {
        guard var search = try search(for: plan, isPage: true) else {
            return QueryExplanation(pushedDown: plan.filter, evaluated: nil, access: [.nothing], ordering: .byIndex)
        }
        let (translated, remainder) = (search.parts.translated, search.parts.remainder)
        var explanation = QueryExplanation(
            pushedDown: translated, evaluated: remainder, access: [], ordering: .byIndex)
        try explain(&search, &explanation)
        return explanation
    }
}
