public import Cabinet
public import Foundation

/// Keeps records in memory, and in one file that only grows: each transaction adds a line of JSON.
///
/// It is good for what fits into memory: settings, a few thousand records, a program whose data one wants to read with `less`, `grep` and
/// `jq`. Every query reads every record of its database, and every transaction copies the database's tables.
public actor JSONLinesBackend: StorageBackend {
    private let log: LogFile
    private let executor = BlockingExecutor(label: "JSON lines")
    private let writers = AsyncLock()
    private let signals = ChangeBroadcaster()
    private let uploads = UploadBuffer()
    /// Names this opening of the file: before the next one, an older copy of the file may be put back.
    private let origin = UUID().uuidString
    private var states: [DatabaseKey: DatabaseState]
    private var isClosed = false

    /// Opens a file, and reads it.
    ///
    /// - Parameter file: The file, which is created if it is missing.
    /// - Throws: ``/Cabinet/CabinetError/Code/zoneBusy`` if the file is in use,
    ///   ``/Cabinet/CabinetError/Code/internalError`` if a line is damaged, and what the file system throws.
    public init(file: URL) async throws {
        (log, states) = try await executor.run {
            let log = try LogFile(file)
            var states: [DatabaseKey: DatabaseState] = [:]
            try log.read { json in
                let line = try JSONDecoder().decode(Line.self, from: json)
                for change in line.changes { states[line.database, default: DatabaseState()].apply(change) }
            }
            return (log, states)
        }
    }

    /// Signals, the list of databases, and assets.
    public nonisolated var abilities: StorageAbilities {
        StorageAbilities(signals: signals, databases: self, assets: uploads)
    }

    /// Runs a closure over the state that was committed last.
    public func read<Result: Sendable>(
        _ database: DatabaseKey,
        _ body: @escaping @Sendable (any StorageSnapshot) async throws -> Result
    ) async throws -> Result {
        try checkIsOpen()
        return try await body(Snapshot(state: states[database] ?? DatabaseState()))
    }

    // snippet: write
    /// Runs a closure that changes a database after all writers before it, and adds its changes to the file.
    public func write<Result: Sendable>(
        _ database: DatabaseKey,
        _ body: @escaping @Sendable (any StorageTransaction) async throws -> Result
    ) async throws -> Result {
        try checkIsOpen()
        return try await writers.withLock {
            let transaction = Transaction(state: states[database] ?? DatabaseState(), uploads: uploads, origin: origin)
            let result = try await body(transaction)
            let line = Line(database: database, changes: transaction.changes)
            if line.changes.isEmpty { return result }
            try await executor.run { [log] in try log.append(line.json) }
            states[database] = transaction.state
            signals.signal(database)
            return result
        }
    }
    // end

    /// Rewrites the file with a line for each database, without what was changed or deleted since.
    public func compact() async throws {
        try checkIsOpen()
        try await writers.withLock {
            let lines = states.map { Line(database: $0, changes: $1.changes) }
            try await executor.run { [log] in try log.replace(with: lines.map { try $0.json }) }
        }
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
    /// Lists the databases that the file has changes of.
    public func databases() throws -> [DatabaseKey] {
        try checkIsOpen()
        return Array(states.keys)
    }
}
