/// The records of a query, fetched page by page during iteration.
///
/// ``Database/recordSequence(matching:inZoneWith:desiredKeys:pageSize:)`` returns it.
///
/// Each page is a snapshot of its own. The iteration returns a record that is saved ahead of the current position, and
/// omits one that is saved behind it. A record is returned twice only if a change of its sort key moves it.
public struct RecordSequence: AsyncSequence, Sendable {
    let database: Database
    let query: Query
    let zoneID: RecordZone.ID?
    let desiredKeys: [Record.FieldKey]?
    let pageSize: Int

    /// Creates an iterator that begins with the query's first page.
    public func makeAsyncIterator() -> Iterator {
        Iterator(sequence: self)
    }

    /// An iterator that fetches the next page after the last record of a page.
    public struct Iterator: AsyncIteratorProtocol {
        private let sequence: RecordSequence
        @usableFromInline var page: [Record] = []
        /// The number of records of the page that were returned.
        @usableFromInline var returned = 0
        private var upcoming: Upcoming = .firstPage

        private enum Upcoming {
            case firstPage
            case page(Query.Cursor)
            case end
        }

        init(sequence: RecordSequence) {
            self.sequence = sequence
        }

        /// Returns the next record, or `nil` after the last one, and fetches the next page if necessary.
        ///
        /// Only fetching a page leaves the caller's actor.
        ///
        /// - Parameter actor: The calling actor.
        /// - Throws: The errors of ``Database/records(matching:inZoneWith:desiredKeys:resultsLimit:)``.
        @inlinable
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Record? {
            while returned == page.count {
                guard try await fetchPage(isolation: actor) else { return nil }
            }
            defer { returned += 1 }
            return page[returned]
        }

        /// Replaces the page by the next one.
        ///
        /// - Returns: Whether there is a next one.
        @usableFromInline
        mutating func fetchPage(isolation actor: isolated (any Actor)?) async throws -> Bool {
            if Task.isCancelled {
                throw CabinetError(.operationCancelled, "The task was cancelled during the query.")
            }
            // Releases this page before the next one arrives, so that memory holds only one.
            page = []
            returned = 0
            let (query, zoneID): (Query, RecordZone.ID?)
            let position: QueryPosition?
            switch upcoming {
            case .firstPage: (query, zoneID, position) = (sequence.query, sequence.zoneID, nil)
            case .page(let cursor): (query, zoneID, position) = (cursor.query, cursor.zoneID, cursor.position)
            case .end: return false
            }
            let next = try await sequence.database.page(
                of: query, inZoneWith: zoneID, after: position, desiredKeys: sequence.desiredKeys,
                resultsLimit: sequence.pageSize)
            page = next.records
            upcoming = next.cursor.map(Upcoming.page) ?? .end
            return true
        }
    }
}
