import Cabinet
import Foundation

/// The file of one database, with the connections to it.
///
/// Nothing is opened before it is needed.
final class DatabaseFile: Sendable {
    let path: String
    let writer: Writer
    private let writes: WriteQueue
    let readers: ReaderPool
    /// A read of one record is done while somebody who was suspended would be woken.
    private let pace = ReadPace(shortestTime: .microseconds(25))

    init(path: String, configuration: SQLiteConfiguration, assets: AssetFolder) {
        self.path = path
        let catalogs = SchemaCache()
        writer = Writer(path: path, configuration: configuration, catalogs: catalogs, assets: assets)
        writes = WriteQueue(writer: writer)
        readers = ReaderPool(limit: configuration.maximumReaders) { number in
            Reader(path: path, number: number, configuration: configuration, catalogs: catalogs, assets: assets)
        }
    }

    /// Runs a closure over an unchanging view of the file.
    func read<Output: Sendable>(
        _ body: @escaping @Sendable (any StorageSnapshot) async throws -> Output
    ) async throws -> Output {
        try await withReader { session in
            guard let session else { return try await body(EmptySnapshot()) }
            return try await body(SQLiteSnapshot(session: session))
        }
    }

    /// Runs a closure of the backend's own on a connection that sees an unchanging state of the file.
    ///
    /// - Returns: The closure's result; `nil` if there is no file.
    func inspect<Output: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> Output
    ) async throws -> Output? {
        try await withReader { try $0?.use(body) }
    }

    /// Runs a closure that changes the file, all or nothing.
    func write<Output: Sendable>(
        _ body: @escaping @Sendable (any StorageTransaction) async throws -> Output
    ) async throws -> Output {
        try await writes.write(body)
    }

    /// Runs a closure of the backend's own that changes the file, all or nothing.
    func change<Output: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> Output
    ) async throws -> Output {
        try await writes.write { transaction in
            // The queue's jobs know of no connection; the writer has made the transaction.
            guard let transaction = transaction as? SQLiteTransaction else {
                throw CabinetError(.internalError, "The transaction is of another backend.")
            }
            return try transaction.session.change(body)
        }
    }

    private func withReader<Output: Sendable>(
        _ body: @escaping @Sendable (Session?) async throws -> Output
    ) async throws -> Output {
        let reader = try await readers.take()
        defer { readers.giveBack(reader) }
        return try await reader.executor.runBriefly(at: pace) { try await reader.read(body) }
    }

    /// Moves the write-ahead log into the file as far as nobody reads an older state.
    ///
    /// - Returns: How far that is; `nil` if it is not known now.
    func checkpoint() async throws -> CheckpointState? {
        let reader = try await readers.take()
        defer { readers.giveBack(reader) }
        return try await withTaskExecutorPreference(reader.executor) { try await reader.moveLogOnExecutor() }
    }

    /// The number of writes that wait for their turn.
    var waitingWrites: Int { writes.count }

    /// Closes all connections.
    ///
    /// No read and no write may be under way.
    func close() async {
        for reader in readers.all {
            await withTaskExecutorPreference(reader.executor) { await reader.closeOnExecutor() }
        }
        await withTaskExecutorPreference(writer.executor) { await writer.closeOnExecutor() }
    }
}

extension Reader {
    // Asynchronous, so that it begins with the hop onto the preferred executor.
    fileprivate func closeOnExecutor() async { close() }

    fileprivate func moveLogOnExecutor() async throws -> CheckpointState? { try checkpoint() }
}

extension Writer {
    fileprivate func closeOnExecutor() async { close() }
}
