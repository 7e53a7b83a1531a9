extension Database {
    /// Returns the sums of the numbers in a field, one for each value of another field.
    ///
    /// ```swift
    /// let sums = try await database.sums(
    ///     of: "price", by: "list.name", matching: Query(recordType: "Items"))
    /// for (list, sum) in sums {
    ///     print(list as? String ?? "no list", sum)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - key: A field of numbers, or a key path to one through single references.
    ///   - group: The field, system field, or key path whose values form the groups: text, numbers, dates, bytes or
    ///     references.
    ///   - query: The query. Its sort keys are ignored.
    ///   - zoneID: The zone to search, or `nil` for all zones.
    ///   - type: The type of the sums.
    /// - Returns: The groups in ascending order of their values, `nil` first, each with its sum, exact before it is
    ///   rounded. A group whose records have no number has the sum 0.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the field does not hold numbers, if the groups' field holds
    ///   lists, locations or assets, or if the type cannot hold a sum; and the errors of
    ///   ``records(matching:inZoneWith:desiredKeys:resultsLimit:)``.
    /// - Complexity: O(*n*) in the number of records, which are read page by page, and memory for each group.
    public func sums<Value: RecordValue>(
        of key: Record.FieldKey, by group: Record.FieldKey, matching query: Query,
        inZoneWith zoneID: RecordZone.ID? = nil,
        as type: Value.Type = Double.self
    ) async throws -> [(value: (any RecordValue)?, sum: Value)] {
        try await groups(.sum, of: key, by: group, matching: query, in: zoneID).map {
            ($0.value?.recordValue, try Self.sum($0.result, of: key))
        }
    }

    /// Returns the means of the numbers in a field, one for each value of another field.
    ///
    /// - Parameters:
    ///   - key: A field of numbers, or a key path to one through single references.
    ///   - group: The field whose values form the groups, as for ``sums(of:by:matching:inZoneWith:as:)``.
    ///   - query: The query. Its sort keys are ignored.
    ///   - zoneID: The zone to search, or `nil` for all zones.
    /// - Returns: The groups in ascending order of their values, each with its mean, or `nil` if its records have no
    ///   number.
    /// - Throws: The errors of ``sums(of:by:matching:inZoneWith:as:)``.
    /// - Complexity: That of ``sums(of:by:matching:inZoneWith:as:)``.
    public func averages(
        of key: Record.FieldKey, by group: Record.FieldKey, matching query: Query,
        inZoneWith zoneID: RecordZone.ID? = nil
    ) async throws -> [(value: (any RecordValue)?, average: Double?)] {
        try await groups(.average, of: key, by: group, matching: query, in: zoneID).map {
            ($0.value?.recordValue, $0.result.flatMap(Double.init(fieldValue:)))
        }
    }

    /// Returns the least values of a field, one for each value of another field.
    ///
    /// - Parameters:
    ///   - key: A field or system field of text, numbers, dates or bytes, or a key path to one through single
    ///     references.
    ///   - group: The field whose values form the groups, as for ``sums(of:by:matching:inZoneWith:as:)``.
    ///   - query: The query. Its sort keys are ignored.
    ///   - zoneID: The zone to search, or `nil` for all zones.
    /// - Returns: The groups in ascending order of their values, each with its least value, or `nil` if its records
    ///   have none.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the field's values have no order, and the errors of
    ///   ``sums(of:by:matching:inZoneWith:as:)``.
    /// - Complexity: That of ``sums(of:by:matching:inZoneWith:as:)``.
    public func minima(
        of key: Record.FieldKey, by group: Record.FieldKey, matching query: Query,
        inZoneWith zoneID: RecordZone.ID? = nil
    ) async throws -> [(value: (any RecordValue)?, minimum: (any RecordValue)?)] {
        try await groups(.minimum, of: key, by: group, matching: query, in: zoneID).map {
            ($0.value?.recordValue, $0.result?.recordValue)
        }
    }

    /// Returns the greatest values of a field, one for each value of another field.
    ///
    /// - Parameters:
    ///   - key: A field or system field of text, numbers, dates or bytes, or a key path to one through single
    ///     references.
    ///   - group: The field whose values form the groups, as for ``sums(of:by:matching:inZoneWith:as:)``.
    ///   - query: The query. Its sort keys are ignored.
    ///   - zoneID: The zone to search, or `nil` for all zones.
    /// - Returns: The groups in ascending order of their values, each with its greatest value, or `nil` if its records
    ///   have none.
    /// - Throws: The errors of ``minima(of:by:matching:inZoneWith:)``.
    /// - Complexity: That of ``sums(of:by:matching:inZoneWith:as:)``.
    public func maxima(
        of key: Record.FieldKey, by group: Record.FieldKey, matching query: Query,
        inZoneWith zoneID: RecordZone.ID? = nil
    ) async throws -> [(value: (any RecordValue)?, maximum: (any RecordValue)?)] {
        try await groups(.maximum, of: key, by: group, matching: query, in: zoneID).map {
            ($0.value?.recordValue, $0.result?.recordValue)
        }
    }
}
