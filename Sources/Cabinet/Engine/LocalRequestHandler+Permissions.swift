/// The permissions of the container's user.
extension LocalRequestHandler {
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
            try accountRule.databaseToRead(scope), user: userRecordName, roles: roles,
            rules: hasGrants ? try await snapshot.schemaRules() : SchemaRules())
    }

    /// Returns the permissions of the user in a version of a database.
    func permissions(in database: DatabaseKey, _ version: DatabaseVersion) -> PermissionRule {
        PermissionRule(database, user: userRecordName, roles: roles, rules: version.rules)
    }
}
