import Synchronization

/// The schema that limits the requests of a strict service: the program's own, or that of a database as it is now.
///
/// A service reads the schema of a database before the first request, and again after a change signal. The signals are those of live
/// queries, so a deployment by another process arrives like its records.
final class DeclaredSchema: Sendable {
    private struct State {
        var schema: StrictSchema?
        /// The content of `schema` now.
        var content: Content?
        /// Whether the next request reads the schema first.
        var isStale = true
        /// The number of reads that began, and the newest one whose result is known.
        var readCount = 0
        var newestRead = 0
        var task: Task<Void, Never>?
        var isFinished = false
    }

    private struct Content: Equatable {
        let schema: StoredSchema
        let rules: SchemaRules
    }

    private let backend: any StorageBackend
    /// The database whose schema this is; `nil` for a schema that the program declares.
    private let source: DatabaseKey?
    private let state: Mutex<State>

    /// The shortest time between two signals that are followed, so that a busy database does not have its schema read for each save.
    private static let pause = Duration.milliseconds(50)

    /// Creates the schema of a mode.
    ///
    /// - Returns: `nil` if the mode is not strict.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the schema is malformed.
    init?(_ mode: SchemaMode, _ backend: any StorageBackend) throws(CabinetError) {
        self.backend = backend
        switch mode {
        case .growing: return nil
        case .strict(let schema):
            try schema.validate()
            source = nil
            state = Mutex(State(schema: StrictSchema(schema), isStale: false))
        case .deployed(let database):
            source = database
            state = Mutex(State())
        }
    }

    deinit {
        finish()
    }

    /// Returns the schema, and whether no other process can have changed it since this call began.
    ///
    /// - Parameter isRead: Whether to read the schema even if it is known.
    func latest(reading isRead: Bool = false) async throws -> (schema: StrictSchema, isCurrent: Bool) {
        if !isRead, let schema = state.withLock({ $0.isStale ? nil : $0.schema }) { return (schema, source == nil) }
        return (try await read(), true)
    }

    /// Reads the schema after a change.
    func refresh() async {
        if source == nil { return }
        do {
            _ = try await read()
        } catch {
            // The next request reads it, or reports the error.
            state.withLock { $0.isStale = true }
        }
    }

    /// Ends the reading of changes.
    func finish() {
        let task = state.withLock { state in
            state.isFinished = true
            return state.task
        }
        task?.cancel()
    }

    private func read() async throws -> StrictSchema {
        // Without a source, the schema is never stale.
        let source = source ?? .public
        follow(source)
        let number = state.withLock { state in
            state.readCount += 1
            return state.readCount
        }
        let content = try await backend.read(source) { snapshot in
            let values = try await snapshot.load(StorageKeys(entryRanges: [SchemaRules.allKeys]))
            return Content(schema: values.schema, rules: try SchemaRules(values.entryRanges.joined()))
        }
        return state.withLock { state in
            let isNewest = number > state.newestRead
            if isNewest { (state.newestRead, state.isStale) = (number, false) }
            // A later read saw every change that this one saw before it began.
            if let schema = state.schema, !isNewest || state.content == content { return schema }
            let schema = StrictSchema(Schema(content.schema, content.rules), of: source)
            (state.schema, state.content) = (schema, content)
            return schema
        }
    }

    /// Starts the task that reads the schema after signals, once.
    private func follow(_ source: DatabaseKey) {
        state.withLock { state in
            guard state.task == nil, !state.isFinished else { return }
            // The stream is created before the first read, so that no change between the two is lost.
            let signals = backend.changeSignals(of: source)
            state.task = OwnTasks.start { [weak self] in
                for await _ in signals {
                    await self?.refresh()
                    // A test that decides the order of jobs has no time.
                    if OwnTasks.executor == nil { try? await Task.sleep(for: Self.pause) }
                }
            }
        }
    }
}
