extension LocalDatabaseService {
    func schema(_ scope: Database.Scope) async throws -> StoredSchema {
        try await read(accountRule.databaseToRead(scope)) { try await $0.schema() }
    }

    func apply(_ schema: Schema, to scopes: [Database.Scope]) async throws {
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
        // Every database is asked before the first is changed, so that a refusal leaves all as they are; and one that has
        // everything is not written to.
        var incomplete: [DatabaseKey] = []
        for database in databases {
            let changes = try await read(database) { snapshot in
                try SchemaExtensionRule.changes(to: try await snapshot.schema(), by: schema)
            }
            if !changes.isEmpty { incomplete.append(database) }
        }
        for database in incomplete {
            try await write(database) { transaction in
                // Others may have saved or applied meanwhile.
                let changes = try SchemaExtensionRule.changes(to: try await transaction.schema(), by: schema)
                try await changes.apply(to: transaction)
            }
        }
    }
}
