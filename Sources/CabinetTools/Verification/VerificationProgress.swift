public import Cabinet

/// How far a verification has come.
public struct VerificationProgress: Sendable, Hashable {
    /// The database that is being looked at.
    public let database: DatabaseKey

    /// How many databases have been looked at before.
    public let completedDatabases: Int

    /// How many databases there are.
    public let totalDatabases: Int

    /// How much has been looked at in this database.
    public let counts: VerificationReport.Counts

    /// Creates a progress, to test a program's handler with.
    ///
    /// - Parameters:
    ///   - database: The database that is being verified.
    ///   - completedDatabases: How many databases were verified before.
    ///   - totalDatabases: How many databases the store has.
    ///   - counts: How much of this database was verified.
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
