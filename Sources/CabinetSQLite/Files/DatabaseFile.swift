import Cabinet
import Foundation
import Synchronization

/// The file of one database, with the connections to it.
///
/// Nothing is opened before it is needed.
final class DatabaseFile: Sendable {
    let path: String
    let writer: Writer
    private let writes: WriteScheduler
    let readers: ResourcePool<PooledConnection>

    init(path: String, configuration: SQLiteConfiguration, assets: AssetFolder) {
        self.path = path
        let catalogs = SchemaCache()
        writer = Writer(path: path, configuration: configuration, catalogs: catalogs, assets: assets)
        writes = WriteScheduler(writer: writer)
        readers = ResourcePool(limit: configuration.maximumReaders) { number in
            PooledConnection(
                path: path, number: number, configuration: configuration, catalogs: catalogs, assets: assets)
        }
    }

    /// Runs a closure over an unchanging view of the file.
    ///
    /// The closure runs on the caller's thread, and only its calls that take long run on the executor of a connection.
    func read<Output: Sendable>(
        _ body: @escaping @Sendable (any StorageSnapshot) async throws -> Output
    ) async throws -> Output {
        // A task that is seldom suspended gives way to others now and then.
        if Self.readCount.wrappingAdd(1, ordering: .relaxed).newValue % 16 == 0 { await Task.yield() }
        return try await readers.withResource { reader in
            // An executor that the caller has brought must not be blocked at all.
            if !Task.hasExecutorPreference, let session = try reader.beginBriefly() {
                defer { reader.end(session) }
                return try await body(SQLiteSnapshot(session: session))
            }
            return try await withTaskExecutorPreference(reader.executor) {
                guard let session = try reader.begin() else { return try await body(EmptySnapshot()) }
                defer { reader.end(session) }
                return try await body(SQLiteSnapshot(session: session))
            }
        }
    }

    private static let readCount = Atomic<UInt>(0)

    /// Runs a closure of the backend's own on a connection that sees an unchanging state of the file.
    ///
    /// - Returns: The closure's result; `nil` if there is no file.
    func inspect<Output: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> Output
    ) async throws -> Output? {
        try await readers.withResource { reader in
            try await withTaskExecutorPreference(reader.executor) {
                guard let session = try reader.begin() else { return nil }
                defer { reader.end(session) }
                return try session.use(body)
            }
        }
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
        try await writes.write { try $0.session.change(body) }
    }

    /// Moves the write-ahead log into the file as far as nobody reads an older state.
    ///
    /// - Returns: How far that is; `nil` if it is not known now.
    func checkpoint() async throws -> CheckpointState? {
        try await readers.withResource { reader in
            try await withTaskExecutorPreference(reader.executor) { try reader.checkpoint() }
        }
    }

    /// The number of writes that wait for their turn.
    var waitingWrites: Int { writes.count }

    /// Closes all connections.
    ///
    /// No read and no write may be under way.
    func close() async {
        for reader in await readers.close() {
            await withTaskExecutorPreference(reader.executor) { reader.close() }
        }
        await withTaskExecutorPreference(writer.executor) { [writer] in writer.close() }
    }
}

extension Task where Success == Never, Failure == Never {
    /// Whether the current task has an executor that its creator chose.
    fileprivate static var hasExecutorPreference: Bool {
        withUnsafeCurrentTask { $0?.unownedTaskExecutor != nil }
    }
}
