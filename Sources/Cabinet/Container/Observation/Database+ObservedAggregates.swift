extension Database {
    /// Observes the number of a query's records, and returns it now and after each change.
    ///
    /// ```swift
    /// let open = Query(recordType: "Items", filter: .field("done") == false)
    /// for try await count in database.observeCount(matching: open) {
    ///     badge = count
    /// }
    /// ```
    ///
    /// The sequence has an element after each commit that changes the number. Otherwise it is like
    /// ``observe(_:inZoneWith:desiredKeys:limit:)``, and reads the changes of the database with the other live queries.
    ///
    /// No records are held in memory. From the first change on, the sequence knows what each of up to 10,000 records
    /// contributes, and follows the changes without the store. For more records, for key paths through references, and when a
    /// live query runs its query again, the store computes the number again after a change. See <doc:LiveQueries>.
    ///
    /// - Parameters:
    ///   - query: The query. Its sort keys are ignored.
    ///   - zoneID: The zone to search, or `nil` for all zones.
    /// - Returns: A sequence that throws the errors of ``count(matching:inZoneWith:)``.
    public func observeCount(
        matching query: Query, inZoneWith zoneID: RecordZone.ID? = nil
    ) -> AggregateObservation<Int> {
        observe(matching: query, in: zoneID) { try $0.onlyResult.count }
    }

    /// Observes the sum of the numbers in a field of a query's records.
    ///
    /// The sum is exact before it is rounded, also after any number of changes. ``observeCount(matching:inZoneWith:)`` describes
    /// the sequence and its cost.
    ///
    /// - Parameters:
    ///   - key: A field of numbers, or a key path to one through single references.
    ///   - query: The query. Its sort keys are ignored.
    ///   - zoneID: The zone to search, or `nil` for all zones.
    ///   - type: The type of the sum.
    /// - Returns: A sequence that throws the errors of ``sum(of:matching:inZoneWith:as:)``.
    public func observeSum<Value: RecordValue>(
        of key: Record.FieldKey, matching query: Query, inZoneWith zoneID: RecordZone.ID? = nil,
        as type: Value.Type = Double.self
    ) -> AggregateObservation<Value> {
        observe(.sum, of: key, matching: query, in: zoneID) { try Self.sum($0.onlyResult.result, of: key) }
    }

    /// Observes the mean of the numbers in a field of a query's records.
    ///
    /// ``observeCount(matching:inZoneWith:)`` describes the sequence and its cost.
    ///
    /// - Parameters:
    ///   - key: A field of numbers, or a key path to one through single references.
    ///   - query: The query. Its sort keys are ignored.
    ///   - zoneID: The zone to search, or `nil` for all zones.
    /// - Returns: A sequence with `nil` for no values, which throws the errors of ``average(of:matching:inZoneWith:)``.
    public func observeAverage(
        of key: Record.FieldKey, matching query: Query, inZoneWith zoneID: RecordZone.ID? = nil
    ) -> AggregateObservation<Double?> {
        observe(.average, of: key, matching: query, in: zoneID) {
            try $0.onlyResult.result.flatMap(Double.init(fieldValue:))
        }
    }

    /// Observes the least value of a field in a query's records.
    ///
    /// ``observeCount(matching:inZoneWith:)`` describes the sequence and its cost.
    ///
    /// - Parameters:
    ///   - key: A field, system field or key path with an order, as for ``minimum(of:matching:inZoneWith:)``.
    ///   - query: The query. Its sort keys are ignored.
    ///   - zoneID: The zone to search, or `nil` for all zones.
    /// - Returns: A sequence with `nil` for no values, which throws the errors of ``minimum(of:matching:inZoneWith:)``.
    public func observeMinimum(
        of key: Record.FieldKey, matching query: Query, inZoneWith zoneID: RecordZone.ID? = nil
    ) -> AggregateObservation<(any RecordValue)?> {
        observe(.minimum, of: key, matching: query, in: zoneID) { try $0.onlyResult.result?.recordValue }
    }

    /// Observes the greatest value of a field in a query's records.
    ///
    /// ``observeCount(matching:inZoneWith:)`` describes the sequence and its cost.
    ///
    /// - Parameters:
    ///   - key: A field, system field or key path with an order, as for ``maximum(of:matching:inZoneWith:)``.
    ///   - query: The query. Its sort keys are ignored.
    ///   - zoneID: The zone to search, or `nil` for all zones.
    /// - Returns: A sequence with `nil` for no values, which throws the errors of ``maximum(of:matching:inZoneWith:)``.
    public func observeMaximum(
        of key: Record.FieldKey, matching query: Query, inZoneWith zoneID: RecordZone.ID? = nil
    ) -> AggregateObservation<(any RecordValue)?> {
        observe(.maximum, of: key, matching: query, in: zoneID) { try $0.onlyResult.result?.recordValue }
    }

    func observe<Value>(
        _ aggregate: Aggregate? = nil, of key: Record.FieldKey = "", by group: Record.FieldKey? = nil,
        matching query: Query, in zoneID: RecordZone.ID?,
        _ transform: @escaping @Sendable ([AggregateGroup]) throws -> Value
    ) -> AggregateObservation<Value> {
        AggregateObservation(
            client: client,
            request: AggregateRequest(
                scope: databaseScope, query: query, zoneID: zoneID ?? self.zoneID, aggregate: aggregate, key: key,
                group: group, contributionLimit: AggregateRequest.maximumContributions),
            refusal: zoneID.flatMap { zoneViolation($0) }, transform: transform)
    }
}
