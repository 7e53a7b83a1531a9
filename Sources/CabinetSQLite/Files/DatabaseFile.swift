import Cabinet
import Dispatch
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
        let (file, schemaCache) = (OpenedFile(path: path), SchemaCache())
        writer = Writer(path: path, file, configuration: configuration, schemaCache: schemaCache, assets: assets)
        writes = WriteScheduler(writer: writer)
        readers = ResourcePool(limit: configuration.maximumReaders) { number in
            PooledConnection(
                path: path, file, number: number, configuration: configuration, schemaCache: schemaCache,
                assets: assets)
        }
    }

    /// Runs a closure with a snapshot of the file.
    ///
    /// The closure runs on the caller's thread. Only its long calls run on the executor of a connection.
    func read<Output: Sendable>(
        _ body: @escaping @Sendable (any StorageSnapshot) async throws -> Output
    ) async throws -> Output {
        // A read that never suspends must yield to other tasks now and then, such as to one that writes the next record.
        if Self.readTime.load(ordering: .relaxed) >= Self.timeBetweenYields {
            Self.readTime.store(0, ordering: .relaxed)
            Writer.hasCommitted.store(false, ordering: .relaxed)
            await Task.yield()
        }
        return try await readers.withResource { pooled in
            let start = DispatchTime.now().uptimeNanoseconds
            // An executor that the caller has chosen is not blocked without its consent.
            if !Task.hasExecutorPreference || ShortCalls.mayBlockExecutor,
                let session = try pooled.beginBriefly(at: start)
            {
                defer {
                    Self.readTime.wrappingAdd(DispatchTime.now().uptimeNanoseconds &- start, ordering: .relaxed)
                }
                return try await Self.read(session, of: pooled, body)
            }
            return try await withTaskExecutorPreference(pooled.executor) {
                guard let session = try pooled.begin() else { return try await body(EmptySnapshot()) }
                return try await Self.read(session, of: pooled, body)
            }
        }
    }

    /// Runs a closure with a snapshot, and ends the read.
    private static func read<Output: Sendable>(
        _ session: Session, of pooled: PooledConnection, _ body: (any StorageSnapshot) async throws -> Output
    ) async throws -> Output {
        defer { pooled.end(session) }
        do {
            let output = try await body(SQLiteSnapshot(session: session))
            try pooled.checkFile()
            return output
        } catch {
            // A change of the file may be the reason of the error.
            try pooled.checkFile()
            throw error
        }
    }

    /// The time that reads have taken on callers' threads since one of them has yielded, in nanoseconds.
    private static let readTime = Atomic<UInt64>(0)

    /// The time of reads after which one of them yields, in nanoseconds.
    ///
    /// It is a time and not a number of reads, because a page takes as long as sixteen records. Yielding moves the task to another
    /// thread and its memory with it, which costs as much as ten records, so it is rare while nothing is written.
    private static var timeBetweenYields: UInt64 { Writer.hasCommitted.load(ordering: .relaxed) ? 150_000 : 1_000_000 }

    /// Runs an internal closure in a read transaction.
    ///
    /// - Returns: The closure's result; `nil` if the file does not exist.
    func inspect<Output: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> Output
    ) async throws -> Output? {
        try await readers.withResource { pooled in
            try await withTaskExecutorPreference(pooled.executor) {
                guard let session = try pooled.begin() else { return nil }
                defer { pooled.end(session) }
                let result = Result { try session.use(body) }
                try pooled.checkFile()
                return try result.get()
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
        try await readers.withResource { pooled in
            try await withTaskExecutorPreference(pooled.executor) { try pooled.checkpoint() }
        }
    }

    /// The number of queued writes.
    var waitingWrites: Int { writes.count }

    /// Closes all connections.
    ///
    /// Call this only when no read or write is active.
    func close() async {
        for pooled in await readers.close() {
            await withTaskExecutorPreference(pooled.executor) { pooled.close() }
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
