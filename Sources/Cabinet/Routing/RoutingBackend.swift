public import Foundation

/// Several stores as one: each database lives in one of them.
///
/// ```swift
/// let backend = try RoutingBackend(
///     stores: ["berlin": berlin, "paris": paris],
///     directory: StoredDirectory(in: berlin))
/// let container = try Container(identifier: "com.example.notes", backend: backend)
/// ```
///
/// The stores do the work; this backend only finds the one that a database lives in. Any number of processes may do that, each with
/// the same stores under the same names, and the same directory. A database is given its home when it is first written to, and keeps it
/// until ``move(_:to:progress:)`` gives it another one, while it is used.
///
/// What the directory says is remembered, and never trusted: a database that is moved is marked in a transaction of the store that it
/// leaves, and every transaction looks for the mark first. So a process that knows of no move is told by the database itself, asks the
/// directory again, and goes on in the new home: nobody reads an outdated database, and no write is lost. This costs each transaction
/// one look-up.
///
/// All that a backend promises of one database, this one promises as the store does that the database lives in.
public final class RoutingBackend: StorageBackend {
    let homes: DatabaseHomes
    private let patience: Duration
    private let uploads = RoutedUploads()

    /// The store that the read which is under way has found its database in.
    @TaskLocal private static var currentName: String?

    /// Creates a backend over stores.
    ///
    /// - Parameters:
    ///   - stores: The stores, by names that the directory keeps. Each is a store of its own.
    ///   - directory: Where each database lives.
    ///   - placement: Which store a new database is put into.
    ///   - patience: How long a write waits for the end of a move.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if there is no store, or one twice.
    public init(
        stores: [String: any StorageBackend], directory: any DatabaseDirectory,
        placement: DatabasePlacement = .byKey, patience: Duration = .seconds(30)
    ) throws {
        guard !stores.isEmpty else {
            throw CabinetError(.invalidArguments, "A routing backend needs at least one store.")
        }
        let objects = stores.values.filter { type(of: $0) is AnyClass }.map { ObjectIdentifier($0 as AnyObject) }
        guard Set(objects).count == objects.count else {
            throw CabinetError(.invalidArguments, "A routing backend has the same store under two names.")
        }
        homes = DatabaseHomes(stores, directory, placement)
        self.patience = patience
    }

    /// Reads a database in the store that it lives in.
    public func read<Result: Sendable>(
        _ database: DatabaseKey, _ body: @escaping @Sendable (any StorageSnapshot) async throws -> Result
    ) async throws -> Result {
        // What has no home is empty, wherever one looks.
        var home: DatabaseHome
        if let known = try await homes.home(of: database) {
            home = known
        } else {
            home = try await homes.proposedHome(of: database)
        }
        var isReadable = false
        while true {
            do {
                return try await homes.backend(home.name).read(database) { [home, isReadable] snapshot in
                    try await MovedAway.check(snapshot, home.generation, isReadable: isReadable)
                    return try await Self.$currentName.withValue(home.name) { try await body(snapshot) }
                }
            } catch let moved as MovedAway {
                try checkCancellation()
                guard let current = try await homes.currentHome(of: database) else { throw Self.lost(database) }
                // If it still lives there, although nobody may write to it any more, then nobody had written to it elsewhere when
                // this read began.
                isReadable = moved.mark.generation == current.generation
                home = current
            }
        }
    }

    /// Writes to a database in the store that it lives in; waits for the end of a move.
    public func write<Result: Sendable>(
        _ database: DatabaseKey, _ body: @escaping @Sendable (any StorageTransaction) async throws -> Result
    ) async throws -> Result {
        var home = try await homes.claimedHome(of: database)
        let begin = ContinuousClock.now
        var pause = Duration.milliseconds(2)
        while true {
            do {
                return try await homes.backend(home.name).write(database) { [home] transaction in
                    try await MovedAway.check(transaction, home.generation)
                    return try await body(transaction)
                }
            } catch let moved as MovedAway {
                guard let current = try await homes.currentHome(of: database) else { throw Self.lost(database) }
                home = current
                if current.generation > moved.mark.generation { continue }
                guard ContinuousClock.now - begin < patience else {
                    throw CabinetError(
                        .zoneBusy,
                        "\(database) is being moved to '\(current.target ?? "")', and that takes too long. If the move was "
                            + "interrupted, call move(_:to:progress:) again.", retryAfterSeconds: 1)
                }
                try await Self.sleep(pause)
                pause = min(pause * 2, .milliseconds(50))
            } catch let error as CabinetError {
                guard error.code == .internalError, uploads.isElsewhere(database, than: home.name) else { throw error }
                throw CabinetError(
                    .zoneBusy, "\(database) was moved while assets were uploaded to it. Save the records again.",
                    underlyingError: error, retryAfterSeconds: 0)
            }
        }
    }

    /// Lists the databases of all stores, each once.
    ///
    /// - Throws: ``CabinetError/Code/serverRejectedRequest`` if a store cannot list its databases.
    public func databases() async throws -> [DatabaseKey] {
        var all = Set(try await homes.directory.databases())
        // Those that were there before there was a directory.
        for store in homes.backends.values { all.formUnion(try await store.databases()) }
        return all.filter { !homes.directory.isOwn($0) }
    }

    /// The signals of the store that the database lives in, also after it was moved.
    ///
    /// The stream begins with a signal. While a database is moved, a signal comes a tenth of a second late at most.
    public func changeSignals(of database: DatabaseKey) -> AsyncStream<Void> {
        routedSignals(of: database)
    }

    /// Begins to take in an asset in the store that the database lives in.
    ///
    /// If the database is moved before a write takes the asset over, that write throws ``CabinetError/Code/zoneBusy``, and the records
    /// can be saved again.
    public func beginUpload(to database: DatabaseKey) async throws -> any AssetUpload {
        let name = try await homes.claimedHome(of: database).name
        let upload = try await homes.backend(name).beginUpload(to: database)
        return uploads.adding(upload, to: database, in: name)
    }

    /// The files of the store that the read which is under way has found the assets in.
    public func files(of assets: [StoredAsset], in database: DatabaseKey) async throws -> [URL?]? {
        if let name = Self.currentName { return try await homes.backend(name).files(of: assets, in: database) }
        guard let home = try await homes.currentHome(of: database) else { return assets.map { _ in nil } }
        return try await homes.backend(home.name).files(of: assets, in: database)
    }

    /// Removes what is left of assets in the store that the database lives in.
    @discardableResult
    public func removeAbandonedAssets(from database: DatabaseKey) async throws -> Int {
        guard let home = try await homes.currentHome(of: database) else { return 0 }
        return try await homes.backend(home.name).removeAbandonedAssets(from: database)
    }

    /// Closes all stores and the directory.
    public func close() async {
        for name in homes.backends.keys.sorted() { await homes.backends[name]?.close() }
        await homes.directory.close()
    }

    private static func lost(_ database: DatabaseKey) -> CabinetError {
        CabinetError(
            .internalError,
            "\(database) was moved, and the directory does not know it. Give the routing backend the directory that was used."
        )
    }

    private static func sleep(_ duration: Duration) async throws {
        do {
            try await Task.sleep(for: duration)
        } catch {
            throw CabinetError(.operationCancelled, "The task was cancelled while it waited for the end of a move.")
        }
    }

    private func checkCancellation() throws {
        if Task.isCancelled {
            throw CabinetError(.operationCancelled, "The task was cancelled while a moved database was looked for.")
        }
    }
}
