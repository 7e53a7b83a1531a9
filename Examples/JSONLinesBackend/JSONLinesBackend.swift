public import Cabinet
public import Foundation

/// A backend that keeps records in memory, and in one append-only file: each transaction adds a line of JSON.
///
/// It suits data that fits into memory: settings, a few thousand records, or records to read with `less`, `grep` and
/// `jq`. Every query reads every record of its database, and every transaction copies the database's tables. A file
/// whose size has doubled is compacted.
public actor JSONLinesBackend: StorageBackend {
    private let log: LogFile
    private let executor = BlockingExecutor(label: "JSON lines")
    private let writers = AsyncLock()
    private let signals = ChangeBroadcaster()
    private let uploads = UploadBuffer()
    /// Identifies this opening of the file: an older copy may replace the file before the next one.
    private let origin = UUID().uuidString
    private var states: [DatabaseKey: DatabaseState]
    private var isClosed = false

    /// Opens a file, and reads it.
    ///
    /// - Parameter file: The file, which is created if it is missing.
    /// - Throws: ``/Cabinet/CabinetError/Code/zoneBusy`` if the file is in use,
    ///   ``/Cabinet/CabinetError/Code/internalError`` if a line is damaged, and errors of the file system.
    public init(file: URL) async throws {
        (log, states) = try await executor.run {
            let log = try LogFile(file)
            var states: [DatabaseKey: DatabaseState] = [:]
            try log.read { json in
                let line = try JSONDecoder().decode(LogLine.self, from: json)
                for change in line.changes { states[line.database, default: DatabaseState()].apply(change) }
            }
            return (log, states)
        }
    }

    /// Signals, the list of databases, and assets.
    public nonisolated var abilities: StorageAbilities {
        StorageAbilities(signals: signals, databases: self, assets: uploads)
    }

    /// Runs a closure on the state that was committed last.
    public func read<Result: Sendable>(
        _ database: DatabaseKey, _ body: @escaping @Sendable (any StorageSnapshot) async throws -> Result
    ) async throws -> Result {
        try checkIsOpen()
        return try await body(Snapshot(state: states[database] ?? DatabaseState()))
    }

    // snippet: write
    /// Runs a closure after all earlier writers, and appends its changes.
    public func write<T: Sendable>(
        _ database: DatabaseKey,
        _ body: @escaping @Sendable (any StorageTransaction) async throws -> T
    ) async throws -> T {
        try checkIsOpen()
        return try await writers.withLock {
            let transaction = Transaction(
                state: states[database] ?? DatabaseState(), uploads: uploads,
                origin: origin)
            let result = try await body(transaction)
            let line = LogLine(database: database, changes: transaction.changes)
            if line.changes.isEmpty { return result }
            try await executor.run { [log] in try log.append(line.json) }
            states[database] = transaction.state
            if log.hasDoubled { try? await rewrite() }
            signals.signal(database)
            return result
        }
    }
    // end

    /// Rewrites the file with one line for each database, without replaced or deleted values.
    public func compact() async throws {
        try checkIsOpen()
        try await writers.withLock { try await rewrite() }
    }

    private func rewrite() async throws {
        let lines = states.map { LogLine(database: $0, changes: $1.changes) }
        try await executor.run { [log] in try log.replace(with: lines.map { try $0.json }) }
    }

    /// Waits for the writers, and lets another backend open the file.
    public func close() async {
        isClosed = true
        await writers.withLock {
            try? await executor.run { [log] in log.close() }
            signals.finish()
        }
    }

    private func checkIsOpen() throws {
        if isClosed { throw CabinetError(.serviceUnavailable, "The backend was closed.") }
    }
}

extension JSONLinesBackend: DatabaseListing {
    /// Lists the databases that have changes in the file.
    public func databases() throws -> [DatabaseKey] {
        try checkIsOpen()
        return Array(states.keys)
    }
}
