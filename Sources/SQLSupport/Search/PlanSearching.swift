package import Cabinet

/// A state of a database in which the records of plans are searched.
package protocol PlanSearching {
    associatedtype Search: PlanSearch

    /// Translates a plan.
    ///
    /// - Parameter isPage: Whether one page of records is wanted, and not something about all of them.
    /// - Returns: `nil` if no record is of the type or in the zone.
    func search(for plan: QueryPlan, isPage: Bool) throws -> Search?

    /// Adds how the records of a search are found.
    func explain(_ search: inout Search, _ explanation: inout QueryExplanation) throws

    /// The stored records with the given IDs, in their order.
    func records(for ids: [RecordID], keys: [Record.FieldKey]?) throws -> [StoredRecord?]
}

extension PlanSearching {
    /// A cache of the records that references lead to.
    package var recordResolver: RecordResolver { RecordResolver { try self.records(for: $0, keys: nil) } }

    /// Gets one page of a query's records.
    package func records(matching plan: QueryPlan) throws -> [StoredRecord] {
        guard var search = try search(for: plan, isPage: true) else { return [] }
        return try search.page()
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
