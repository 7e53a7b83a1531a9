/// One page of the changes of a zone.
public struct RecordZoneChangePage: Sendable, Hashable {
    /// The records that were saved, in their current version.
    ///
    /// Parents and targets of references precede the records that refer to them, if they are on the same page and not
    /// in a cycle.
    public let modifications: [RecordZoneChange.Modification]

    /// The records that were deleted.
    public let deletions: [RecordZoneChange.Deletion]

    /// The token to pass to the next fetch, once this page is applied.
    ///
    /// Store it together with the changes of the page.
    public let changeToken: ServerChangeToken

    /// Whether more changes exist already.
    public let moreComing: Bool

    /// Creates a page, for a test of a program's handler.
    ///
    /// Get a token for it from a container over a ``MemoryBackend``: `try await database.databaseChanges(since:
    /// nil).changeToken`.
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
