public import Cabinet

/// The progress of a verification.
public struct VerificationProgress: Sendable, Hashable {
    /// The database that is being verified.
    public let database: DatabaseKey

    /// The number of databases that were verified before.
    public let completedDatabases: Int

    /// The number of databases in the store.
    public let totalDatabases: Int

    /// The verified amount of the current database.
    public let counts: VerificationReport.Counts

    /// Creates a progress, to test a program's progress handler.
    ///
    /// - Parameters:
    ///   - database: The database that is being verified.
    ///   - completedDatabases: The number of databases that were verified before.
    ///   - totalDatabases: The number of databases in the store.
    ///   - counts: The verified amount of the current database.
    public init(
        database: DatabaseKey, completedDatabases: Int, totalDatabases: Int,
        counts: VerificationReport.Counts = VerificationReport.Counts()
    ) {
        self.database = database
        self.completedDatabases = completedDatabases
        self.totalDatabases = totalDatabases
        self.counts = counts
    }
}
