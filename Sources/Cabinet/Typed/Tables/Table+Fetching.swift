extension Table {
    /// Fetches a record by ID.
    ///
    /// - Parameter id: The record's ID.
    /// - Throws: ``CabinetError/Code/unknownItem`` if the record does not exist, ``CabinetError/Code/invalidArguments`` if it is of
    ///   another type, and the errors of ``Database/record(for:)``.
    public func record(for id: TypedID<Fields>) async throws -> Typed<Fields> {
        try Typed(try await database.record(for: id.recordID), layout: layout)
    }

    /// Fetches records by ID.
    ///
    /// - Parameters:
    ///   - ids: The records' IDs.
    ///   - isolation: The actor of the caller.
    ///   - desiredFields: The fields to fetch, or `nil` for all. Other fields read as if they had no value.
    /// - Returns: A record or an error for each ID, such as ``CabinetError/Code/unknownItem``.
    /// - Throws: The errors of ``Database/records(for:desiredKeys:)``.
    public func records(
        for ids: [TypedID<Fields>], isolation: isolated (any Actor)? = #isolation,
        desiredFields: ((Fields) -> [any FieldDeclaration])? = nil
    ) async throws -> [TypedID<Fields>: Result<Typed<Fields>, CabinetError>] {
        let results = try await database.records(for: ids.map(\.recordID), desiredKeys: keys(desiredFields))
        return Dictionary(
            uniqueKeysWithValues: results.map { id, result in
                (
                    TypedID(id),
                    result.flatMap { record in
                        Result { () throws(CabinetError) in try Typed(record, layout: layout) }
                    }
                )
            })
    }

    /// Fetches the records that satisfy a condition, page by page.
    ///
    /// ```swift
    /// let few = try await items.all(
    ///     where: { $0.number < 3 || $0.name.hasPrefix("Br") },
    ///     by: \.name, limit: 50)
    /// ```
    ///
    /// - Parameters:
    ///   - isolation: The actor of the caller, on which the closures are called.
    ///   - filter: The condition; by default all records satisfy it.
    ///   - order: The order of the records; by default that of their first saves.
    ///   - desiredFields: The fields to fetch, or `nil` for all. Other fields read as if they had no value.
    ///   - limit: The maximum number of records, or `nil` for all.
    /// - Returns: The records, in the order.
    /// - Throws: The errors of ``Database/allRecords(matching:inZoneWith:desiredKeys:limit:)``.
    @inlinable
    public func all(
        isolation: isolated (any Actor)? = #isolation, where filter: (Fields) -> Filter = { _ in .constant(true) },
        by order: (Fields) -> any TypedOrder = { _ in [Sort]() },
        desiredFields: ((Fields) -> [any FieldDeclaration])? = nil, limit: Int? = nil
    ) async throws -> [Typed<Fields>] {
        typed(
            try await database.allRecords(
                matching: query(where: filter, by: order), desiredKeys: keys(desiredFields), limit: limit))
    }

    /// Fetches the first record that satisfies a condition, or `nil` if there is none.
    ///
    /// - Parameters:
    ///   - isolation: The actor of the caller, on which the closures are called.
    ///   - filter: The condition; by default all records satisfy it.
    ///   - order: The order of the records; by default that of their first saves.
    /// - Throws: The errors of ``Database/first(matching:inZoneWith:desiredKeys:)``.
    public func first(
        isolation: isolated (any Actor)? = #isolation, where filter: (Fields) -> Filter = { _ in .constant(true) },
        by order: (Fields) -> any TypedOrder = { _ in [Sort]() }
    ) async throws -> Typed<Fields>? {
        try await database.first(matching: query(where: filter, by: order)).map(typed)
    }

    /// Fetches the first page of the records that satisfy a condition.
    ///
    /// - Parameters:
    ///   - isolation: The actor of the caller, on which the closures are called.
    ///   - filter: The condition; by default all records satisfy it.
    ///   - order: The order of the records; by default that of their first saves.
    ///   - desiredFields: The fields to fetch, or `nil` for all.
    ///   - limit: The maximum number of records of the page; the store decides by default.
    /// - Returns: The records, and a cursor if there are more.
    /// - Throws: The errors of ``Database/records(matching:inZoneWith:desiredKeys:resultsLimit:)``.
    public func page(
        isolation: isolated (any Actor)? = #isolation, where filter: (Fields) -> Filter = { _ in .constant(true) },
        by order: (Fields) -> any TypedOrder = { _ in [Sort]() },
        desiredFields: ((Fields) -> [any FieldDeclaration])? = nil, limit: Int = Query.maximumResults
    ) async throws -> (items: [Typed<Fields>], cursor: Query.Cursor?) {
        let page = try await database.records(
            matching: query(where: filter, by: order), desiredKeys: keys(desiredFields), resultsLimit: limit)
        return (try page.matchResults.map { typed(try $0.1.get()) }, page.queryCursor)
    }

    /// Fetches the page that follows another one.
    ///
    /// - Parameters:
    ///   - cursor: The cursor of the previous page, which was a page of this table.
    ///   - isolation: The actor of the caller.
    ///   - desiredFields: The fields to fetch, or `nil` for all.
    ///   - limit: The maximum number of records of the page; the store decides by default.
    /// - Returns: The records, and a cursor if there are more.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the cursor is of another table, and the errors of
    ///   ``Database/records(continuingMatchFrom:desiredKeys:resultsLimit:)``.
    public func page(
        after cursor: Query.Cursor, isolation: isolated (any Actor)? = #isolation,
        desiredFields: ((Fields) -> [any FieldDeclaration])? = nil, limit: Int = Query.maximumResults
    ) async throws -> (items: [Typed<Fields>], cursor: Query.Cursor?) {
        guard cursor.query.recordType.hasSameScalars(as: Fields.recordType) else {
            throw CabinetError(
                .invalidArguments,
                "The cursor continues a query of \(cursor.query.recordType), and the table has records of \(Fields.recordType)."
            )
        }
        let page = try await database.records(
            continuingMatchFrom: cursor, desiredKeys: keys(desiredFields), resultsLimit: limit)
        return (try page.matchResults.map { typed(try $0.1.get()) }, page.queryCursor)
    }

    /// Returns the records that satisfy a condition as a sequence, which fetches them page by page during iteration.
    ///
    /// - Parameters:
    ///   - filter: The condition; by default all records satisfy it.
    ///   - order: The order of the records; by default that of their first saves.
    ///   - desiredFields: The fields to fetch, or `nil` for all.
    ///   - pageSize: The number of records of a page.
    public func sequence(
        where filter: (Fields) -> Filter = { _ in .constant(true) },
        by order: (Fields) -> any TypedOrder = { _ in [Sort]() },
        desiredFields: ((Fields) -> [any FieldDeclaration])? = nil, pageSize: Int = Query.defaultPageSize
    ) -> TypedSequence<Fields> {
        let records = database.recordSequence(
            matching: query(where: filter, by: order), desiredKeys: keys(desiredFields), pageSize: pageSize)
        return TypedSequence(records: records, layout: layout)
    }
}
