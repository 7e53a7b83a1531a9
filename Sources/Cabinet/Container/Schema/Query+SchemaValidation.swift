extension Query {
    /// Checks that a query uses only record types and fields of a schema, and compares each field with values of its
    /// kind.
    ///
    /// A container with the mode ``SchemaMode/growing`` runs a query with a misspelled field, and finds no records. Use
    /// this in a test to find the mistake, or ``Database/validate(_:desiredKeys:)`` to check against what a store has.
    ///
    /// ```swift
    /// let query = Query(recordType: "Items", filter: .field("stage") == 3)
    /// try query.validate(against: schema)
    /// // '==' compares values of one kind; the field 'stage' is of type STRING,
    /// // and the value 3 is of type INT64. Expected STRING.
    /// ```
    ///
    /// Every type compares with nil, and INT64 with DOUBLE. A reference may point to a record of any type. Therefore a
    /// key path such as `list.name` is valid if any record type has a `name`. If several have one, of different types,
    /// the type of the other operand is not checked.
    ///
    /// - Parameters:
    ///   - schema: The permitted record types and fields, besides system fields.
    ///   - desiredKeys: The fields to fetch.
    /// - Throws: ``CabinetError/Code/invalidArguments``, with the nearest known name, or with the operands and the
    ///   expected type.
    public func validate(against schema: Schema, desiredKeys: [Record.FieldKey]? = nil) throws {
        try StrictSchemaRule(StoredSchema(schema)).check(self, desiredKeys: desiredKeys)
    }
}

extension Database {
    /// Checks a query against the schema, without running it.
    ///
    /// In a container with the mode ``SchemaMode/strict(_:)``, this is the container's schema, and running the query
    /// makes the same check. With the mode ``SchemaMode/growing``, it is the current schema of the database.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - desiredKeys: The fields to fetch.
    /// - Throws: The errors of ``Query/validate(against:desiredKeys:)``, ``CabinetError/Code/notAuthenticated`` without
    ///   an account, and the failures of the store.
    public func validate(_ query: Query, desiredKeys: [Record.FieldKey]? = nil) async throws {
        _ = try await client.perform(
            ValidateQueryRequest(
                scope: databaseScope, query: query, zoneID: databaseScope == .shared ? .default : nil,
                desiredKeys: desiredKeys))
    }
}
