public import Cabinet
public import Foundation

/// Keeps records in memory, and in one file that is only ever added to: a line of JSON for each transaction.
///
/// It is the example of the article "Writing a backend", and good for what fits into memory: settings, a few thousand records, a program
/// whose data one wants to read with `less`, `grep` and `jq`. Every query looks at every record of its database.
public actor JSONLinesBackend: StorageBackend {
    struct Database {
        /// What readers see.
        var committed = DatabaseState()
        /// The same, for the next writer: it is changed in place, and then the other one is made equal to it.
        var spare = DatabaseState()
    }

    let log: LogFile
    let executor = BlockingExecutor(label: "JSON lines")
    let signals = ChangeBroadcaster()
    let uploads = Uploads()
    private(set) var contents: [DatabaseKey: Database] = [:]
    private var isClosed = false
    private var isWriting = false
    private var waitingWriters: [CheckedContinuation<Void, Never>] = []

    /// Opens a file, and reads it.
    ///
    /// - Parameter file: The file, which is created if it is missing.
    /// - Throws: ``/Cabinet/CabinetError/Code/zoneBusy`` if the file is in use,
    ///   ``/Cabinet/CabinetError/Code/internalError`` if a line is damaged, and what the file system throws.
    public init(file: URL) async throws {
        (log, contents) = try await executor.run {
            let log = try LogFile(file)
            var contents: [DatabaseKey: Database] = [:]
            try log.read { line, number in
                do {
                    let line = try Self.decoder.decode(Line.self, from: line)
                    for fact in line.facts { contents[line.database, default: Database()].committed.apply(fact) }
                } catch {
                    throw CabinetError(
                        .internalError,
                        "Line \(number) of \(file.path) is damaged. Restore the file from a backup, or, if it is the last line and "
                            + "the machine has failed, remove the line.", underlyingError: error)
                }
            }
            return (log, contents.mapValues { Database(committed: $0.committed, spare: $0.committed) })
        }
    }

    /// Runs a closure over the state that was committed last, which nobody changes.
    public func read<Result: Sendable>(
        _ database: DatabaseKey,
        _ body: @escaping @Sendable (any StorageSnapshot) async throws -> Result
    ) async throws -> Result {
        try checkIsOpen()
        return try await body(Snapshot(state: contents[database]?.committed ?? DatabaseState()))
    }

    /// Runs a closure that changes a database, when all writers before it are done, and adds what it has changed to the file.
    public func write<Result: Sendable>(
        _ database: DatabaseKey,
        _ body: @escaping @Sendable (any StorageTransaction) async throws -> Result
    ) async throws -> Result {
        try checkIsOpen()
        await beginWriting()
        defer { endWriting() }
        let transaction = Transaction(state: takeSpare(of: database), uploads: uploads)
        do {
            let result = try await body(transaction)
            let (state, facts) = transaction.finish()
            if !facts.isEmpty { try await append(Line(database: database, facts: facts)) }
            commit(state, facts, to: database)
            return result
        } catch {
            let committed = contents[database]?.committed ?? DatabaseState()
            contents[database]?.spare = committed
            throw error
        }
    }

    private func append(_ line: Line) async throws {
        try await executor.run { [log] in try log.append(try Self.encoder.encode(line)) }
    }

    private func takeSpare(of database: DatabaseKey) -> DatabaseState {
        defer { contents[database]?.spare = DatabaseState() }
        return contents[database]?.spare ?? DatabaseState()
    }

    private func commit(_ state: DatabaseState, _ facts: [Fact], to database: DatabaseKey) {
        if facts.isEmpty {
            contents[database]?.spare = state
        } else {
            var old = contents.removeValue(forKey: database)?.committed ?? DatabaseState()
            // Nobody else refers to the old state, unless somebody is reading it: then this makes a copy.
            for fact in facts { old.apply(fact) }
            contents[database] = Database(committed: state, spare: old)
            signals.signal(database)
        }
    }

    func beginWriting() async {
        if isWriting {
            await withCheckedContinuation { waitingWriters.append($0) }
        } else {
            isWriting = true
        }
    }

    func endWriting() {
        if waitingWriters.isEmpty {
            isWriting = false
        } else {
            // The turn goes over to the first who waits.
            waitingWriters.removeFirst().resume()
        }
    }

    /// Waits for the writers, and lets others open the file.
    public func close() async {
        isClosed = true
        await beginWriting()
        defer { endWriting() }
        try? await executor.run { [log] in log.close() }
        signals.finish()
    }

    func checkIsOpen() throws {
        if isClosed { throw CabinetError(.serviceUnavailable, "The backend was closed.") }
    }

    static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return encoder
    }

    private static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return decoder
    }
}
