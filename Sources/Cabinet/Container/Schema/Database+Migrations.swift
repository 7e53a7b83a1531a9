extension Container {
    /// Runs the migrations that the container's databases have not completed, first in the public and then in the private one.
    ///
    /// ```swift
    /// try await container.migrate(migrations) { progress in
    ///     print("\(progress.migration): \(Int(progress.fractionCompleted * 100)) %")
    /// }
    /// ```
    ///
    /// Call this method when the program starts, before other requests. ``Database/migrate(_:progress:)`` has the details.
    ///
    /// - Parameters:
    ///   - migrations: All migrations of the program, the oldest first.
    ///   - progress: A closure that is called after each part of a migration.
    /// - Throws: ``CabinetError/Code/notAuthenticated`` without an account, and the errors of ``Database/migrate(_:progress:)``.
    public func migrate(
        _ migrations: [Migration], progress: (@Sendable (MigrationProgress) -> Void)? = nil
    ) async throws {
        for database in [publicDatabase, privateDatabase] { try await database.migrate(migrations, progress: progress) }
    }
}

extension Database {
    /// Runs the migrations that this database has not completed, in the order of the list.
    ///
    /// Each step, and each batch of records, is one transaction, which also stores how far the migration has come. A program
    /// that is killed goes on there when it calls this method again. If several programs call it at the same time, they share the
    /// work, and none of it is done twice. Nothing is locked: other programs go on, so a record that an older one saves
    /// again afterwards is as that program knows it.
    ///
    /// No migration loses values unless a step permits it, and in a strict container, which is production, none does. A drop is
    /// checked before the migration begins if the steps before it change no records of the type.
    ///
    /// - Parameters:
    ///   - migrations: All migrations of the program, the oldest first.
    ///   - progress: A closure that is called after each part of a migration.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if two migrations have one name, if one has no steps or fewer than the
    ///   database has taken, or if a drop would lose more than its step permits. ``CabinetError/Code/partialFailure`` if a record
    ///   cannot be saved. The errors of a step, and those that its closure throws. Completed steps stay.
    public func migrate(
        _ migrations: [Migration], progress: (@Sendable (MigrationProgress) -> Void)? = nil
    ) async throws {
        try Migration.validate(migrations)
        if let zoneID {
            throw CabinetError(
                .invalidArguments, "The database is limited to the zone '\(zoneID)'. Migrate the whole one.")
        }
        let known = try await client.perform(FetchMigrationsRequest(scope: databaseScope))
        for migration in migrations {
            let run = MigrationRun(migration, in: self, progress: progress)
            let state = known.states[migration.name]
            if state == nil { try await run.checkLosses(isStrict: known.isStrict) }
            try await run.complete(from: state)
        }
    }

    /// Returns the names of the migrations that this database has completed.
    ///
    /// - Returns: The names, also those of migrations that the program does not know.
    /// - Throws: ``CabinetError/Code/notAuthenticated`` without an account, and the failures of the store.
    public func completedMigrations() async throws -> Set<String> {
        let states = try await client.perform(FetchMigrationsRequest(scope: databaseScope)).states
        return Set(states.filter(\.value.isDone).keys)
    }
}

extension Migration {
    fileprivate static func validate(_ migrations: [Migration]) throws(CabinetError) {
        var names: Set<String> = []
        for migration in migrations {
            try NameRule.migration.validate(migration.name)
            if migration.steps.isEmpty {
                throw CabinetError(.invalidArguments, "The migration '\(migration.name)' has no steps.")
            }
            if names.insert(migration.name).inserted { continue }
            throw CabinetError(
                .invalidArguments, "Two migrations are called '\(migration.name)'. Rename the newer one.")
        }
    }
}
