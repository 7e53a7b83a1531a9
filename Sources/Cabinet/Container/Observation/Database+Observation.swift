extension Database {
    /// Observes a query, and returns its records now and after each change of them.
    ///
    /// ```swift
    /// for try await items in database.observe(query) {
    ///     show(items)
    /// }
    /// ```
    ///
    /// The sequence has an element after each commit that changes one of the records, adds or removes one, or changes
    /// their order. This process or another one may have made the commit. While the loop is busy, several changes are
    /// combined into one element, and the last state is never missed. The sequence ends when its task is cancelled or
    /// the container is closed. After an error, the next call of the iterator runs the query again. See
    /// <doc:LiveQueries>.
    ///
    /// With a limit, the elements are the first records of the query's order. A record that leaves them is replaced by the
    /// next one, and a change behind them produces no element.
    ///
    /// The records are held in memory, with all their fields; with a limit, up to twice as many. The changes of a database
    /// are read once for all live queries on it. The query runs again after each change only if its filter or order has a
    /// key path through references.
    ///
    /// - Parameters:
    ///   - query: The query, which also gives the order of the records.
    ///   - zoneID: The zone to search, or `nil` for all zones.
    ///   - desiredKeys: The fields of the records, or `nil` for all. An empty array fetches no fields. A change of
    ///     another field has an element too, because it changes the record's change tag and modification date.
    ///   - limit: The maximum number of records, counted from the first in the query's order, or `nil` for all.
    /// - Returns: A sequence that throws the errors of ``records(matching:inZoneWith:desiredKeys:resultsLimit:)``, and
    ///   ``CabinetError/Code/invalidArguments`` if the limit is less than 1.
    public func observe(
        _ query: Query, inZoneWith zoneID: RecordZone.ID? = nil, desiredKeys: [Record.FieldKey]? = nil,
        limit: Int? = nil
    ) -> RecordObservation {
        var refusal = zoneID.flatMap { zoneViolation($0) }
        if let limit, limit < 1 {
            refusal = CabinetError(
                .invalidArguments, "The limit is \(limit); expected 1 or more, or nil for all records.")
        }
        return RecordObservation(
            client: client,
            request: QueryRecordsRequest(
                scope: databaseScope, query: query, zoneID: zoneID ?? self.zoneID,
                desiredKeys: desiredKeys?.withoutRepetitions),
            limit: limit, refusal: refusal)
    }
}
