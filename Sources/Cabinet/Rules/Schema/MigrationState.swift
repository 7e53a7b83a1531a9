/// The completed part of a migration in a database; a migration that has not begun has none.
package struct MigrationState: Sendable, Hashable {
    /// The number of completed steps.
    var step = 0
    /// The number of records that the current step has gone through.
    var recordCount = 0
    /// The insertion number of the last of these records.
    var position: Int64 = 0
    /// Whether all steps are complete.
    package var isDone = false
}

extension MigrationState {
    /// Returns the state after the current step.
    ///
    /// - Parameter count: The number of the migration's steps.
    func next(of count: Int) -> MigrationState {
        MigrationState(step: step + 1, isDone: step + 1 >= count)
    }
}

/// A part of a migration that a request does in the transaction of its changes.
///
/// Two programs may run one migration at the same time, and a late request may arrive when the migration is done. So the request
/// fails, and changes nothing, unless the migration is in the state that its program knows.
struct MigrationStep: Sendable, Hashable {
    /// The name of the migration.
    var name = ""
    /// The state before the changes; `nil` for a migration that has not begun.
    var before: MigrationState?
    /// The state after them.
    var after = MigrationState()
}

extension MigrationStep {
    /// Throws if no migration can have the step's name, or come to the state after it.
    func validate() throws(CabinetError) {
        try NameRule.migration.validate(name)
        if after.step >= 0, after.recordCount >= 0, after.position >= 0 { return }
        throw CabinetError(.invalidArguments, "The numbers of a migration's state are not negative.")
    }

    /// Throws ``CabinetError/Code/serverRecordChanged`` unless a migration is in the state before the step.
    func check(_ stored: MigrationState?) throws(CabinetError) {
        if stored == before { return }
        throw CabinetError(
            .serverRecordChanged,
            "Another program has gone on with the migration '\(name)'. Nothing was changed.")
    }
}
