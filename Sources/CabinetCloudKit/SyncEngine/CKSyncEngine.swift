import Cabinet
import Synchronization

/// An engine that keeps the records of a program and those of a database in step.
///
/// The program says what has changed here, through ``State``, and its delegate gets what has changed elsewhere, as
/// ``Event``. The delegate stores ``State/Serialization`` with its records, so that the engine continues after a restart.
///
/// With ``Configuration/automaticallySync``, the engine sends and fetches by itself. Otherwise, and in tests, the program calls
/// ``sendChanges(_:)`` and ``fetchChanges(_:)``.
///
/// Cabinet's `SyncEngine` does the work. Before the engine has passed its delegate a state to store, the delegate may create another one for
/// the same database with equal settings. The other one continues it: no pending change is lost. CloudKit does not promise that.
public final class CKSyncEngine: Sendable {
    /// The database.
    public let database: CKDatabase

    /// The parts of an engine.
    ///
    /// They are created when the engine exists, because an automatic engine may call its delegate at once.
    struct Parts: Sendable {
        let core: Result<SyncEngine, any Error>
        let adapter: SyncAdapter
        let state: State
    }

    private let parts = Mutex<Parts?>(nil)
    private let key: SyncEngineRegistry.Key

    /// Creates an engine, which continues with the configuration's state.
    public init(_ configuration: Configuration) {
        database = configuration.database
        key = SyncEngineRegistry.Key(configuration)
        let predecessor = SyncEngineRegistry.shared.replace(key, with: self)
        if let continued = predecessor?.parts.withLock({ $0 }),
            continued.adapter.isContinued(by: self, with: configuration)
        {
            parts.withLock { $0 = continued }
        } else {
            let adapter = SyncAdapter(configuration, engine: self)
            parts.withLock { $0 = Parts(configuration, adapter) }
        }
    }

    deinit {
        SyncEngineRegistry.shared.remove(key)
    }

    /// The changes that are to be sent and fetched.
    public var state: State { parts.withLock { $0?.state } ?? State(SyncEngine.State(), hidesDefaultZone: false) }

    /// Fetches what has changed in the database, and passes it to the delegate.
    public func fetchChanges(_ options: FetchChangesOptions = FetchChangesOptions()) async throws {
        try await CKError.translate {
            let core = try core()
            try database.store().rules.checkChanges(of: nil)
            try await core.fetchChanges(options.value)
        }
    }

    /// Sends what has changed here, and passes the results to the delegate.
    ///
    /// - Throws: ``CKError/Code/partialFailure`` if a record or zone failed; the delegate gets the details.
    public func sendChanges(_ options: SendChangesOptions = SendChangesOptions()) async throws {
        try await CKError.translate { try await core().sendChanges(options.value) }
    }

    /// Cancels what is being sent and fetched, and waits for its end.
    ///
    /// While the engine's delegate handles an event, it and the tasks that it has started do not wait: what is being sent or
    /// fetched ends after the delegate has returned.
    public func cancelOperations() async {
        try? await core().cancelOperations()
    }

    private func core() throws -> SyncEngine {
        guard let parts = parts.withLock({ $0 }) else {
            throw CKError(.internalError, "The sync engine is not ready.")
        }
        return try parts.core.get()
    }
}

extension CKSyncEngine.Parts {
    fileprivate init(_ configuration: CKSyncEngine.Configuration, _ adapter: SyncAdapter) {
        core = Result {
            do {
                return SyncEngine(
                    SyncEngine.Configuration(
                        database: try configuration.database.store().database,
                        stateSerialization: configuration.stateSerialization?.value, delegate: adapter,
                        automaticallySync: configuration.automaticallySync,
                        subscriptionID: configuration.subscriptionID))
            } catch {
                throw CKError.translating(error)
            }
        }
        let state = (try? core.get().state) ?? SyncEngine.State(configuration.stateSerialization?.value)
        self.state = CKSyncEngine.State(state, hidesDefaultZone: adapter.hidesDefaultZone)
        self.adapter = adapter
    }
}

extension CKSyncEngine: CustomStringConvertible {
    /// The database, for logs.
    public var description: String { "<CKSyncEngine: \(database)>" }
}
