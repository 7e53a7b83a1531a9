/// The permissions of the container's user.
extension LocalDatabaseService {
    /// The entries to load for the permissions in a database; none if it belongs to the user.
    func permissionKeys(_ scope: DatabaseScope) -> [Range<StorageKey>] {
        scope == .public ? [SchemaRules.allKeys] : []
    }

    /// Returns the permissions in a database.
    ///
    /// - Parameter values: Values that were loaded with ``permissionKeys(_:)`` as the only ranges.
    func permissions(in scope: DatabaseScope, _ values: StorageValues) throws(CabinetError) -> PermissionRule {
        PermissionRule(
            try accountRule.databaseToRead(scope), user: userRecordName, roles: accountRule.account?.roles ?? [],
            rules: scope == .public ? try SchemaRules(values.entryRanges.joined()) : SchemaRules())
    }

    /// Reads the permissions in a database; reads nothing if it belongs to the user.
    func permissions(in scope: DatabaseScope, from snapshot: any StorageSnapshot) async throws -> PermissionRule {
        let keys = permissionKeys(scope)
        let rules = keys.isEmpty ? SchemaRules() : try await snapshot.schemaRules()
        return PermissionRule(
            try accountRule.databaseToRead(scope), user: userRecordName, roles: accountRule.account?.roles ?? [],
            rules: rules)
    }
}
