extension Container {
    /// Returns the record types, fields and indexes of the container's databases.
    ///
    /// ```swift
    /// print(try await container.schema())  // in CloudKit's schema language
    /// ```
    ///
    /// The public database and the account's private database each have a schema of their own. The result combines
    /// both. If a field has different types in them, the private one's type is returned. Without an account, the result
    /// is the schema of the public database.
    ///
    /// - Throws: The failures of the store.
    public func schema() async throws -> Schema {
        var schema = try await publicDatabase.schema()
        if try await accountStatus() == .available { schema.merge(try await privateDatabase.schema()) }
        return schema
    }

    /// Adds a schema's record types and fields to the container's databases, and builds and drops indexes to match it.
    ///
    /// Missing record types and fields are added; none is ever removed. For each record type that the schema names, the
    /// indexes and unique keys become exactly those of the schema: those that the schema omits are dropped. Its grants are
    /// replaced if the schema has some. Other record types are unchanged.
    ///
    /// Call this method when the program starts, like a migration. If nothing changes, nothing is written. Records can
    /// be saved and queried during the call, but saves wait while an index is built. Any account may call it, because a
    /// schema belongs to the program and not to a user. <doc:Schemas> has examples.
    ///
    /// - Parameter schema: The schema, for the public database and the account's private database.
    /// - Throws: ``CabinetError/Code/notAuthenticated`` without an account. ``CabinetError/Code/invalidArguments`` if a
    ///   name is malformed, a field already has another type, or an option or index does not fit the fields' types. The
    ///   same code if the container is strict and its schema does not declare a type or field, or if two records have
    ///   the same values in fields that become unique. Nothing has changed then. After a failure of
    ///   the store, one database may have changed and the other not; apply the schema again to complete it.
    /// - Complexity: O(*n* log *n*) in the number of records, for each new index.
    public func apply(_ schema: Schema) async throws {
        _ = try await client.perform(ModifySchemaRequest(scopes: [.public, .private], schema: schema))
    }
}

extension Container {
    /// Makes a schema the whole schema of the container's databases, unless data would be lost.
    ///
    /// This is CloudKit's deployment to production. Unlike ``apply(_:)``, it refuses a schema that lacks a record type or
    /// field of a database, so afterwards each database has exactly this schema, with its roles and grants.
    ///
    /// ```swift
    /// print(try await database.schema().difference(to: schema))
    /// try await container.deploy(schema)
    /// ```
    ///
    /// - Parameter schema: The schema, for the public database and the account's private database.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the schema lacks a record type or field that a database has, or
    ///   gives a field another type: the message lists all of them, and nothing has changed. The errors of ``apply(_:)``
    ///   otherwise.
    /// - Complexity: O(*n* log *n*) in the number of records, for each new index.
    public func deploy(_ schema: Schema) async throws {
        _ = try await client.perform(
            ModifySchemaRequest(scopes: [.public, .private], schema: schema, isComplete: true))
    }
}

extension Database {
    /// Makes a schema the whole schema of this database, as ``Container/deploy(_:)`` does for all databases of a
    /// container.
    ///
    /// The comparison and the changes are one transaction.
    ///
    /// - Parameter schema: The schema.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if data would be lost, and the errors of ``apply(_:)``. Nothing has
    ///   changed then.
    public func deploy(_ schema: Schema) async throws {
        _ = try await client.perform(ModifySchemaRequest(scopes: [databaseScope], schema: schema, isComplete: true))
    }

    /// Returns the record types, fields and indexes of the database.
    ///
    /// The shared database has the types that the user sees records of, from the databases of their owners.
    ///
    /// - Throws: ``CabinetError/Code/notAuthenticated`` if the database needs an account and the container has none,
    ///   and the failures of the store.
    public func schema() async throws -> Schema {
        try await client.perform(FetchSchemaRequest(scope: databaseScope))
    }

    /// Adds a schema to this database, as ``Container/apply(_:)`` does for all databases of a container.
    ///
    /// - Parameter schema: The schema.
    /// - Throws: ``CabinetError/Code/notAuthenticated`` without an account, ``CabinetError/Code/invalidArguments`` if
    ///   the schema does not fit, or if this is the shared database, and the failures of the store. Nothing has changed
    ///   then.
    public func apply(_ schema: Schema) async throws {
        _ = try await client.perform(ModifySchemaRequest(scopes: [databaseScope], schema: schema))
    }
}
