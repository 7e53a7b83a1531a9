extension LocalDatabaseService {
    func schema(_ scope: Database.Scope) async throws -> StoredSchema {
        try await backend.read(accountRule.databaseToRead(scope)) { try await $0.schema() }
    }

    func apply(_ schema: Schema, to scope: Database.Scope) async throws {
        throw CabinetError(.invalidArguments, "Applying schemas is not supported by this version.")
    }
}
