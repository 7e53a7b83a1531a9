extension Container {
    /// Counts what a drop of a record type or field would lose in the container's databases.
    ///
    /// - Parameter part: The record type or field.
    /// - Returns: The number of the type's records, or of the records that have a value in the field; 0 if no database has it.
    /// - Throws: The errors of ``drop(_:losingAtMost:)``.
    public func lossesOfDrop(_ part: SchemaPart) async throws -> Int {
        try await client.drop(part, losingAtMost: nil, from: [.public, .private])
    }

    /// Drops a record type or field that was a mistake from the container's databases, with its records or values.
    ///
    /// ```swift
    /// let count = try await container.drop(
    ///     SchemaPart("Items", "nmae"), losingAtMost: 10)
    /// print("\(count) values are gone.")
    /// ```
    ///
    /// This is for development. A strict container, which is production, drops only what has no values. Indexes and unique keys
    /// with the field go too. Records that lose a value keep their tags, and no change is reported. A dropped record type takes its records
    /// without regard to its own references; afterwards the change tokens of the database's zones have expired. A database without the type
    /// or field is left alone.
    ///
    /// - Parameters:
    ///   - part: The record type or field.
    ///   - limit: The greatest number of records or values to lose; by default none.
    /// - Returns: The number of the type's records, or of the records that had a value in the field.
    /// - Throws: ``CabinetError/Code/notAuthenticated`` without an account. ``CabinetError/Code/invalidArguments`` if a strict
    ///   container would lose values or declares the type or field, if more than the limit would be lost, or for the type
    ///   `Users`. ``CabinetError/Code/referenceViolation`` if a record of another type refers to a record of the type with a
    ///   delete rule. ``CabinetError/Code/limitExceeded`` if the records that lose something take more than 64 MiB, estimated: remove
    ///   them or their values first, in batches. Nothing has changed then in the database that refuses.
    /// - Complexity: In the number of the type's records.
    @discardableResult
    public func drop(_ part: SchemaPart, losingAtMost limit: Int = 0) async throws -> Int {
        try await client.drop(part, losingAtMost: limit, from: [.public, .private])
    }

    /// Changes a field of whole numbers to one of doubles, or a list of some to a list, in the container's databases.
    ///
    /// ```swift
    /// try await container.changeField("price", of: "Items", to: .double)
    /// ```
    ///
    /// Programs that save whole numbers go on, because a DOUBLE field holds them. Records keep their tags, and no change is reported. Saves
    /// wait during the change. A database without the field, or whose field has the type already, is left alone.
    ///
    /// - Parameters:
    ///   - key: The name of the field.
    ///   - recordType: The record type.
    ///   - type: The new type: ``FieldType/double``, or a list of doubles.
    /// - Returns: Whether one of the databases has the field.
    /// - Throws: ``CabinetError/Code/notAuthenticated`` without an account. ``CabinetError/Code/invalidArguments`` if the field is not of
    ///   whole numbers, if a strict container's schema declares another type, or if a double does not equal a value, which the
    ///   error names with its record. ``CabinetError/Code/limitExceeded`` if the records with a value take more than 64 MiB, estimated:
    ///   copy the values into another field, in batches. That database has not changed then.
    /// - Complexity: In the number of the records with a value in the field.
    @discardableResult
    public func changeField(
        _ key: Record.FieldKey, of recordType: Record.RecordType, to type: FieldType
    ) async throws -> Bool {
        try await client.change(SchemaPart(recordType, key), .setType(type), in: [.public, .private])
    }
}

extension Database {
    /// Counts what a drop of a record type or field would lose in this database, as ``Container/lossesOfDrop(_:)`` does in all databases.
    ///
    /// - Parameter part: The record type or field.
    /// - Returns: The number of the type's records, or of the records that have a value in the field.
    /// - Throws: The errors of ``drop(_:losingAtMost:)``.
    public func lossesOfDrop(_ part: SchemaPart) async throws -> Int {
        try await client.drop(part, losingAtMost: nil, from: [databaseScope])
    }

    /// Drops a record type or field from this database, as ``Container/drop(_:losingAtMost:)`` does from all databases.
    ///
    /// - Parameters:
    ///   - part: The record type or field.
    ///   - limit: The greatest number of records or values to lose; by default none.
    /// - Returns: The number of the type's records, or of the records that had a value in the field.
    /// - Throws: The errors of ``Container/drop(_:losingAtMost:)``.
    @discardableResult
    public func drop(_ part: SchemaPart, losingAtMost limit: Int = 0) async throws -> Int {
        try await client.drop(part, losingAtMost: limit, from: [databaseScope])
    }

    /// Changes a field of whole numbers to one of doubles in this database, as ``Container/changeField(_:of:to:)`` does in all databases.
    ///
    /// - Parameters:
    ///   - key: The name of the field.
    ///   - recordType: The record type.
    ///   - type: The new type.
    /// - Returns: Whether the database has the field.
    /// - Throws: The errors of ``Container/changeField(_:of:to:)``.
    @discardableResult
    public func changeField(
        _ key: Record.FieldKey, of recordType: Record.RecordType, to type: FieldType
    ) async throws -> Bool {
        try await client.change(SchemaPart(recordType, key), .setType(type), in: [databaseScope])
    }
}

extension ServiceClient {
    fileprivate func drop(
        _ part: SchemaPart, losingAtMost limit: Int?, from scopes: [DatabaseScope]
    ) async throws -> Int {
        try await perform(ChangeSchemaRequest(scopes: scopes, part: part, change: .drop(losingAtMost: limit))).lossCount
    }
}
