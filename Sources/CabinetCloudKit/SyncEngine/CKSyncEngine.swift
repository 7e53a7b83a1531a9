import Cabinet
import Foundation
import Synchronization

/// An engine that keeps the records of a program and those of a database in step.
///
/// The program says what has changed here, through ``State``, and its delegate gets what has changed elsewhere, as
/// ``Event``. The delegate stores ``State/Serialization`` with its records, so that the engine continues after a restart.
///
/// With ``Configuration/automaticallySync``, the engine sends and fetches by itself. Otherwise, and in tests, the program calls
/// ``sendChanges(_:)`` and ``fetchChanges(_:)``.
public final class CKSyncEngine: Sendable {
    /// The database.
    public let database: CKDatabase

    /// The changes that are to be sent and fetched.
    public let state: State

    let configuration: Configuration
    let lock = AsyncLock()
    private let tasks = Mutex<[UUID: Task<Void, any Error>]>([:])
    private let scheduler = SyncScheduler()

    /// The records that this engine has sent and not fetched since, with their change tags.
    let sentTags = Mutex<[CKRecord.ID: String]>([:])

    /// The engine whose delegate runs in this task.
    @TaskLocal static var current: ObjectIdentifier?

    /// Creates an engine, which continues with the configuration's state.
    public init(_ configuration: Configuration) {
        self.configuration = configuration
        database = configuration.database
        state = State(configuration.stateSerialization)
        guard configuration.automaticallySync else { return }
        scheduler.start(for: self)
        let scheduler = scheduler
        state.onAddition { scheduler.requestSend() }
    }

    deinit {
        scheduler.stop()
    }

    /// Fetches what has changed in the database, and passes it to the delegate.
    public func fetchChanges(_ options: FetchChangesOptions = FetchChangesOptions()) async throws {
        try await fetch(FetchChangesContext(reason: .manual, options: options))
    }

    /// Sends what has changed here, and passes the results to the delegate.
    ///
    /// - Throws: ``CKError/Code/partialFailure`` if a record or zone failed; the delegate gets the details.
    public func sendChanges(_ options: SendChangesOptions = SendChangesOptions()) async throws {
        try await send(SendChangesContext(reason: .manual, options: options))
    }

    /// Cancels what is being sent and fetched, and waits for its end.
    public func cancelOperations() async {
        let running = tasks.withLock { Array($0.values) }
        for task in running { task.cancel() }
        for task in running { _ = await task.result }
    }

    /// The largest number of sent records that are remembered.
    ///
    /// Others return with the next fetch, like those of other devices.
    static let maximumSentTags = 10_000

    /// Remembers records that were sent, so that the next fetch leaves them out.
    func rememberSent(_ records: [CKRecord]) {
        sentTags.withLock { tags in
            for record in records {
                if tags.count == Self.maximumSentTags { tags = [:] }
                tags[record.recordID] = record.recordChangeTag ?? ""
            }
        }
    }

    func fetch(_ context: FetchChangesContext) async throws {
        try await run { engine in
            let options = await engine.configuration.delegate?.nextFetchChangesOptions(context, syncEngine: engine)
            let context = FetchChangesContext(reason: context.reason, options: options ?? context.options)
            try await SyncFetch(engine: engine, context: context).run()
        }
    }

    func send(_ context: SendChangesContext) async throws {
        try await run { try await SyncSend(engine: $0, context: context).run() }
    }

    /// Runs one fetch or send after the other.
    private func run(_ body: @escaping @Sendable (CKSyncEngine) async throws -> Void) async throws {
        guard Self.current != ObjectIdentifier(self) else {
            throw CKError(
                .invalidArguments,
                "The delegate is called while changes are sent or fetched, and cannot begin that itself.")
        }
        let id = UUID()
        let task = Task {
            try await self.lock.withLock {
                try Task.checkCancellation()
                try await self.reportAccount()
                try await Self.$current.withValue(ObjectIdentifier(self)) { try await body(self) }
            }
        }
        tasks.withLock { $0[id] = task }
        defer { tasks.withLock { $0[id] = nil } }
        try await CKError.translate {
            try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        }
    }

    /// Passes an event to the delegate.
    func report(_ event: Event) async {
        await Self.$current.withValue(ObjectIdentifier(self)) {
            await configuration.delegate?.handleEvent(event, syncEngine: self)
        }
    }

    /// Passes the state to the delegate if it has changed since the last time.
    func reportState() async {
        guard let serialization = state.takeChanged() else { return }
        await report(.stateUpdate(.init(stateSerialization: serialization)))
    }

    private func reportAccount() async throws {
        let user: CKRecord.ID?
        do {
            user = try await database.userRecordID()
        } catch let error as CKError where error.code == .notAuthenticated {
            user = nil
        }
        guard let change = state.setUser(user) else { return }
        sentTags.withLock { $0 = [:] }
        await report(.accountChange(.init(changeType: change)))
        await reportState()
    }
}

extension CKSyncEngine: CustomStringConvertible {
    /// The database, for logs.
    public var description: String { "<CKSyncEngine: \(database)>" }
}
