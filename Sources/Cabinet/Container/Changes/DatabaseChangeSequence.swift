/// The changes of a database since a token, page by page, up to the last change at the time of each fetch.
///
/// ``Database/databaseChangeSequence(since:pageSize:)`` returns it.
public struct DatabaseChangeSequence: AsyncSequence, Sendable {
    let database: Database
    let changeToken: ServerChangeToken?
    let pageSize: Int?

    /// Creates an iterator that begins after the token.
    public func makeAsyncIterator() -> Iterator {
        Iterator(sequence: self, changeToken: changeToken)
    }

    /// An iterator that fetches one page after the other.
    public struct Iterator: AsyncIteratorProtocol {
        let sequence: DatabaseChangeSequence
        var changeToken: ServerChangeToken?
        private var isDone = false

        init(sequence: DatabaseChangeSequence, changeToken: ServerChangeToken?) {
            self.sequence = sequence
            self.changeToken = changeToken
        }

        /// Returns the next page, or `nil` after the last one.
        ///
        /// The first page may be empty, but it has a token.
        ///
        /// - Throws: The errors of ``Database/databaseChanges(since:resultsLimit:)``.
        public mutating func next() async throws -> DatabaseChangePage? {
            if isDone { return nil }
            if Task.isCancelled {
                throw CabinetError(.operationCancelled, "The task was cancelled while changes were fetched.")
            }
            let page = try await sequence.database.databaseChanges(since: changeToken, resultsLimit: sequence.pageSize)
            changeToken = page.changeToken
            isDone = !page.moreComing
            return DatabaseChangePage(
                modifications: page.modifications, deletions: page.deletions, changeToken: page.changeToken,
                moreComing: page.moreComing)
        }
    }
}
