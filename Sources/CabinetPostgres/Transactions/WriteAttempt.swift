import Cabinet

/// How one run of some writes has ended.
enum WriteOutcome: Sendable {
    /// The transaction is durable; of each write, what it threw. Those that are left have not begun.
    case done([(any Error)?])
    /// Nothing has changed, and nothing would if it were run again.
    case failed(any Error)
    /// Nothing has changed, and it may succeed if it is run again.
    case again(PostgresFailure)
    /// What it needed is there now, or known.
    case prepared
    /// Nothing has changed, and not all of the writes can be committed together.
    case apart
    /// The connection broke before the answer to the commit came.
    case unknown([(any Error)?], CommitMark, PostgresFailure)
}

/// One run of some writes on one connection, one after the other and in one transaction.
struct WriteAttempt {
    let database: DatabaseKey
    let store: TransactionStarter
    let configuration: PostgresConfiguration
    let connection: Connection
    /// The executor that it runs on.
    let executor: BlockingExecutor
    let writes: [WriteRequest]
    /// Whether a write that fails is undone alone.
    ///
    /// That costs each of them a round trip and two statements more. Otherwise all are undone with it: nearly no write fails after it
    /// has changed something.
    let isIsolated: Bool
    /// The reads that have begun before.
    private let readOrder = ActiveSnapshots.shared.order

    private static let savepoint = "cabinet_write"

    /// Runs the bodies, and commits.
    func run() async -> WriteOutcome {
        let view: TransactionContext
        do {
            view = try store.writing(database, on: connection)
        } catch {
            return undo(error, hasBegun: false)
        }
        var errors: [(any Error)?] = []
        var hasChanges = false
        let start = ContinuousClock.now
        for write in writes where errors.isEmpty || ContinuousClock.now - start < configuration.groupTimeLimit {
            switch await run(write, view) {
            case .success(let error): errors.append(error)
            case .failure(let error): return undo(error, of: write, hasBegun: view.row != nil)
            }
            hasChanges = hasChanges || view.write?.hasChanges == true
        }
        guard hasChanges else {
            try? connection.rollback()
            return .done(errors)
        }
        return commit(view, errors)
    }

    /// Runs one write.
    ///
    /// - Returns: What the write threw, if nothing is left of it; a failure if the transaction is lost.
    private func run(_ pending: WriteRequest, _ view: TransactionContext) async -> Result<(any Error)?, any Error> {
        view.write?.indexesMade = pending.indexesMade
        view.write?.hasChanges = false
        // Otherwise nobody goes back, and what is known would only be copied when it changes.
        var before: TransactionContext.State?
        do {
            if isIsolated {
                try view.ensureSnapshot()
                try connection.enqueue("SAVEPOINT \(Self.savepoint)")
                before = view.state
            }
        } catch {
            return .failure(error)
        }
        let session = Session(view, executor: executor)
        let thrown = await pending.task.run(in: PostgresTransaction(session: session))
        // A body may catch what a change throws and return as if nothing had happened; half of the change may be done.
        var failure = session.end()
        do {
            // What another write's statement has failed of must not be taken for this one's.
            if isIsolated, failure == nil, thrown == nil { try connection.flush() }
        } catch {
            failure = error
        }
        guard let error = failure ?? thrown else { return release(nil) }
        // Many writes throw because of what they have read: another one was quicker. There is nothing to undo.
        if failure == nil, view.write?.hasChanges == false { return release(error) }
        guard let before, !Self.isOfAll(error), !connection.isBroken else { return .failure(error) }
        do {
            try? connection.flush()
            try connection.enqueue("ROLLBACK TO SAVEPOINT \(Self.savepoint)")
            try connection.flush()
        } catch {
            return .failure(error)
        }
        view.restore(before)
        return release(Session.translated(error))
    }

    private func release(_ error: (any Error)?) -> Result<(any Error)?, any Error> {
        guard isIsolated else { return .success(error) }
        do {
            try connection.enqueue("RELEASE SAVEPOINT \(Self.savepoint)")
            return .success(error)
        } catch {
            return .failure(error)
        }
    }

    /// Whether what has failed is the transaction, or something that it needs is missing, so that it is run again.
    private static func isOfAll(_ error: any Error) -> Bool {
        switch error {
        case let failure as PostgresFailure: failure.isConflict || failure.isTransient
        case is MissingSchema, is StaleSnapshot: true
        default: false
        }
    }

    private func commit(_ view: TransactionContext, _ errors: [(any Error)?]) -> WriteOutcome {
        let mark: CommitMark
        do {
            mark = try store.prepareCommit(of: view)
        } catch {
            return undo(error, hasBegun: true)
        }
        ActiveSnapshots.shared.exclude(mark.number, of: store.name(of: database), from: readOrder)
        let isConfirmed: Bool
        do {
            isConfirmed = try store.commit(view)
        } catch let failure as PostgresFailure where failure.isLoss || connection.isBroken && failure.state != "57014" {
            return .unknown(errors, mark, failure)
        } catch {
            return undo(error, hasBegun: true)
        }
        for recordType in view.write?.typesWithFewerIndexes ?? [] where !connection.isBroken {
            // An index too many answers no query wrong.
            try? connection.dropUnusedIndexes(of: recordType, in: store.catalogs, timeLimit: .seconds(1))
        }
        for recordType in store.catalogs.addInsertions(view.write?.insertedCounts ?? [:]) where !connection.isBroken {
            // Without statistics, queries are slower, and the server collects them within a minute.
            if let table = view.catalog.tablesByType[recordType] { try? connection.analyzeIfNew(table) }
        }
        // What each has thrown may be so only because of what may be lost.
        return .done(isConfirmed ? errors : errors.map { _ in PostgresFailure.unconfirmed })
    }

    /// Ends the transaction without changes, and does what it needs to be run again.
    ///
    /// - Parameters:
    ///   - error: Why.
    ///   - write: The write that has failed, if it is known.
    ///   - hasBegun: Whether the database was locked; if not, no write alone would do better.
    private func undo(_ error: any Error, of write: WriteRequest? = nil, hasBegun: Bool) -> WriteOutcome {
        try? connection.rollback()
        let isAlone = writes.count == 1 || !hasBegun
        do {
            if let requirement = error as? MissingSchema {
                try connection.meet(requirement, in: store.catalogs, configuration: configuration)
                if requirement.indexes != nil { write?.noteIndexes(of: requirement.recordType) }
                // Another one may need something else: not all of them are run again for each of these.
                return isAlone ? .prepared : .apart
            }
            if error is StaleSnapshot { return .prepared }
            throw error
        } catch let failure as PostgresFailure {
            if failure.isConflict || failure.isTransient { return .again(failure) }
            return isAlone ? .failed(failure.error) : .apart
        } catch {
            return isAlone ? .failed(error) : .apart
        }
    }
}
