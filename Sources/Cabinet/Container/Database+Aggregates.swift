extension Database {
    /// The sum of the numbers in a field of a query's records; 0 if there are none.
    ///
    /// The sum is exact before it is rounded, once, to the type that is asked for. So it does not depend on any order.
    ///
    /// ```swift
    /// let total = try await database.sum(of: "price", matching: query)
    /// let pieces = try await database.sum(of: "number", matching: query, as: Int.self)
    /// ```
    ///
    /// - Parameters:
    ///   - key: The field, or a key path through single references, such as `list.budget`. It holds numbers.
    ///   - query: Which records; its order does not matter.
    ///   - zoneID: The zone to look in, or `nil` for all zones.
    ///   - type: The type of the sum.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the field holds no numbers, or if the sum is none of the type, such
    ///   as a fraction as `Int`; and what ``records(matching:inZoneWith:desiredKeys:resultsLimit:)`` throws.
    /// - Complexity: O(*n*) in the number of records.
    public func sum<Value: RecordValue>(
        of key: Record.FieldKey, matching query: Query, inZoneWith zoneID: RecordZone.ID? = nil,
        as type: Value.Type = Double.self
    ) async throws -> Value {
        try Self.sum(try await value(of: .sum, key, query, zoneID), of: key)
    }

    /// Returns a sum as the type that was asked for.
    static func sum<Value: RecordValue>(_ sum: FieldValue?, of key: Record.FieldKey) throws -> Value {
        if let sum, let value = Value(fieldValue: sum) { return value }
        throw CabinetError(
            .invalidArguments,
            "The sum of '\(key)' is \(sum?.description ?? "no number"), which is no \(Value.self). "
                + "Ask for it as another type, such as Double.self.", fieldKey: key)
    }

    /// The mean of the numbers in a field of a query's records.
    ///
    /// - Parameters:
    ///   - key: The field, or a key path through single references. It holds numbers.
    ///   - query: Which records; its order does not matter.
    ///   - zoneID: The zone to look in, or `nil` for all zones.
    /// - Returns: The exact sum, rounded and divided by the number of values; `nil` if there are none.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the field holds no numbers, and what
    ///   ``records(matching:inZoneWith:desiredKeys:resultsLimit:)`` throws.
    /// - Complexity: O(*n*) in the number of records.
    public func average(
        of key: Record.FieldKey, matching query: Query, inZoneWith zoneID: RecordZone.ID? = nil
    ) async throws -> Double? {
        try await value(of: .average, key, query, zoneID).flatMap(Double.init(fieldValue:))
    }

    /// The least value of a field of a query's records.
    ///
    /// ```swift
    /// let first = try await database.minimum(of: "creationDate", matching: query) as? Date
    /// ```
    ///
    /// - Parameters:
    ///   - key: The field, system field, or key path through single references. It holds text, numbers, dates or bytes.
    ///   - query: Which records; its order does not matter.
    ///   - zoneID: The zone to look in, or `nil` for all zones.
    /// - Returns: The first value in the order that a ``Sort`` has; `nil` if no record has one.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the field's values have no order, and what
    ///   ``records(matching:inZoneWith:desiredKeys:resultsLimit:)`` throws.
    /// - Complexity: O(*n*) in the number of records; less where an index helps.
    public func minimum(
        of key: Record.FieldKey, matching query: Query, inZoneWith zoneID: RecordZone.ID? = nil
    ) async throws -> (any RecordValue)? {
        try await value(of: .minimum, key, query, zoneID)?.recordValue
    }

    /// The greatest value of a field of a query's records.
    ///
    /// - Parameters:
    ///   - key: The field, system field, or key path through single references. It holds text, numbers, dates or bytes.
    ///   - query: Which records; its order does not matter.
    ///   - zoneID: The zone to look in, or `nil` for all zones.
    /// - Returns: The last value in the order that a ``Sort`` has; `nil` if no record has one.
    /// - Throws: What ``minimum(of:matching:inZoneWith:)`` throws.
    /// - Complexity: O(*n*) in the number of records; less where an index helps.
    public func maximum(
        of key: Record.FieldKey, matching query: Query, inZoneWith zoneID: RecordZone.ID? = nil
    ) async throws -> (any RecordValue)? {
        try await value(of: .maximum, key, query, zoneID)?.recordValue
    }

    /// The number of a query's records by the values of a field.
    ///
    /// ```swift
    /// for (list, count) in try await database.counts(by: "list.name", matching: Query(recordType: "Items")) {
    ///     print(list as? String ?? "no list", count)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - key: The field, system field, or key path through single references. It holds text, numbers, dates, bytes or
    ///     references.
    ///   - query: Which records to count; its order does not matter.
    ///   - zoneID: The zone to look in, or `nil` for all zones.
    /// - Returns: The values and how many records have each, in ascending order of the values; first, if there are such records,
    ///   `nil` for those that have none.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the field holds lists, locations or assets, and what
    ///   ``records(matching:inZoneWith:desiredKeys:resultsLimit:)`` throws.
    /// - Complexity: O(*n*) in the number of records, and memory for each value.
    public func counts(
        by key: Record.FieldKey, matching query: Query, inZoneWith zoneID: RecordZone.ID? = nil
    ) async throws -> [(value: (any RecordValue)?, count: Int)] {
        let request = ValueCountsRequest(scope: databaseScope, query: query, zoneID: try zone(zoneID), key: key)
        return try await service.counts(request).map { ($0.value?.recordValue, $0.count) }
    }

    /// Whether a query has a record.
    ///
    /// - Parameters:
    ///   - query: Which records to look for; its order does not matter.
    ///   - zoneID: The zone to look in, or `nil` for all zones.
    /// - Throws: What ``records(matching:inZoneWith:desiredKeys:resultsLimit:)`` throws.
    /// - Complexity: That of finding one record that matches; none is sorted.
    public func exists(matching query: Query, inZoneWith zoneID: RecordZone.ID? = nil) async throws -> Bool {
        var query = query
        query.sortDescriptors = []
        let page = try await service.query(
            QueryRequest(
                scope: databaseScope, query: query, zoneID: try zone(zoneID), position: nil, desiredKeys: [],
                resultsLimit: 1,
                isOrdered: false))
        return !page.records.isEmpty
    }

    private func value(
        of aggregate: Aggregate, _ key: Record.FieldKey, _ query: Query, _ zoneID: RecordZone.ID?
    ) async throws -> FieldValue? {
        try await service.value(
            AggregateRequest(
                scope: databaseScope, query: query, zoneID: try zone(zoneID), aggregate: aggregate, key: key))
    }
}
