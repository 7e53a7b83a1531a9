package import Cabinet

extension Schema {
    /// Returns the first record type with records in the public database that a user with roles may not read; `nil` if all can be read.
    ///
    /// An export would lack the others without an error.
    package func recordTypeHidden(from roles: Set<String>) -> Record.RecordType? {
        let known = roles.union([Schema.worldRole, Schema.userRole])
        return recordTypes.filter { _, type in
            !type.grants.isEmpty && !type.grants.contains { known.contains($0) && $1.contains(.read) }
        }.keys.min()
    }
}
