/// What a move has done.
public struct MoveReport: Sendable, Hashable {
    /// What was copied this time; if the move was interrupted before, that is less than what is there.
    public internal(set) var copied = CopyCounts()

    /// How long writes had to wait; zero if nothing was moved this time.
    public internal(set) var pause = Duration.zero
}

extension RoutingBackend {
    /// Tells where a database lives.
    ///
    /// - Returns: The home, as the directory says now; `nil` if the database has none, because nobody has written to it.
    public func home(of database: DatabaseKey) async throws -> DatabaseHome? {
        try await homes.currentHome(of: database)
    }

    /// Moves a database into another store, while it is used.
    ///
    /// The database is copied while others read and write it, compared with the copy, and brought up to date until little is left. Then
    /// writes wait until the rest has arrived and the directory was told; reads do not. What was left behind is removed in the end.
    ///
    /// A move that ended with an error, or whose process died, has left the database in one home or the other, never in two. Make the
    /// same call again, in any process, and it goes on where it was. To undo it instead, move the database to where it lives. Until one
    /// of the two was done, writes may throw ``CabinetError/Code/zoneBusy``. Calls for one database at the same time may throw
    /// ``CabinetError/Code/serverRejectedRequest`` or ``CabinetError/Code/invalidArguments``; they do no harm.
    ///
    /// Records keep their change tags. Change tokens and notification tokens expire, and notifications that nobody has fetched are lost, as
    /// ``DatabaseCopy`` says.
    ///
    /// - Parameters:
    ///   - database: The database, which may be without a record.
    ///   - name: The name of the store. The store's database is empty, or the remainder of an earlier move.
    ///   - progress: Is told how far the copy has come, on any thread.
    /// - Returns: How much was copied, and how long writes had to wait.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if there is no such store, if it has something else, or if the database is being
    ///   moved to another one; ``CabinetError/Code/internalError`` if the copy is not equal; and the stores' failures.
    /// - Complexity: O(*n*) in the number of records and of assets' bytes; writes wait for what has changed in a last short pass.
    @discardableResult
    public func move(
        _ database: DatabaseKey, to name: String, progress: (@Sendable (CopyProgress) -> Void)? = nil
    ) async throws -> MoveReport {
        _ = try homes.backend(name)
        var home = try await homes.currentHome(of: database)
        if home == nil { home = try await homes.claimedHome(of: database) }
        guard let home else { return MoveReport() }
        if home.name == name { return try await DatabaseMove.settle(database, home, homes) }
        let moving = DatabaseHome(name: home.name, generation: home.generation, target: name)
        if home.target == nil {
            let found = try await homes.directory.replace(home, with: moving, of: database)
            guard found == moving else { throw DatabaseMove.overtaken(database) }
        } else if home.target != name {
            throw CabinetError(
                .invalidArguments,
                "\(database) is being moved to '\(home.target ?? "")'. Finish that, or move it to '\(home.name)' to undo it."
            )
        }
        return try await DatabaseMove(database, moving, to: name, homes, progress).run()
    }
}
