import Cabinet
import Foundation
import Synchronization

/// The file of one database, with its connections, which are opened on demand.
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

    /// Runs a closure with a snapshot of the file.
    ///
    /// The closure runs on the caller's thread. Only its long calls run on the executor of a connection.
    func read<Output: Sendable>(
        _ body: @escaping @Sendable (any StorageSnapshot) async throws -> Output
    ) async throws -> Output {
        // A read that never suspends must yield to other tasks now and then.
        if Self.readCount.wrappingAdd(1, ordering: .relaxed).newValue % 16 == 0 { await Task.yield() }
        return try await readers.withResource { reader in
            // If the caller has chosen an executor, it must not be blocked at all.
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

    /// Runs an internal closure in a read transaction.
    ///
    /// - Returns: The closure's result; `nil` if the file does not exist.
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

    /// Runs a closure in a write transaction.
    func write<Output: Sendable>(
        _ body: @escaping @Sendable (any StorageTransaction) async throws -> Output
    ) async throws -> Output {
        try await writes.write(body)
    }

    /// Runs an internal closure in a write transaction.
    func change<Output: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> Output
    ) async throws -> Output {
        try await writes.write { try $0.session.change(body) }
    }

    /// Moves the write-ahead log into the file up to the oldest snapshot that is still read.
    ///
    /// - Returns: The size of the log and how much of it has been moved; `nil` if it is unknown.
    func checkpoint() async throws -> CheckpointState? {
        try await readers.withResource { reader in
            try await withTaskExecutorPreference(reader.executor) { try reader.checkpoint() }
        }
    }

    /// The number of queued writes.
    var waitingWrites: Int { writes.count }

    /// Closes all connections.
    ///
    /// Call this only when no read or write is active.
    func close() async {
        for reader in await readers.close() {
            await withTaskExecutorPreference(reader.executor) { reader.close() }
        }
        await withTaskExecutorPreference(writer.executor) { [writer] in writer.close() }
    }
}

extension Task where Success == Never, Failure == Never {
    /// Whether the current task was created with a preferred executor.
    fileprivate static var hasExecutorPreference: Bool {
        withUnsafeCurrentTask { $0?.unownedTaskExecutor != nil }
    }
}
