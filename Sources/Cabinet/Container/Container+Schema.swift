extension Container {
    /// The record types, fields and indexes that the container's databases have.
    ///
    /// The public and the account's private database each have a schema of their own; this is what at least one of them has.
    /// Where they differ in a field's type, it is the private one's. Without an account it is the public one's.
    ///
    /// - Throws: The store's failures.
    public func schema() async throws -> Schema {
        var schema = try await publicDatabase.schema()
        if try await accountStatus() == .available { schema.merge(try await privateDatabase.schema()) }
        return schema
    }

    /// Makes the container's databases have what a schema has, and builds and drops indexes as it says.
    ///
    /// Record types and fields that are missing are added; none is ever removed. Of each record type that the schema names, the
    /// indexes become exactly those that it asks for: an option or an index that is left out is dropped. Record types that it
    /// does not name stay as they are.
    ///
    /// Call it when the program starts, as one runs migrations: where nothing changes, nothing is written. Records can be saved
    /// and queried meanwhile; saves wait while an index is built. Any account may do it, because a schema belongs to the
    /// program, not to a user.
    ///
    /// - Parameter schema: The schema, for the public and for the account's private database.
    /// - Throws: ``CabinetError/Code/notAuthenticated`` without an account, ``CabinetError/Code/invalidArguments`` if a name is
    ///   malformed, a field has another type already, an option or index does not fit the fields' types, or the container is strict
    ///   and its own schema does not declare a type or field; then nothing has changed. And the store's
    ///   failures: then one database may have changed and the other not, and applying the schema again completes it.
    /// - Complexity: O(*n* log *n*) in the number of records, for each new index.
    public func apply(_ schema: Schema) async throws {
        try await publicDatabase.service.apply(schema, to: [.public, .private])
    }
}

extension Database {
    /// The record types, fields and indexes that the database has.
    ///
    /// - Throws: ``CabinetError/Code/notAuthenticated`` if the database needs an account and there is none, and the store's
    ///   failures.
    public func schema() async throws -> Schema {
        Schema(try await service.schema(databaseScope))
    }

    /// Makes the database have what a schema has, as ``Container/apply(_:)`` does for a container's databases.
    ///
    /// - Parameter schema: The schema.
    /// - Throws: ``CabinetError/Code/notAuthenticated`` without an account, ``CabinetError/Code/invalidArguments`` if the schema
    ///   does not fit, or if this is the shared database, and the store's failures. Then nothing has changed.
    public func apply(_ schema: Schema) async throws {
        try await service.apply(schema, to: [databaseScope])
    }
}
