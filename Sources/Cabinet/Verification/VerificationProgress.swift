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
}
