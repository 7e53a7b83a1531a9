extension Database {
    /// Observes the number of a query's records for each value of a field.
    ///
    /// ```swift
    /// for try await counts in database.observeCounts(
    ///     by: "status", matching: query)
    /// {
    ///     for (status, count) in counts { show(status as? String, count) }
    /// }
    /// ```
    ///
    /// The sequence has an element after each commit that changes one of the groups. ``observeCount(matching:inZoneWith:)`` describes
    /// its cost.
    ///
    /// - Parameters:
    ///   - key: A field, system field or key path whose values form groups, as for ``counts(by:matching:inZoneWith:)``.
    ///   - query: The query. Its sort keys are ignored.
    ///   - zoneID: The zone to search, or `nil` for all zones.
    /// - Returns: A sequence of all groups in ascending order, `nil` first, which throws the errors of
    ///   ``counts(by:matching:inZoneWith:)``.
    public func observeCounts(
        by key: Record.FieldKey, matching query: Query, inZoneWith zoneID: RecordZone.ID? = nil
    ) -> AggregateObservation<[(value: (any RecordValue)?, count: Int)]> {
        observe(by: key, matching: query, in: zoneID) { groups in
            try groups.map { ($0.value?.recordValue, try $0.count) }
        }
    }

    /// Observes the sums of the numbers in a field, one for each value of another field.
    ///
    /// ``observeCount(matching:inZoneWith:)`` describes the sequence and its cost.
    ///
    /// - Parameters:
    ///   - key: A field of numbers, or a key path to one through single references.
    ///   - group: The field whose values form the groups.
    ///   - query: The query. Its sort keys are ignored.
    ///   - zoneID: The zone to search, or `nil` for all zones.
    ///   - type: The type of the sums.
    /// - Returns: A sequence of all groups in ascending order, `nil` first, which throws the errors of
    ///   ``sums(of:by:matching:inZoneWith:as:)``.
    public func observeSums<Value: RecordValue>(
        of key: Record.FieldKey, by group: Record.FieldKey, matching query: Query,
        inZoneWith zoneID: RecordZone.ID? = nil, as type: Value.Type = Double.self
    ) -> AggregateObservation<[(value: (any RecordValue)?, sum: Value)]> {
        observe(.sum, of: key, by: group, matching: query, in: zoneID) { groups in
            try groups.map { ($0.value?.recordValue, try Self.sum($0.result, of: key)) }
        }
    }

    /// Observes the means of the numbers in a field, one for each value of another field.
    ///
    /// ``observeCount(matching:inZoneWith:)`` describes the sequence and its cost.
    ///
    /// - Parameters:
    ///   - key: A field of numbers, or a key path to one through single references.
    ///   - group: The field whose values form the groups.
    ///   - query: The query. Its sort keys are ignored.
    ///   - zoneID: The zone to search, or `nil` for all zones.
    /// - Returns: A sequence of all groups in ascending order, which throws the errors of
    ///   ``averages(of:by:matching:inZoneWith:)``.
    public func observeAverages(
        of key: Record.FieldKey, by group: Record.FieldKey, matching query: Query,
        inZoneWith zoneID: RecordZone.ID? = nil
    ) -> AggregateObservation<[(value: (any RecordValue)?, average: Double?)]> {
        observe(.average, of: key, by: group, matching: query, in: zoneID) { groups in
            groups.map { ($0.value?.recordValue, $0.result.flatMap(Double.init(fieldValue:))) }
        }
    }

    /// Observes the least values of a field, one for each value of another field.
    ///
    /// ``observeCount(matching:inZoneWith:)`` describes the sequence and its cost.
    ///
    /// - Parameters:
    ///   - key: A field, system field or key path with an order.
    ///   - group: The field whose values form the groups.
    ///   - query: The query. Its sort keys are ignored.
    ///   - zoneID: The zone to search, or `nil` for all zones.
    /// - Returns: A sequence of all groups in ascending order, which throws the errors of
    ///   ``minima(of:by:matching:inZoneWith:)``.
    public func observeMinima(
        of key: Record.FieldKey, by group: Record.FieldKey, matching query: Query,
        inZoneWith zoneID: RecordZone.ID? = nil
    ) -> AggregateObservation<[(value: (any RecordValue)?, minimum: (any RecordValue)?)]> {
        observe(.minimum, of: key, by: group, matching: query, in: zoneID) { groups in
            groups.map { ($0.value?.recordValue, $0.result?.recordValue) }
        }
    }

    /// Observes the greatest values of a field, one for each value of another field.
    ///
    /// ``observeCount(matching:inZoneWith:)`` describes the sequence and its cost.
    ///
    /// - Parameters:
    ///   - key: A field, system field or key path with an order.
    ///   - group: The field whose values form the groups.
    ///   - query: The query. Its sort keys are ignored.
    ///   - zoneID: The zone to search, or `nil` for all zones.
    /// - Returns: A sequence of all groups in ascending order, which throws the errors of
    ///   ``maxima(of:by:matching:inZoneWith:)``.
    public func observeMaxima(
        of key: Record.FieldKey, by group: Record.FieldKey, matching query: Query,
        inZoneWith zoneID: RecordZone.ID? = nil
    ) -> AggregateObservation<[(value: (any RecordValue)?, maximum: (any RecordValue)?)]> {
        observe(.maximum, of: key, by: group, matching: query, in: zoneID) { groups in
            groups.map { ($0.value?.recordValue, $0.result?.recordValue) }
        }
    }
}
