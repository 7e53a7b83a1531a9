/// One page of the changes of a database.
public struct DatabaseChangePage: Sendable, Hashable {
    /// The zones that were deleted.
    ///
    /// Apply them before the modifications, which may include zones that were recreated.
    public let deletions: [DatabaseChange.Deletion]

    /// The zones in which something has changed.
    public let modifications: [DatabaseChange.Modification]

    /// The token to pass to the next fetch, once this page is applied.
    public let changeToken: ServerChangeToken

    /// Whether more changes exist already.
    public let moreComing: Bool

    /// Creates a page, for a test of a program's handler.
    ///
    /// Get a token for it from a container over a ``MemoryBackend``: `try await database.databaseChanges(since:
    /// nil).changeToken`.
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
