/// A live count, sum or other aggregate of a query's records: a sequence of its values, now and after each change.
///
/// ```swift
/// for try await count in database.observeCount(matching: query) {
///     badge = count
/// }
/// ```
///
/// ``Database/observeCount(matching:inZoneWith:)`` and its relatives return it. <doc:LiveQueries> explains when elements arrive, and
/// what they cost.
public struct AggregateObservation<Value: Sendable>: AsyncSequence, Sendable {
    let client: ServiceClient
    var request: AggregateRequest
    /// The error of a refused request, which the first element throws.
    let refusal: CabinetError?
    /// Returns the element for the groups.
    let transform: @Sendable ([AggregateGroup]) throws -> Value

    /// Creates an iterator that begins with the current value.
    public func makeAsyncIterator() -> Iterator {
        Iterator(observation: self)
    }

    /// The same sequence with other elements.
    func converting<Other>(_ convert: @escaping @Sendable (Value) throws -> Other) -> AggregateObservation<Other> {
        AggregateObservation<Other>(client: client, request: request, refusal: refusal) { [transform] groups in
            try convert(try transform(groups))
        }
    }

    /// An iterator that waits for the next value.
    public struct Iterator: AsyncIteratorProtocol {
        private let observation: AggregateObservation
        private var query: LiveQuery<LiveAggregates<Value>>?

        /// The reason for which the last call returned no value; `nil` as long as the iterator has some.
        public var ending: ObservationEnding? { isCancelled ? .cancelled : query?.ending }

        private var isCancelled = false

        init(observation: AggregateObservation) {
            self.observation = observation
        }

        /// Returns the current value at first, and then the value whenever it has changed.
        ///
        /// - Returns: The value; `nil` when the task is cancelled or the container closed. ``ending`` has the reason.
        /// - Throws: The errors of the aggregate; the next call then computes it again.
        public mutating func next() async throws -> Value? {
            isCancelled = Task.isCancelled
            if isCancelled { return nil }
            if let refusal = observation.refusal { throw refusal }
            let query = try self.query ?? makeQuery()
            self.query = query
            return try await query.next()
        }

        private func makeQuery() throws -> LiveQuery<LiveAggregates<Value>> {
            let (client, request) = (observation.client, observation.request)
            return try LiveQuery(
                client: client, source: LiveAggregates(request, for: client, observation.transform))
        }
    }
}
