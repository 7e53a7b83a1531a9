/// The changes of a zone since a token, page by page, up to the last change at the time of each fetch.
///
/// ``Database/recordZoneChangeSequence(inZoneWith:since:desiredKeys:pageSize:)`` returns it. <doc:TwoDevices> builds
/// synchronization on it.
public struct RecordZoneChangeSequence: AsyncSequence, Sendable {
    let database: Database
    let zoneID: RecordZone.ID
    let changeToken: ServerChangeToken?
    let desiredKeys: [Record.FieldKey]?
    let pageSize: Int?

    /// Creates an iterator that begins after the token.
    public func makeAsyncIterator() -> Iterator {
        Iterator(sequence: self, changeToken: changeToken)
    }

    /// An iterator that fetches one page after the other.
    public struct Iterator: AsyncIteratorProtocol {
        let sequence: RecordZoneChangeSequence
        var changeToken: ServerChangeToken?
        private var isDone = false

        init(sequence: RecordZoneChangeSequence, changeToken: ServerChangeToken?) {
            self.sequence = sequence
            self.changeToken = changeToken
        }

        /// Returns the next page, or `nil` after the last one.
        ///
        /// The first page may be empty, but it has a token.
        ///
        /// - Throws: The errors of ``Database/recordZoneChanges(inZoneWith:since:desiredKeys:resultsLimit:)``.
        public mutating func next() async throws -> RecordZoneChangePage? {
            if isDone { return nil }
            if Task.isCancelled {
                throw CabinetError(.operationCancelled, "The task was cancelled while changes were fetched.")
            }
            let page = try await sequence.database.recordZoneChangePage(
                inZoneWith: sequence.zoneID, since: changeToken, desiredKeys: sequence.desiredKeys,
                resultsLimit: sequence.pageSize)
            changeToken = page.changeToken
            isDone = !page.moreComing
            return page
        }
    }
}
