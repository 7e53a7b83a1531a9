extension Database {
    /// Returns the sum of the numbers in a field of a query's records, or 0 if there are none.
    ///
    /// The sum is exact, and is rounded once, to the type of the result. The order of the records does not affect it.
    ///
    /// ```swift
    /// let total = try await database.sum(of: "price", matching: query)
    /// let pieces = try await database.sum(
    ///     of: "number", matching: query, as: Int.self)
    /// ```
    ///
    /// - Parameters:
    ///   - key: A field of numbers, or a key path to one through single references, such as `list.budget`.
    ///   - query: The query. Its sort keys are ignored.
    ///   - zoneID: The zone to search, or `nil` for all zones.
    ///   - type: The type of the sum.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the field does not hold numbers, or if the type cannot hold
    ///   the sum, such as a fraction as `Int`; and the errors of
    ///   ``records(matching:inZoneWith:desiredKeys:resultsLimit:)``.
    /// - Complexity: O(*n*) in the number of records.
    public func sum<Value: RecordValue>(
        of key: Record.FieldKey, matching query: Query, inZoneWith zoneID: RecordZone.ID? = nil,
        as type: Value.Type = Double.self
    ) async throws -> Value {
        try Self.sum(try await value(.sum, of: key, matching: query, in: zoneID), of: key)
    }

    /// Returns a sum as the requested type.
    static func sum<Value: RecordValue>(_ sum: FieldValue?, of key: Record.FieldKey) throws -> Value {
        if let sum, let value = Value(fieldValue: sum) { return value }
        throw CabinetError(
            .invalidArguments,
            "The sum of '\(key)' is \(sum?.description ?? "no number"), which the type \(Value.self) cannot hold. "
                + "Ask for it as another type, such as Double.self.", fieldKey: key)
    }

    /// Returns the mean of the numbers in a field of a query's records.
    ///
    /// - Parameters:
    ///   - key: A field of numbers, or a key path to one through single references.
    ///   - query: The query. Its sort keys are ignored.
    ///   - zoneID: The zone to search, or `nil` for all zones.
    /// - Returns: The exact sum, rounded and divided by the number of values, or `nil` if there are no values.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the field does not hold numbers, and the errors of
    ///   ``records(matching:inZoneWith:desiredKeys:resultsLimit:)``.
    /// - Complexity: O(*n*) in the number of records.
    public func average(
        of key: Record.FieldKey, matching query: Query, inZoneWith zoneID: RecordZone.ID? = nil
    ) async throws -> Double? {
        try await value(.average, of: key, matching: query, in: zoneID).flatMap(Double.init(fieldValue:))
    }

    /// Returns the least value of a field in a query's records.
    ///
    /// ```swift
    /// let first = try await database.minimum(
    ///     of: "creationDate", matching: query) as? Date
    /// ```
    ///
    /// - Parameters:
    ///   - key: A field or system field of text, numbers, dates or bytes, or a key path to one through single
    ///     references.
    ///   - query: The query. Its sort keys are ignored.
    ///   - zoneID: The zone to search, or `nil` for all zones.
    /// - Returns: The first value in the order of a ``Sort``, or `nil` if no record has a value.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the field's values have no order, and the errors of
    ///   ``records(matching:inZoneWith:desiredKeys:resultsLimit:)``.
    /// - Complexity: O(*n*) in the number of records, or less with an index.
    public func minimum(
        of key: Record.FieldKey, matching query: Query, inZoneWith zoneID: RecordZone.ID? = nil
    ) async throws -> (any RecordValue)? {
        try await value(.minimum, of: key, matching: query, in: zoneID)?.recordValue
    }

    /// Returns the greatest value of a field in a query's records.
    ///
    /// - Parameters:
    ///   - key: A field or system field of text, numbers, dates or bytes, or a key path to one through single
    ///     references.
    ///   - query: The query. Its sort keys are ignored.
    ///   - zoneID: The zone to search, or `nil` for all zones.
    /// - Returns: The last value in the order of a ``Sort``, or `nil` if no record has a value.
    /// - Throws: The errors of ``minimum(of:matching:inZoneWith:)``.
    /// - Complexity: O(*n*) in the number of records, or less with an index.
    public func maximum(
        of key: Record.FieldKey, matching query: Query, inZoneWith zoneID: RecordZone.ID? = nil
    ) async throws -> (any RecordValue)? {
        try await value(.maximum, of: key, matching: query, in: zoneID)?.recordValue
    }

    /// Returns the number of a query's records for each value of a field.
    ///
    /// ```swift
    /// let counts = try await database.counts(
    ///     by: "list.name", matching: Query(recordType: "Items"))
    /// for (list, count) in counts {
    ///     print(list as? String ?? "no list", count)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - key: A field or system field of text, numbers, dates, bytes or references, or a key path to one through
    ///     single references.
    ///   - query: The query. Its sort keys are ignored.
    ///   - zoneID: The zone to search, or `nil` for all zones.
    /// - Returns: The values in ascending order, with the number of records that have each. If there are records
    ///   without a value, `nil` comes first.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the field holds lists, locations or assets, and the errors
    ///   of ``records(matching:inZoneWith:desiredKeys:resultsLimit:)``.
    /// - Complexity: O(*n*) in the number of records, with memory for each value.
    public func counts(
        by key: Record.FieldKey, matching query: Query, inZoneWith zoneID: RecordZone.ID? = nil
    ) async throws -> [(value: (any RecordValue)?, count: Int)] {
        try await groups(by: key, matching: query, in: zoneID).map {
            ($0.value?.recordValue, try $0.count)
        }
    }

    /// Returns a Boolean value that indicates whether any record matches a query.
    ///
    /// - Parameters:
    ///   - query: The query. Its sort keys are ignored.
    ///   - zoneID: The zone to search, or `nil` for all zones.
    /// - Throws: The errors of ``records(matching:inZoneWith:desiredKeys:resultsLimit:)``.
    /// - Complexity: That of finding one record that matches, without sorting.
    public func exists(matching query: Query, inZoneWith zoneID: RecordZone.ID? = nil) async throws -> Bool {
        var query = query
        query.sortDescriptors = []
        let page = try await client.perform(
            QueryRecordsRequest(
                scope: databaseScope, query: query, zoneID: try zone(zoneID), desiredKeys: [], resultsLimit: 1,
                isOrdered: false))
        return !page.records.isEmpty
    }

    private func value(
        _ aggregate: Aggregate, of key: Record.FieldKey, matching query: Query, in zoneID: RecordZone.ID?
    ) async throws -> FieldValue? {
        try await client.perform(
            AggregateRequest(
                scope: databaseScope, query: query, zoneID: try zone(zoneID), aggregate: aggregate, key: key)
        ).result
    }

    /// Returns the groups of records by the values of a field, with an aggregate of another one, or with their numbers alone.
    func groups(
        _ aggregate: Aggregate? = nil, of key: Record.FieldKey = "", by group: Record.FieldKey, matching query: Query,
        in zoneID: RecordZone.ID?
    ) async throws -> [AggregateGroup] {
        try await client.perform(
            AggregateRequest(
                scope: databaseScope, query: query, zoneID: try zone(zoneID), aggregate: aggregate, key: key,
                group: group)
        ).groups
    }
}
