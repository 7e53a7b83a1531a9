import Synchronization

/// An engine that keeps the records of a program and those of a database in step.
///
/// The program reports what has changed here, through ``State``, and its delegate receives what has changed elsewhere, as
/// ``Event``. The delegate stores ``State/Serialization`` with its records, so that the engine continues after a restart.
///
/// ```swift
/// let engine = SyncEngine(
///     SyncEngine.Configuration(
///         database: container.privateDatabase,
///         stateSerialization: stored, delegate: notes))
/// engine.state.add(pendingRecordZoneChanges: [.saveRecord(note.id)])
/// ```
///
/// With ``Configuration/automaticallySync``, the engine sends and fetches by itself: soon after a change is added, when another
/// device has saved, and again after a failure that passes. Otherwise, and in tests, the program calls ``sendChanges(_:)`` and
/// ``fetchChanges(_:)``. See <doc:SyncEngines>.
public final class SyncEngine: Sendable {
    /// The database.
    public let database: Database

    /// The changes that are to be sent and fetched.
    public let state: State

    private struct Link: Sendable {
        weak var delegate: (any SyncEngineDelegate)?
    }

    private let link: Link
    private let sends = AsyncLock()
    private let events = AsyncLock()
    private let tasks = Mutex<[Int: Task<Void, any Error>]>([:])
    private let taskCount = Mutex(0)
    private let isReportScheduled = Mutex(false)
    private let schedule: SyncSchedule
    private let scheduler: SyncScheduler?

    /// The largest number of records in a page that is fetched, or `nil` for what the database returns.
    let pageSize: Int?

    /// The records that this engine has sent and not fetched since, with their change tags.
    let sentTags = Mutex<[RecordID: String]>([:])

    /// The calls of delegates in which the current task runs, or was started, the outermost first.
    @TaskLocal static var delegateCalls: [DelegateCall] = []

    /// Creates an engine, which continues with the configuration's state.
    ///
    /// - Parameter configuration: The database, the state, the delegate and whether the engine works by itself.
    public convenience init(_ configuration: Configuration) {
        self.init(configuration, schedule: SyncSchedule())
    }

    init(_ configuration: Configuration, schedule: SyncSchedule, pageSize: Int? = nil) {
        self.schedule = schedule
        self.pageSize = pageSize
        database = configuration.database
        state = State(configuration.stateSerialization)
        link = Link(delegate: configuration.delegate)
        let scheduler = configuration.automaticallySync ? SyncScheduler(schedule) : nil
        self.scheduler = scheduler
        state.onChange { [weak self] isAddition in
            self?.scheduleStateReport()
            if isAddition { scheduler?.requestSend() }
        }
        scheduler?.start(for: self, subscriptionID: configuration.subscriptionID ?? "cabinet-sync-engine")
    }

    deinit {
        scheduler?.stop()
    }

    /// Fetches what has changed in the database, and passes it to the delegate.
    ///
    /// - Parameter options: The zones to fetch.
    /// - Throws: The errors of ``Database/databaseChanges(since:resultsLimit:)`` and
    ///   ``Database/recordZoneChanges(inZoneWith:since:desiredKeys:resultsLimit:)``. An expired token is not an error: the
    ///   engine begins again without one. The failure of one zone is thrown after the other zones were fetched, unless it is
    ///   one of the whole service or account. ``CabinetError/Code/invalidArguments`` if the delegate awaits this method while
    ///   it handles an event; a task that it starts and does not await may call it. A detached task is not recognized as one
    ///   of the delegate: if the delegate awaits it, neither ends.
    public func fetchChanges(_ options: FetchChangesOptions = FetchChangesOptions()) async throws {
        try await fetch(FetchChangesContext(reason: .manual, options: options))
    }

    /// Sends what has changed here, and passes the results to the delegate.
    ///
    /// - Parameter options: The records to send.
    /// - Throws: ``CabinetError/Code/partialFailure`` if a record or zone failed; the delegate receives the details. The errors
    ///   of whole requests, after which everything is still pending. ``CabinetError/Code/invalidArguments`` if the delegate
    ///   awaits this method while it handles an event, as for ``fetchChanges(_:)``.
    public func sendChanges(_ options: SendChangesOptions = SendChangesOptions()) async throws {
        try await send(SendChangesContext(reason: .manual, options: options))
    }

    /// Cancels what is being sent and fetched, and waits for its end.
    ///
    /// While the engine's delegate handles an event, it and the tasks that it has started do not wait: what is being sent or
    /// fetched ends after the delegate has returned.
    public func cancelOperations() async {
        let running = tasks.withLock { Array($0.values) }
        for task in running { task.cancel() }
        if Self.delegateCalls.contains(where: { $0.isActive && $0.isOfDelegate(of: self) }) { return }
        for task in running { _ = await task.result }
    }
}

