extension Table {
    /// Observes the records that satisfy a condition: a sequence of arrays, the first now and another one after each change.
    ///
    /// ```swift
    /// let open = items.observe(where: { $0.number > 0 }, by: \.name)
    /// for try await items in open { show(items) }
    /// ```
    ///
    /// - Parameters:
    ///   - filter: The condition; by default all records satisfy it.
    ///   - order: The order of the records; by default that of their first saves.
    ///   - desiredFields: The fields to fetch, or `nil` for all.
    ///   - limit: The maximum number of records, counted from the first, or `nil` for all.
    public func observe(
        where filter: (Fields) -> Filter = { _ in .constant(true) },
        by order: (Fields) -> any TypedOrder = { _ in [Sort]() },
        desiredFields: ((Fields) -> [any FieldDeclaration])? = nil, limit: Int? = nil
    ) -> TypedObservation<Fields> {
        let records = database.observe(
            query(where: filter, by: order), desiredKeys: keys(desiredFields), limit: limit)
        return TypedObservation(records: records, layout: layout)
    }

    /// Returns a live result for a view model, which runs as long as ``LiveItems/run()`` does.
    ///
    /// - Parameters:
    ///   - filter: The condition; by default all records satisfy it.
    ///   - order: The order of the records; by default that of their first saves.
    ///   - limit: The maximum number of records, counted from the first, or `nil` for all.
    @MainActor
    public func live(
        where filter: (Fields) -> Filter = { _ in .constant(true) },
        by order: (Fields) -> any TypedOrder = { _ in [Sort]() }, limit: Int? = nil
    ) -> LiveItems<Fields> {
        LiveItems(observe(where: filter, by: order, limit: limit))
    }

    /// Returns an explanation of how the store runs a query of the table.
    ///
    /// - Parameters:
    ///   - isolation: The actor of the caller, on which the closures are called.
    ///   - filter: The condition; by default all records satisfy it.
    ///   - order: The order of the records; by default that of their first saves.
    /// - Throws: The errors of ``Database/explain(_:inZoneWith:)``.
    public func explain(
        isolation: isolated (any Actor)? = #isolation, where filter: (Fields) -> Filter = { _ in .constant(true) },
        by order: (Fields) -> any TypedOrder = { _ in [Sort]() }
    ) async throws -> QueryExplanation {
        try await database.explain(query(where: filter, by: order))
    }

    /// Creates a subscription to the records that satisfy a condition; pass it to `database.save`.
    ///
    /// - Parameters:
    ///   - filter: The condition; by default all records satisfy it.
    ///   - subscriptionID: The ID of the subscription; by default a new one.
    ///   - options: The changes that notify.
    ///   - desiredFields: The fields whose values notifications contain; by default none.
    public func subscription(
        where filter: (Fields) -> Filter = { _ in .constant(true) },
        subscriptionID: Subscription.ID = Subscription.uniqueID(), options: QuerySubscription.Options,
        desiredFields: ((Fields) -> [any FieldDeclaration])? = nil
    ) -> QuerySubscription {
        QuerySubscription(
            recordType: Fields.recordType, filter: filter(layout.fields), subscriptionID: subscriptionID,
            zoneID: database.zoneID, options: options, desiredKeys: keys(desiredFields) ?? [])
    }
}
