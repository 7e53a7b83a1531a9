/// The records of a query, fetched page by page while they are iterated over.
///
/// Each page is a snapshot of its own: a record that is saved behind the current place while the iteration goes on is not met,
/// one before it is. None is met twice, unless its sort key moves it.
public struct RecordSequence: AsyncSequence, Sendable {
    let database: Database
    let query: Query
    let zoneID: RecordZone.ID?
    let desiredKeys: [Record.FieldKey]?
    let pageSize: Int

    /// Begins with the query's first page.
    public func makeAsyncIterator() -> Iterator {
        Iterator(sequence: self)
    }

    /// Fetches a page whenever the one before it is used up.
    public struct Iterator: AsyncIteratorProtocol {
        private let sequence: RecordSequence
        private var page: ArraySlice<(RecordID, Result<Record, CabinetError>)> = []
        private var upcoming: Upcoming = .firstPage

        private enum Upcoming {
            case firstPage
            case page(Query.Cursor)
            case end
        }

        init(sequence: RecordSequence) {
            self.sequence = sequence
        }

        /// The next record, or `nil` after the last; fetches a page when one is used up.
        public mutating func next() async throws -> Record? {
            while page.isEmpty {
                if Task.isCancelled {
                    throw CabinetError(.operationCancelled, "The task was cancelled during the query.")
                }
                let results: (matchResults: [(RecordID, Result<Record, CabinetError>)], queryCursor: Query.Cursor?)
                switch upcoming {
                case .firstPage:
                    results = try await sequence.database.records(
                        matching: sequence.query, inZoneWith: sequence.zoneID, desiredKeys: sequence.desiredKeys,
                        resultsLimit: sequence.pageSize)
                case .page(let cursor):
                    results = try await sequence.database.records(
                        continuingMatchFrom: cursor, desiredKeys: sequence.desiredKeys, resultsLimit: sequence.pageSize)
                case .end:
                    return nil
                }
                page = results.matchResults[...]
                upcoming = results.queryCursor.map(Upcoming.page) ?? .end
            }
            return try page.popFirst()?.1.get()
        }
    }
}
