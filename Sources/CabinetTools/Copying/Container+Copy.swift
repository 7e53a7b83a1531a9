public import Cabinet

extension Container {
    /// Copies everything that the container's store holds into the store of another container, of any kind.
    ///
    /// ```swift
    /// let old = try Container(
    ///     identifier: "com.example.notes",
    ///     backend: SQLiteBackend(directory: url))
    /// let new = try Container(
    ///     identifier: "com.example.notes",
    ///     backend: PostgresBackend(connection: server))
    /// let report = try await old.copy(to: new) { print($0) }
    /// ```
    ///
    /// A copy includes all databases of all users: schema, indexes, roles, grants and unique values, zones, records
    /// with their dates, users, parents and change tags, assets, and subscriptions. At the end it reads both stores and
    /// compares them, record by record and byte by byte.
    ///
    /// An interrupted copy continues where it stopped when it is started again. If a copy is complete and only copies have written to its
    /// target, copying again brings the target up to date: only changes are copied.
    ///
    /// - Each database is copied in its state at one instant. Later writes are not copied.
    /// - The target must be empty, apart from a schema that the source has too, or the result of an earlier copy of the same source.
    ///   Do not use it before the copy has returned.
    /// - Records keep their change tags: a record that was fetched from the source can be saved in the target. The target never gives a
    ///   tag of the source to another version.
    /// - Change tokens and notification tokens of the source have expired in the target, because tombstones and notifications are not
    ///   copied. Cursors of queries stay valid.
    ///
    /// The account does not matter. To move one database while it is in use, see ``DatabaseCopy``. <doc:MovingToAnotherStore>
    /// shows a whole move.
    ///
    /// - Parameters:
    ///   - target: A container over the other store, which keeps assets if the source has some.
    ///   - progress: Called with the progress of the copy, on any thread.
    /// - Returns: The content of the target, with its digest, and the amount that this call has copied.
    /// - Throws: ``/Cabinet/CabinetError/Code/invalidArguments`` if the target has other content, or is the source itself.
    ///   Then it is unchanged. ``/Cabinet/CabinetError/Code/serverRejectedRequest`` if the source cannot list its
    ///   databases. ``/Cabinet/CabinetError/Code/assetNotAvailable`` with the record and its field if the source has lost
    ///   an asset's bytes. ``/Cabinet/CabinetError/Code/internalError`` with the first record that differs, if the stores
    ///   are not equal at the end. ``/Cabinet/CabinetError/Code/operationCancelled``, and the stores' failures.
    /// - Complexity: O(*n*) in the number of records and of bytes, which are read twice and written once; memory for a page of records.
    @discardableResult
    public func copy(
        to target: Container, progress: (@Sendable (CopyProgress) -> Void)? = nil
    ) async throws -> CopyReport {
        try await StoreCopy(source: try backend, target: try target.backend, progress: progress).run()
    }
}

/// Copies all databases of a store.
struct StoreCopy: Sendable {
    let source: any StorageBackend
    let target: any StorageBackend
    let progress: (@Sendable (CopyProgress) -> Void)?

    func run() async throws -> CopyReport {
        // Sorted, so that a resumed copy has the same order.
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
        // All are checked before the first is changed, so that a refusal leaves the target unchanged.
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
