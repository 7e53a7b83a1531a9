public import Cabinet

/// A copy of a database from one store into another, which may be written to at the same time.
///
/// A copy consists of passes. The first pass copies the whole state, and each further pass copies the changes since the previous
/// one. A snapshot of the source reads at most 10,000 changes, and then the pass continues with a newer one, so that the
/// source need not keep old versions of its rows for long. The target has the state of the last snapshot. A copy that is slower than
/// the writers of its source does not end. The pause of a database that moves is as short as the last pass:
///
/// ```swift
/// let copy = DatabaseCopy(of: .private(owner: user), from: old, to: new)
/// while try await copy.catchUp().changeCount > 100 {}
/// // Stop all writers of the old database.
/// let report = try await copy.finish()
/// // Use the new database.
/// ```
///
/// The target stores the progress of the copy in the same transactions as the records. A pass may therefore be
/// interrupted, and any process can resume it: nothing is copied twice, and no record is incomplete. If a call throws,
/// or the process dies, repeat the call.
///
/// Do not use the target until ``finish()`` has returned: until then it reports no changes, and is not complete.
/// Concurrent copies into one target are refused, and so is a target that another program has written to.
/// <doc:MovingToAnotherStore> shows a whole move.
/// ``/CabinetTools/Cabinet/Container/copy(to:progress:)`` describes the copied content, and the effects on change tags
/// and tokens.
public struct DatabaseCopy: Sendable {
    let database: DatabaseKey
    let source: any StorageBackend
    let target: any StorageBackend
    private let progress: (@Sendable (CopyProgress) -> Void)?
    /// The maximum number of pages that one snapshot of the source reads.
    var pagesOfSnapshot = CopyPass.pagesOfSnapshot

    /// Prepares a copy, without accessing either store.
    ///
    /// - Parameters:
    ///   - database: The database to copy.
    ///   - source: The store with the database.
    ///   - target: The store to copy into: one without a database of this key, or the result of an earlier copy of it.
    ///   - progress: Called with the progress of the copy, on any thread.
    public init(
        of database: DatabaseKey, from source: any StorageBackend, to target: any StorageBackend,
        progress: (@Sendable (CopyProgress) -> Void)? = nil
    ) {
        self.database = database
        self.source = source
        self.target = target
        self.progress = progress
    }

    /// Copies the changes since the previous pass, or everything if there was none.
    ///
    /// Indexes are built by ``finish()``, after all records were copied.
    ///
    /// - Returns: The copied amount.
    /// - Throws: ``/Cabinet/CabinetError/Code/invalidArguments`` if the target has other content, and the errors of
    ///   ``/CabinetTools/Cabinet/Container/copy(to:progress:)``.
    /// - Complexity: Proportional to the number of changes and of zones. If the source has forgotten deletions since
    ///   the previous pass, also to the number of records in their zones.
    @discardableResult
    public func catchUp() async throws -> CopyCounts {
        try await run { pass in
            try await pass.run()
            return pass.meter.counts
        }
    }

    /// Makes a last pass, compares the target with the source, and makes the target ready for use.
    ///
    /// Stop all writers of the source before the call, or their later changes are lost. Change tokens of both stores have expired in the
    /// target.
    ///
    /// - Returns: The content of the target, with its digest, and the amount that this pass has copied.
    /// - Throws: ``/Cabinet/CabinetError/Code/internalError`` with the first record that differs, if the databases are
    ///   not equal, and the errors of ``catchUp()``. Then the target is not ready.
    /// - Complexity: O(*n*) in the number of records and of assets' bytes, which are all read and compared.
    @discardableResult
    public func finish() async throws -> CopyReport.Database {
        try await run { pass in
            try await pass.run()
            try await pass.setIndexes()
            let content = try await pass.verify()
            try await pass.makeReady()
            return CopyReport.Database(database: database, content: content, copied: pass.meter.counts)
        }
    }

    /// Whether the source has anything to copy.
    ///
    /// - Throws: ``/Cabinet/CabinetError/Code/invalidArguments`` if the target has other content.
    func isNeeded() async throws -> Bool {
        try checkIdentity()
        return try await source.read(database) { [database, target] snapshot in
            let checkpoint = try await target.read(database) { target in
                try await CopyPreflight.checkpoint(in: target, copiedFrom: snapshot, database: database)
            }
            if checkpoint != nil { return true }
            return try await CopyPreflight.content(of: snapshot) != nil
        }
    }

    /// Runs a pass over the source, in as many snapshots as it needs.
    private func run<Output: Sendable>(
        _ body: @escaping @Sendable (inout CopyPass) async throws -> Output
    ) async throws -> Output {
        try checkIdentity()
        // Uploads of assets may block. A task refers to its executor without owning it.
        let executor = BlockingExecutor(label: "Cabinet copy")
        defer { withExtendedLifetime(executor) {} }
        let meter = CopyMeter(database: database, progress: progress)
        return try await withTaskExecutorPreference(executor) {
            while true {
                do {
                    return try await run(body, meter)
                } catch is CopyPass.Interruption {
                    // The target has the checkpoint.
                }
            }
        }
    }

    /// Runs a pass, or a part of it, over the source in its state at one instant.
    private func run<Output: Sendable>(
        _ body: @escaping @Sendable (inout CopyPass) async throws -> Output, _ meter: CopyMeter
    ) async throws -> Output {
        try await source.read(database) { [database, target, pagesOfSnapshot] snapshot in
            let checkpoint = try await target.read(database) { target in
                try await CopyPreflight.checkpoint(in: target, copiedFrom: snapshot, database: database)
            }
            var pass = CopyPass(
                database: database, source: snapshot, target: target, checkpoint: checkpoint, meter: meter,
                pagesLeft: pagesOfSnapshot)
            return try await body(&pass)
        }
    }

    private func checkIdentity() throws {
        guard type(of: source) is AnyClass, type(of: target) is AnyClass,
            source as AnyObject === target as AnyObject
        else { return }
        throw CopyPreflight.refusal(database, "it is the source itself")
    }
}