extension SyncEngine {
    /// The largest number of sent records that are remembered.
    ///
    /// Others return with the next fetch, like those of other devices.
    static let maximumSentTags = 10_000

    /// Remembers records that were sent, so that the next fetch leaves them out.
    func rememberSent(_ records: [Record]) {
        sentTags.withLock { tags in
            for record in records {
                if tags.count == Self.maximumSentTags { tags = [:] }
                tags[record.recordID] = record.recordChangeTag ?? ""
            }
        }
    }

    /// Forgets the sent records of a zone, so that the next fetch returns them too.
    func forgetSent(in zoneID: RecordZone.ID) {
        sentTags.withLock { tags in tags = tags.filter { $0.key.zoneID != zoneID } }
    }

    func fetch(_ context: FetchChangesContext) async throws {
        try await run { engine in
            let options = await engine.callDelegate { await $0.nextFetchChangesOptions(context, syncEngine: engine) }
            let context = FetchChangesContext(reason: context.reason, options: options ?? context.options)
            try await SyncFetch(engine: engine, context: context).run()
        }
    }

    func send(_ context: SendChangesContext) async throws {
        try await run { try await SyncSend(engine: $0, context: context).run() }
    }

    func nextBatch(_ context: SendChangesContext) async -> RecordZoneChangeBatch? {
        await callDelegate { await $0.nextRecordZoneChangeBatch(context, syncEngine: self) } ?? nil
    }

    /// Runs one fetch or send after the other.
    private func run(_ body: @escaping @Sendable (SyncEngine) async throws -> Void) async throws {
        for call in Self.delegateCalls { try await call.waitForEnd(ifOf: self) }
        let id = taskCount.withLock { count in
            count += 1
            return count
        }
        let task = Task {
            try await sends.withLockUnlessCancelled {
                try Task.checkCancellation()
                await reportAccount()
                try await body(self)
            }
        }
        tasks.withLock { $0[id] = task }
        defer { tasks.withLock { $0[id] = nil } }
        do {
            try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        } catch is CancellationError {
            throw CabinetError(.operationCancelled, "The task was cancelled while changes were sent or fetched.")
        }
    }
}

extension SyncEngine {
    /// Calls the delegate, one call after the other.
    private func callDelegate<Result: Sendable>(
        _ body: (any SyncEngineDelegate) async -> Result
    ) async -> Result? {
        await events.withLock { await callWithinLock(body) }
    }

    private func callWithinLock<Result: Sendable>(
        _ body: (any SyncEngineDelegate) async -> Result
    ) async -> Result? {
        guard let delegate = link.delegate else { return nil }
        let call = DelegateCall(of: self)
        defer { call.end() }
        // A task that a delegate has started may outlive the call, and start others.
        let calls = Self.delegateCalls.filter(\.isActive) + [call]
        return await Self.$delegateCalls.withValue(calls) { await body(delegate) }
    }

    /// Passes an event to the delegate.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - change: The change of the state that belongs to the event. No state with it is reported before the event was
    ///     handled: a program that ends in between would lose the event.
    func report(_ event: Event, changing change: (inout State.Content) -> Void = { _ in }) async {
        await events.withLock {
            state.change(change)
            _ = await callWithinLock { await $0.handleEvent(event, syncEngine: self) }
        }
    }

    /// Passes the state to the delegate if it has changed since the last time.
    func reportState() async {
        await events.withLock {
            guard let serialization = state.takeChanged() else { return }
            let event = Event.stateUpdate(.init(stateSerialization: serialization))
            _ = await callWithinLock { await $0.handleEvent(event, syncEngine: self) }
        }
    }

    /// Reports the state soon, because the program has changed it.
    private func scheduleStateReport() {
        let isFirst = isReportScheduled.withLock { isScheduled in
            defer { isScheduled = true }
            return !isScheduled
        }
        guard isFirst else { return }
        schedule.run { [weak self] in
            guard let self else { return }
            isReportScheduled.withLock { $0 = false }
            await reportState()
        }
    }

    private func reportAccount() async {
        let user = database.client.userRecordName.map { RecordID(recordName: $0) }
        await events.withLock {
            guard let change = state.setUser(user) else { return }
            sentTags.withLock { $0 = [:] }
            let event = Event.accountChange(.init(changeType: change))
            _ = await callWithinLock { await $0.handleEvent(event, syncEngine: self) }
        }
        await reportState()
    }
}

extension SyncEngine: CustomStringConvertible {
    /// The database, for logs.
    public var description: String { "Sync engine of \(database)" }
}
