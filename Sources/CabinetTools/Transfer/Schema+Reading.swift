package import Cabinet

extension Schema {
    /// Returns the first record type with records in the public database that a user may not read; `nil` if all can be read.
    ///
    /// An export would lack the others without an error.
    ///
    /// - Parameter account: The user; `nil` for none.
    package func recordTypeHidden(from account: Account?) -> Record.RecordType? {
        let known = account.map { $0.roles.union([Schema.worldRole, Schema.userRole]) } ?? [Schema.worldRole]
        return recordTypes.filter { _, type in
            !type.grants.isEmpty && !type.grants.contains { known.contains($0) && $1.contains(.read) }
        }.keys.min()
    }
}
