/// What the core does for a backend that cannot do better.
extension StorageSnapshot {
    /// Computes one value of a field of a query's records, which are fetched page by page.
    public func value(
        of aggregate: Aggregate, over key: Record.FieldKey, matching plan: QueryPlan
    ) async throws -> FieldValue? {
        throw CabinetError(.invalidArguments, "Aggregates are not supported by this version.")
    }

    /// Counts a query's records by the values of a field; they are fetched page by page.
    public func counts(by key: Record.FieldKey, matching plan: QueryPlan) async throws -> [ValueCount] {
        throw CabinetError(.invalidArguments, "Grouped counts are not supported by this version.")
    }

    /// Tells that every record of the type is looked at, and the rest is done afterwards.
    public func explanation(of plan: QueryPlan) async throws -> QueryExplanation {
        QueryExplanation(pushedDown: nil, evaluated: plan.filter, access: [.scan], ordering: .sorted)
    }
}
