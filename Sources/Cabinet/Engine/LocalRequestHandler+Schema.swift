extension LocalRequestHandler {
    func response(to request: FetchSchemaRequest) async throws -> Schema {
        if let shared = try sharedHandler(for: request.scope) { return try await shared.response(to: request) }
        return try await read(databaseToRead(request.scope)) {
            Schema(try await $0.schema(), try await $0.schemaRules())
        }
    }

    func response(to request: FetchMigrationsRequest) async throws -> FetchMigrationsRequest.Response {
        let states = try await read(databaseToRead(request.scope)) { try await $0.migrations() }
        return FetchMigrationsRequest.Response(states: states, isStrict: strictSchema != nil)
    }

    func response(to request: ModifySchemaRequest) async throws -> EmptyResponse {
        let (schema, isComplete) = (request.schema, request.isComplete)
        let databases = try request.scopes.map(databaseWithSchema)
        try SchemaExtensionRule.validate(schema)
        let declared = isComplete ? strictSchema?.rule(deployingTo: databases) : strictSchema?.rule
        try declared?.check(schema)
        try await apply(to: databases) { stored, rules throws(CabinetError) in
            if isComplete { try DeploymentRule.validate(schema, replacing: stored) }
            return try SchemaExtensionRule.changes(to: stored, rules, by: schema, isComplete: isComplete)
        }
        await refreshSchema(after: databases)
        return EmptyResponse()
    }

    func response(to request: ValidateQueryRequest) async throws -> EmptyResponse {
        if let shared = try sharedHandler(for: request.scope) { return try await shared.response(to: request) }
        let database = try databaseToRead(request.scope)
        try check(request.query, reading: request.desiredKeys, zoneID: request.zoneID, scope: request.scope)
        if strictSchema != nil { return EmptyResponse() }
        let (schema, rules) = try await read(database) { (try await $0.schema(), try await $0.schemaRules()) }
        let unknown = request.query.namesUnknown(to: schema, valuesOf: request.desiredKeys ?? [])
        if let violation = FormerNameRule(rules).violation(of: unknown) { throw violation }
        try StrictSchemaRule(schema.visible).check(request.query, desiredKeys: request.desiredKeys)
        return EmptyResponse()
    }

    /// Adds the missing parts of the service's schema to a database, once for each service.
    ///
    /// Without an account, this only checks the schema, because nothing can be written.
    ///
    /// - Throws: ``CabinetError/Code/invalidArguments`` if a field has another type in the database.
    func prepare(_ database: DatabaseKey) async throws {
        guard let strictSchema, !strictSchema.isPrepared(database) else { return }
        if case .shared = database { return }
        // A field that another process has dropped would come back.
        if strictSchema.source != nil, !isSchemaCurrent { throw OutdatedSchemaError() }
        let schema = strictSchema.schema
        try await apply(to: [database], isReadOnly: accountRule.account == nil) {
            stored, rules throws(CabinetError) in
            try SchemaExtensionRule.changes(to: stored, rules, by: schema, keepingIndexes: true)
        }
        strictSchema.setPrepared(database)
    }

    /// Returns the schema to read again before a batch adds a field of it to a database; `nil` if it is current.
    ///
    /// A database has every field of the schema since it was prepared, so another process may have dropped a field that it lacks. The
    /// database whose schema this is cannot lack a field of it.
    func schemaToRead(addingTo database: DatabaseKey) -> StrictSchema? {
        guard let strictSchema, let source = strictSchema.source else { return nil }
        return isSchemaCurrent && database != source ? nil : strictSchema
    }

    /// Has later requests see a change of the schemas of databases, if one of them has the schema of the service.
    func refreshSchema(after databases: [DatabaseKey]) async {
        guard let source = strictSchema?.source, databases.contains(source) else { return }
        await service.declaredSchema?.refresh()
    }

    /// Returns a database whose schema the caller may change.
    func databaseWithSchema(_ scope: DatabaseScope) throws -> DatabaseKey {
        let database = try databaseToWrite(scope).key
        if scope != .shared { return database }
        throw CabinetError(
            .invalidArguments,
            "The shared database has no schema of its own; change the schemas of the databases whose records are shared."
        )
    }

    /// Changes the schemas of databases.
    ///
    /// - Parameter changes: Returns the changes of a database with the given schema, or refuses them.
    private func apply(
        to databases: [DatabaseKey], isReadOnly: Bool = false,
        _ changes: @escaping @Sendable (StoredSchema, SchemaRules) throws(CabinetError) -> SchemaExtensionRule.Changes
    ) async throws {
        // Check every database before the first is changed, so that a refusal leaves all unchanged. A complete database is not
        // written to.
        var incomplete: [(database: DatabaseKey, changes: SchemaExtensionRule.Changes)] = []
        for database in databases {
            let changes = try await read(database) { snapshot in
                let stored = try await snapshot.schema()
                let changes = try changes(stored, try await snapshot.schemaRules())
                try await changes.checkUniqueness(in: snapshot, stored)
                return changes
            }
            if !changes.isEmpty { incomplete.append((database, changes)) }
        }
        if isReadOnly { return }
        for (database, expected) in incomplete {
            for path in expected.paths { try await changeHiddenFields(of: path.recordType, in: database, changes) }
            try await write(database) { transaction, meter in
                // Another client may have changed the schema, or saved records, since the read.
                let stored = try await transaction.schema()
                let changes = try changes(stored, try await transaction.schemaRules())
                try await changes.checkUniqueness(in: transaction, stored)
                try await transaction.apply(try await changes.mutations(in: transaction, stored, meter), meter)
            }
        }
    }
}

extension SchemaExtensionRule.Changes {
    /// Returns the mutations of the changes, after reading the records whose hidden fields change.
    ///
    /// - Parameters:
    ///   - transaction: The transaction to read in.
    ///   - schema: The schema of the database.
    ///   - meter: The meter of the request.
    fileprivate func mutations(
        in transaction: any StorageTransaction, _ schema: StoredSchema, _ meter: WorkMeter
    ) async throws -> [StorageMutation] {
        var mutations = additions.map { StorageMutation.addFields($0.fields, to: $0.recordType) }
        for change in paths {
            mutations += try await transaction.mutations(
                ofRecordsHolding: SchemaPart(change.recordType), for: .index, in: schema, meter
            ) { records in
                try records.compactMap { record in try change.update(of: record) }
            }
        }
        mutations += indexes.map { .setIndexes($0.indexes, of: $0.recordType) }
        for change in paths {
            mutations += change.removed.map { .remove(SchemaPart(change.recordType, $0.hiddenKey)) }
        }
        return mutations + rules.new.mutations(replacing: rules.old)
    }

    /// Throws if records have equal values in fields that become unique.
    ///
    /// - Parameter schema: The schema of the snapshot.
    fileprivate func checkUniqueness(in snapshot: any StorageSnapshot, _ schema: StoredSchema) async throws {
        for (recordType, keys) in newUniqueKeys where schema.recordTypes[recordType] != nil {
            try await snapshot.checkUniqueness(of: keys, in: recordType, schema: schema)
        }
    }
}
