import Cabinet

/// The successive states of an observed query.
struct ObservationProbe {
    private var states: RecordObservation.Iterator
    private(set) var last: [Record] = []

    init(
        _ database: Database, _ query: Query, zoneID: RecordZone.ID? = nil, keys: [Record.FieldKey]? = nil,
        limit: Int? = nil
    ) throws {
        states = database.observe(query, inZoneWith: zoneID, desiredKeys: keys, limit: limit).makeAsyncIterator()
    }

    /// Waits for the next state.
    mutating func next() async throws {
        last = try require(try await states.next(), "The next state")
    }

    /// Waits for the next state, and throws unless it consists of the records with these names.
    mutating func expectNext(_ names: [String]) async throws {
        try await next()
        try expect("The records", last.map(\.recordID.recordName), equals: names)
    }

    /// Waits for a state that consists of the records with these names.
    ///
    /// Several changes may arrive as one state, or as several.
    mutating func expectFinally(_ names: [String]) async throws {
        while last.map(\.recordID.recordName) != names { try await next() }
    }
}
