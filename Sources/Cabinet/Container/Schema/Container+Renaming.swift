extension Container {
    /// Gives a field another name in the container's databases, and keeps its values.
    ///
    /// ```swift
    /// try await container.renameField("due", to: "dueDate", of: "Items")
    /// ```
    ///
    /// Call this method when the program starts, before other requests. A database without the field is left alone, so nothing
    /// happens in a new store, or when the field already has its new name. Indexes, unique keys and subscriptions follow, tags and
    /// tokens stay valid, and no change is reported. A request that searches, sorts or saves by the old name afterwards is refused
    /// with the new one. <doc:Schemas> has more.
    ///
    /// - Parameters:
    ///   - key: The name of the field.
    ///   - newKey: The new name.
    ///   - recordType: The record type.
    /// - Returns: Whether one of the databases, the public one or the account's private one, has the field under its new name now.
    /// - Throws: ``CabinetError/Code/notAuthenticated`` without an account. ``CabinetError/Code/invalidArguments`` if a name is
    ///   malformed or that of a system field, if a database has fields with both names, or if a strict container's schema does not
    ///   declare the new name alone. Nothing has changed then. After a failure of the store, one database may have
    ///   changed and the other not; rename again to complete it.
    /// - Complexity: The same for any number of records; in the number of the references of a list, and of subscriptions.
    @discardableResult
    public func renameField(
        _ key: Record.FieldKey, to newKey: Record.FieldKey, of recordType: Record.RecordType
    ) async throws -> Bool {
        try await client.change(SchemaPart(recordType, key), .rename(newKey), in: [.public, .private])
    }

    /// Gives a record type another name in the container's databases, and keeps its records.
    ///
    /// ```swift
    /// try await container.renameRecordType("Items", to: "Tasks")
    /// ```
    ///
    /// It has the effects and conditions of ``renameField(_:to:of:)``. References to the records stay valid, because they name
    /// records and not types. The type's grants are those of the new name.
    ///
    /// - Parameters:
    ///   - recordType: The name of the record type.
    ///   - newName: The new name.
    /// - Returns: Whether one of the databases has the type under its new name now.
    /// - Throws: The errors of ``renameField(_:to:of:)``.
    /// - Complexity: The same for any number of records; in the number of subscriptions.
    @discardableResult
    public func renameRecordType(
        _ recordType: Record.RecordType, to newName: Record.RecordType
    ) async throws -> Bool {
        try await client.change(SchemaPart(recordType), .rename(newName), in: [.public, .private])
    }
}

extension Database {
    /// Gives a record type or a field another name in this database, as ``Container/renameField(_:to:of:)`` does in all
    /// databases of a container.
    ///
    /// - Parameters:
    ///   - part: The record type or field.
    ///   - newName: The new name.
    /// - Returns: Whether the database has the type or field under its new name now.
    /// - Throws: The errors of ``Container/renameField(_:to:of:)``; ``CabinetError/Code/invalidArguments`` if this is the shared
    ///   database.
    @discardableResult
    public func rename(_ part: SchemaPart, to newName: String) async throws -> Bool {
        try await client.change(part, .rename(newName), in: [databaseScope])
    }
}

extension ServiceClient {
    /// Changes a record type or field, and returns whether a database has it in its new form now.
    func change(
        _ part: SchemaPart, _ change: SchemaChange, in scopes: [DatabaseScope]
    ) async throws -> Bool {
        try await !perform(ChangeSchemaRequest(scopes: scopes, part: part, change: change)).scopes.isEmpty
    }
}
