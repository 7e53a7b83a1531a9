/// The permission to change records.
///
/// In the public database, WRITE is granted to a record's creator alone, which is CloudKit's default. The other databases belong
/// to the user.
enum PermissionRule {
    /// Whether a user may change or delete a record.
    static func allowsChanges(to record: StoredRecord, in database: DatabaseKey, by user: String) -> Bool {
        database != .public || record.creatorName == user
    }

    /// Returns the error if a user may not change or delete a record.
    static func violation(
        changing record: StoredRecord, in database: DatabaseKey, by user: String
    ) -> CabinetError? {
        if allowsChanges(to: record, in: database, by: user) { return nil }
        return CabinetError(
            .permissionFailure,
            "In the public database only the record's creator, \(record.creatorName), may change or delete it; the account is \(user).",
            recordID: record.recordID)
    }
}
