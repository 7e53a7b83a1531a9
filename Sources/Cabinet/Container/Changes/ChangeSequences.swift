/// One page of the changes of a zone.
public struct RecordZoneChangePage: Sendable, Hashable {
    /// The records that were saved, as they are now; parents and targets of references come before those that refer to them, as far
    /// as they are on the same page and not in a circle.
    public let modifications: [RecordZoneChange.Modification]

    /// The records that were deleted.
    public let deletions: [RecordZoneChange.Deletion]

    /// What is known once this page is taken in.
    ///
    /// Keep it together with what the page changes.
    public let changeToken: ServerChangeToken

    /// Whether there is more already.
    public let moreComing: Bool

    /// Creates a page, to test a program's handler with.
    ///
    /// Get a token for it from a container over a ``MemoryBackend``: `try await database.databaseChanges(since: nil).changeToken`.
    ///
    /// - Parameters:
    ///   - modifications: The records that were saved.
    ///   - deletions: The records that were deleted.
    ///   - changeToken: The position after this page.
    ///   - moreComing: Whether another page follows.
    public init(
        modifications: [RecordZoneChange.Modification] = [], deletions: [RecordZoneChange.Deletion] = [],
        changeToken: ServerChangeToken, moreComing: Bool = false
    ) {
        self.modifications = modifications
        self.deletions = deletions
        self.changeToken = changeToken
        self.moreComing = moreComing
    }
}

/// The changes of a zone since a token, page by page, up to the last one that there is when it is asked for.
public struct RecordZoneChangeSequence: AsyncSequence, Sendable {
    let database: Database
    let zoneID: RecordZone.ID
    let changeToken: ServerChangeToken?
    let desiredKeys: [Record.FieldKey]?
    let pageSize: Int?

    /// Begins after the token.
    public func makeAsyncIterator() -> Iterator {
        Iterator(sequence: self, changeToken: changeToken)
    }

    /// Fetches one page after the other.
    public struct Iterator: AsyncIteratorProtocol {
        let sequence: RecordZoneChangeSequence
        var changeToken: ServerChangeToken?
        private var isDone = false

        init(sequence: RecordZoneChangeSequence, changeToken: ServerChangeToken?) {
            self.sequence = sequence
            self.changeToken = changeToken
        }

        /// The next page, or `nil` after the last one; the first one may be empty, and brings a token all the same.
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

/// One page of the changes of a database.
public struct DatabaseChangePage: Sendable, Hashable {
    /// The zones that were deleted; take them before the modifications, among which may be zones that were made anew.
    public let deletions: [DatabaseChange.Deletion]

    /// The zones in which something has changed.
    public let modifications: [DatabaseChange.Modification]

    /// What is known once this page is taken in.
    public let changeToken: ServerChangeToken

    /// Whether there is more already.
    public let moreComing: Bool

    /// Creates a page, to test a program's handler with.
    ///
    /// Get a token for it from a container over a ``MemoryBackend``: `try await database.databaseChanges(since: nil).changeToken`.
    ///
    /// - Parameters:
    ///   - modifications: The zones with changes.
    ///   - deletions: The zones that were deleted.
    ///   - changeToken: The position after this page.
    ///   - moreComing: Whether another page follows.
    public init(
        modifications: [DatabaseChange.Modification] = [], deletions: [DatabaseChange.Deletion] = [],
        changeToken: ServerChangeToken, moreComing: Bool = false
    ) {
        self.modifications = modifications
        self.deletions = deletions
        self.changeToken = changeToken
        self.moreComing = moreComing
    }
}

/// The changes of a database since a token, page by page, up to the last one that there is when it is asked for.
public struct DatabaseChangeSequence: AsyncSequence, Sendable {
    let database: Database
    let changeToken: ServerChangeToken?
    let pageSize: Int?

    /// Begins after the token.
    public func makeAsyncIterator() -> Iterator {
        Iterator(sequence: self, changeToken: changeToken)
    }

    /// Fetches one page after the other.
    public struct Iterator: AsyncIteratorProtocol {
        let sequence: DatabaseChangeSequence
        var changeToken: ServerChangeToken?
        private var isDone = false

        init(sequence: DatabaseChangeSequence, changeToken: ServerChangeToken?) {
            self.sequence = sequence
            self.changeToken = changeToken
        }

        /// The next page, or `nil` after the last one; the first one may be empty, and brings a token all the same.
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

extension Database {
    /// The changes of a zone since a token, fetched page by page while they are iterated over.
    ///
    /// ```swift
    /// for try await page in database.recordZoneChangeSequence(inZoneWith: zoneID, since: token) {
    ///     for change in page.modifications { cache[change.record.recordID] = change.record }
    ///     for change in page.deletions { cache[change.recordID] = nil }
    ///     token = page.changeToken
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - zoneID: The zone.
    ///   - changeToken: What is known, or `nil` if nothing is.
    ///   - desiredKeys: The fields to fetch; `nil` for all, an empty array for none.
    ///   - pageSize: The most changes on a page; `nil` leaves it to the service.
    public func recordZoneChangeSequence(
        inZoneWith zoneID: RecordZone.ID, since changeToken: ServerChangeToken?,
        desiredKeys: [Record.FieldKey]? = nil, pageSize: Int? = nil
    ) -> RecordZoneChangeSequence {
        RecordZoneChangeSequence(
            database: self, zoneID: zoneID, changeToken: changeToken, desiredKeys: desiredKeys, pageSize: pageSize)
    }

    /// The changes of the database since a token, fetched page by page while they are iterated over.
    ///
    /// - Parameters:
    ///   - changeToken: What is known, or `nil` if nothing is.
    ///   - pageSize: The most zones on a page; `nil` leaves it to the service.
    public func databaseChangeSequence(
        since changeToken: ServerChangeToken?, pageSize: Int? = nil
    ) -> DatabaseChangeSequence {
        DatabaseChangeSequence(database: self, changeToken: changeToken, pageSize: pageSize)
    }
}
