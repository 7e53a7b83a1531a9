extension LocalDatabaseService {
    func schema(_ scope: DatabaseScope) async throws -> StoredSchema {
        try await read(accountRule.databaseToRead(scope)) { try await $0.schema() }
    }

    func apply(_ schema: Schema, to scopes: [DatabaseScope], isComplete: Bool) async throws {
        var databases: [DatabaseKey] = []
        for scope in scopes {
            databases.append(try accountRule.databaseToWrite(scope).key)
            if scope == .shared {
                throw CabinetError(
                    .invalidArguments,
                    "The shared database has no schema of its own; apply the schema to the databases whose records are shared."
                )
            }
        }
        try SchemaExtensionRule.validate(schema)
        try strictSchema?.rule.check(schema)
        try await apply(to: databases) { stored throws(CabinetError) in
            if isComplete { try DeploymentRule.validate(schema, replacing: stored) }
            return try SchemaExtensionRule.changes(to: stored, by: schema)
        }
    }

    func validate(_ request: QueryRequest) async throws {
        let database = try accountRule.databaseToRead(request.scope)
        try check(request.query, reading: request.desiredKeys, zoneID: request.zoneID, scope: request.scope)
        if strictSchema != nil { return }
        let schema = try await read(database) { try await $0.schema() }
        try StrictSchemaRule(schema).check(request.query, desiredKeys: request.desiredKeys)
    }

    /// Adds the missing parts of the container's own schema to a database, once for each container.
    ///
    /// Without an account, this only checks the schema, because nothing can be written.
    ///
    /// - Throws: ``CabinetError/Code/invalidArguments`` if a field has another type in the database.
    func prepare(_ database: DatabaseKey) async throws {
        guard let strictSchema, !strictSchema.isPrepared(database) else { return }
        if case .shared = database { return }
        let schema = strictSchema.schema
        try await apply(to: [database], isReadOnly: accountRule.account == nil) {
            stored throws(CabinetError) in
            try SchemaExtensionRule.changes(to: stored, by: schema, keepingIndexes: true)
        }
        strictSchema.setPrepared(database)
    }

    /// Changes the schemas of databases.
    ///
    /// - Parameter changes: Returns the changes of a database with the given schema, or refuses them.
    private func apply(
        to databases: [DatabaseKey], isReadOnly: Bool = false,
        _ changes: @escaping @Sendable (StoredSchema) throws(CabinetError) -> SchemaExtensionRule.Changes
    ) async throws {
        // Check every database before the first is changed, so that a refusal leaves all unchanged. A complete database is not
        // written to.
        var incomplete: [DatabaseKey] = []
        for database in databases {
            let stored = try await read(database) { try await $0.schema() }
            if !(try changes(stored).isEmpty) { incomplete.append(database) }
        }
        if isReadOnly { return }
        for database in incomplete {
            try await write(database) { transaction in
                // Another client may have changed the schema since the read.
                try await transaction.apply(try changes(try await transaction.schema()).mutations)
            }
        }
    }
}
