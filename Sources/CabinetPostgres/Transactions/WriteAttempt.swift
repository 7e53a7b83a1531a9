import Cabinet

/// How one run of a write has ended.
enum WriteOutcome<Result: Sendable>: Sendable {
    case done(Result)
    case failed(any Error)
    /// Nothing has changed, and it may succeed if it is run again.
    case again(PostgresFailure)
    /// What it needed is there now, or known.
    case prepared
    /// The connection broke before the answer to the commit came.
    case unknown(Result, CommitMark, PostgresFailure)
}

/// One run of a write on one connection.
struct WriteAttempt {
    let database: DatabaseKey
    let store: DatabaseStore
    let configuration: PostgresConfiguration
    let connection: Connection
    /// The executor that it runs on.
    let executor: BlockingExecutor
    /// The record types whose indexes were made for the write already.
    var indexesMade: Set<Record.RecordType>

    /// Runs the body, and commits.
    mutating func run<Result: Sendable>(
        _ body: @escaping @Sendable (any StorageTransaction) async throws -> Result
    ) async -> WriteOutcome<Result> {
        let view: DatabaseView
        do {
            view = try store.beginWriting(database, on: connection)
        } catch {
            return undo(error)
        }
        view.write?.indexesMade = indexesMade
        let session = Session(view, executor: executor)
        let result: Result
        do {
            result = try await body(PostgresTransaction(session: session))
        } catch {
            return undo(session.end() ?? error)
        }
        // A body may catch what a change throws and return as if nothing had happened; half of the change may be done.
        if let failure = session.end() { return undo(failure) }
        guard view.write?.hasChanges == true else {
            try? connection.rollback()
            return .done(result)
        }
        return commit(view, result)
    }

    private mutating func commit<Result: Sendable>(_ view: DatabaseView, _ result: Result) -> WriteOutcome<Result> {
        let mark: CommitMark
        do {
            mark = try store.prepareCommit(of: view, database)
        } catch {
            return undo(error)
        }
        do {
            try store.commit(view, database)
        } catch let failure as PostgresFailure where connection.isBroken || failure.isLoss {
            return .unknown(result, mark, failure)
        } catch {
            return undo(error)
        }
        for recordType in view.write?.typesWithFewerIndexes ?? [] {
            // An index too many answers no query wrong.
            try? connection.dropUnusedIndexes(of: recordType, in: store.catalogs, timeLimit: .seconds(1))
        }
        return .done(result)
    }

    /// Ends the transaction without changes, and does what it needs to be run again.
    private mutating func undo<Result: Sendable>(_ error: any Error) -> WriteOutcome<Result> {
        try? connection.rollback()
        do {
            if let requirement = error as? SchemaRequirement {
                try connection.meet(requirement, in: store.catalogs, configuration: configuration)
                if requirement.indexes != nil { indexesMade.insert(requirement.recordType) }
                return .prepared
            }
            if error is WrongGuess {
                store.forget(database)
                return .prepared
            }
            throw error
        } catch let failure as PostgresFailure {
            if failure.isConflict || failure.isTransient { return .again(failure) }
            return .failed(failure.error)
        } catch {
            return .failed(error)
        }
    }
}
