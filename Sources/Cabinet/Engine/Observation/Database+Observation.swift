extension Database {
    /// Observes a query: its records as they are now, and again each time that they have changed.
    ///
    /// ```swift
    /// for try await items in database.observe(query) {
    ///     show(items)
    /// }
    /// ```
    ///
    /// The records come after each commit that changes one of them, or which of them there are, or their order; whoever has made it,
    /// in this process or in another one. While the loop is busy, several changes become one: the last state is never missed. The
    /// sequence ends when its task is cancelled or the container is closed. After an error the iterator can be asked again, and then
    /// runs the query anew. <doc:LiveQueries> says more.
    ///
    /// All records of the query are held in memory, with all their fields. What has changed is read once for all who observe a
    /// database; only if the filter or the order has a key path through references is the query run anew.
    ///
    /// - Parameters:
    ///   - query: Which records to find, and their order.
    ///   - zoneID: The zone to look in, or `nil` for all zones.
    ///   - desiredKeys: The fields of the records; `nil` for all, an empty array for none. A change of another field is told too,
    ///     because it changes the record's change tag and modification date.
    /// - Returns: A sequence that throws what ``records(matching:inZoneWith:desiredKeys:resultsLimit:)`` throws.
    public func observe(
        _ query: Query, inZoneWith zoneID: RecordZone.ID? = nil, desiredKeys: [Record.FieldKey]? = nil
    ) -> RecordObservation {
        RecordObservation(
            service: service,
            request: QueryRequest(
                scope: databaseScope, query: query, zoneID: zoneID ?? self.zoneID, position: nil,
                desiredKeys: desiredKeys?.withoutRepetitions, resultsLimit: .max),
            refusal: zoneID.flatMap { zoneViolation($0) })
    }
}

/// The records of a query, again and again, each time that they have changed.
public struct RecordObservation: AsyncSequence, Sendable {
    let service: any DatabaseService
    let request: QueryRequest
    /// Why the request cannot be made, which the first state throws.
    let refusal: CabinetError?

    /// Begins with the records as they are now.
    public func makeAsyncIterator() -> Iterator {
        Iterator(observation: self)
    }

    /// What has changed from one state to the next, beside the records.
    public var differences: RecordDifferences { RecordDifferences(observation: self) }

    /// Waits for the next state.
    public struct Iterator: AsyncIteratorProtocol {
        private let observation: RecordObservation
        private var query: LiveQuery?

        init(observation: RecordObservation) {
            self.observation = observation
        }

        /// The records as they are, first at once, and then whenever they have changed; `nil` when the task is cancelled or the
        /// container closed.
        public mutating func next() async throws -> [Record]? {
            if Task.isCancelled { return nil }
            if let refusal = observation.refusal { throw refusal }
            let query = try self.query ?? observation.service.observe(observation.request)
            self.query = query
            return try await query.next()?.map { Record($0) }
        }
    }
}
