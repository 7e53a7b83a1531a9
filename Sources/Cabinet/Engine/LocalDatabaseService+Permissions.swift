/// The permissions of the container's user.
extension LocalDatabaseService {
    /// Returns the permissions in a database.
    ///
    /// The grants are loaded if there are some, and the database is the public one.
    ///
    /// - Parameters:
    ///   - scope: The database.
    ///   - schema: The schema of the snapshot.
    ///   - snapshot: The view to load from.
    func permissions(
        in scope: DatabaseScope, _ schema: StoredSchema, from snapshot: any StorageSnapshot
    ) async throws -> PermissionRule {
        let hasGrants = scope == .public && schema.hasGrants
        return PermissionRule(
            try accountRule.databaseToRead(scope), user: userRecordName, roles: accountRule.account?.roles ?? [],
            rules: hasGrants ? try await snapshot.schemaRules() : SchemaRules())
    }

    /// A fingerprint of the records that the user may read in a version of a database; `nil` if they are all.
    func readAccess(to database: DatabaseKey, _ version: DatabaseVersion) -> String? {
        PermissionRule(
            database, user: userRecordName, roles: accountRule.account?.roles ?? [], rules: version.rules
        ).readAccess
    }
}
