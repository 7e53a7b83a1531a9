/// The progress of a migration in a database, after each part of it that was stored.
public struct MigrationProgress: Sendable, Hashable {
    /// The name of the migration.
    public let migration: String
    /// The database.
    public let databaseScope: DatabaseScope
    /// The number of completed steps.
    public let completedSteps: Int
    /// The number of steps.
    public let totalSteps: Int
    /// The number of records that the current step has gone through, also before an interruption.
    public let completedRecords: Int
    /// The number of records of the current step, counted when the step began or went on; 0 for a step without records.
    public let totalRecords: Int

    /// The completed fraction, from 0 to 1, in which every step counts alike.
    public var fractionCompleted: Double {
        let part = totalRecords > 0 ? min(Double(completedRecords) / Double(totalRecords), 1) : 0
        return totalSteps > 0 ? (Double(completedSteps) + part) / Double(totalSteps) : 1
    }
}
