public import Cabinet

extension Container {
    /// Copies everything that the container's store holds into the store of another container, of whatever kind.
    ///
    /// ```swift
    /// let old = try Container(identifier: "com.example.notes", backend: SQLiteBackend(directory: url))
    /// let new = try Container(identifier: "com.example.notes", backend: PostgresBackend(configuration))
    /// let report = try await old.copy(to: new) { print($0) }
    /// ```
    ///
    /// All databases of all users are copied: schema and indexes, zones, records with their dates, users, parents and change tags,
    /// assets, and subscriptions. In the end both stores are read and compared, record by record and byte by byte.
    ///
    /// A copy that was interrupted, however, goes on where it was when it is started again. One that was completed, and whose target
    /// nobody has written to since, brings it up to date: only what has changed is copied.
    ///
    /// - Each database is copied as it is at one moment. Others may write meanwhile; what they write after that moment is not copied.
    /// - The target must be empty, but for a schema that the source has too, or the result of an earlier copy of the same source.
    ///   Nobody may use it before the copy has returned.
    /// - Records keep their change tags: who has fetched one before can save it after. The target never gives out a tag that the source
    ///   has given, or will give, to another version.
    /// - Change tokens and notification tokens that the source gave have expired in the target, because remembered deletions and
    ///   notifications are not copied: clients fetch everything once more. Cursors of queries stay valid.
    ///
    /// The account plays no role: who can open both stores may copy one. To move one database while it is in use, see ``DatabaseCopy``.
    ///
    /// - Parameters:
    ///   - target: A container over the other store, which keeps assets if the source has some.
    ///   - progress: Is told how far the copy has come, on any thread.
    /// - Returns: What the target holds, with the digest of it, and what was copied this time.
    /// - Throws: ``/Cabinet/CabinetError/Code/invalidArguments`` if the target has something else, or is the source itself; then it is as it
    ///   was. ``/Cabinet/CabinetError/Code/serverRejectedRequest`` if the source cannot list its databases;
    ///   ``/Cabinet/CabinetError/Code/assetNotAvailable`` with the record and its field if the source has lost an asset's bytes;
    ///   ``/Cabinet/CabinetError/Code/internalError`` with the first record that differs, if the stores are not equal in the end;
    ///   ``/Cabinet/CabinetError/Code/operationCancelled``, and the stores' failures.
    /// - Complexity: O(*n*) in the number of records and of bytes, which are read twice and written once; memory for a page of records.
    @discardableResult
    public func copy(
        to target: Container, progress: (@Sendable (CopyProgress) -> Void)? = nil
    ) async throws -> CopyReport {
        try await StoreCopy(source: backend, target: target.backend, progress: progress).run()
    }
}

/// Copies all databases of a store.
struct StoreCopy: Sendable {
    let source: any StorageBackend
    let target: any StorageBackend
    let progress: (@Sendable (CopyProgress) -> Void)?

    func run() async throws -> CopyReport {
        // In an order that does not change, so that a copy that is started again takes the same way.
        guard let listing = source.abilities.databases else {
            throw CabinetError(
                .serverRejectedRequest,
                "The source's backend cannot list its databases. Copy them one by one with DatabaseCopy.")
        }
        let databases = try await listing.databases().sorted { $0.description < $1.description }
        let copies = databases.enumerated().map { index, database in
            DatabaseCopy(
                of: database, from: source, to: target,
                progress: progress.map { progress in
                    { @Sendable in progress($0.numbered(index + 1, of: databases.count)) }
                })
        }
        // All are looked at before the first is changed, so that a refusal leaves the target as it is.
        var remaining: [DatabaseCopy] = []
        for copy in copies where try await copy.isNeeded() { remaining.append(copy) }
        try await checkOthers(than: Set(databases))
        var reports: [CopyReport.Database] = []
        for copy in remaining { reports.append(try await copy.finish()) }
        return CopyReport(databases: reports)
    }

    /// Refuses a target that has databases which the source does not have.
    private func checkOthers(than databases: Set<DatabaseKey>) async throws {
        // A target that cannot list its databases is checked database by database only.
        guard let listing = target.abilities.databases else { return }
        for database in try await listing.databases() where !databases.contains(database) {
            try await target.read(database) { snapshot in
                if let reason = try await CopyPreflight.content(of: snapshot) {
                    throw CopyPreflight.refusal(database, "the source has no such database, and the target's \(reason)")
                }
            }
        }
    }
}
