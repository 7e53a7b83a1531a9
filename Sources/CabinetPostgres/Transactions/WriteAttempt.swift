import Cabinet

/// The result of running some writes once.
enum WriteOutcome: Sendable {
    /// The transaction is durable. The array has the error of each write that was run; writes beyond its end have not begun.
    /// The number is that of the database's writes; `nil` if nothing has changed.
    case done([(any Error)?], number: Int64?)
    /// Nothing has changed, and retrying does not help.
    case failed(any Error)
    /// Nothing has changed, and retrying may succeed.
    case again(PostgresFailure)
    /// Nothing has changed, and a retry finds what was missing: it was created, or the cache was refreshed.
    case retryAfterDDL
    /// Nothing has changed, and the writes must be retried in transactions of their own.
    case retrySeparately
    /// The connection broke before the answer to the commit arrived.
    case unknown([(any Error)?], CommitMark, PostgresFailure)
}

/// An attempt to run some writes on one connection, one after the other in one transaction.
struct WriteAttempt {
    let database: DatabaseKey
    let starter: TransactionStarter
    let configuration: PostgresConfiguration
    let connection: Connection
    let writes: [WriteRequest]
    /// Whether a write that fails is rolled back alone.
    ///
    /// This costs each write a round trip and two more statements. Otherwise all are rolled back together, because writes
    /// rarely fail after they have changed something.
    let isIsolated: Bool
    /// The reads that had begun before this attempt.
    private let readOrder = ActiveSnapshots.shared.order

    private static let savepoint = "cabinet_write"

    /// Runs the bodies, and commits.
    func run() async -> WriteOutcome {
        let context: TransactionContext
        do {
            context = try starter.writing(database, on: connection)
        } catch {
            return undo(error, in: nil)
        }
        // The statements of a savepoint would separate those that can be sent together.
        context.write?.mayAssume = !isIsolated
        var errors: [(any Error)?] = []
        var hasChanges = false
        let start = ContinuousClock.now
        for write in writes where errors.isEmpty || ContinuousClock.now - start < configuration.groupTimeLimit {
            switch await run(write, context) {
            case .success(let error): errors.append(error)
            case .failure(let error): return undo(error, of: write, in: context)
            }
            hasChanges = hasChanges || context.write?.hasChanges == true
        }
        if let assumed = context.assumptions, !assumed.areChecked || !hasChanges {
            return undo(StaleSnapshot(), in: context)
        }
        guard hasChanges else {
            try? connection.rollback()
            return .done(errors, number: nil)
        }
        return await commit(context, errors)
    }

    /// Runs one write.
    ///
    /// - Returns: The error of the write, if it has left no changes; a failure if the transaction is lost.
    private func run(_ pending: WriteRequest, _ context: TransactionContext) async -> Result<(any Error)?, any Error> {
        context.write?.indexesMade = pending.indexesMade
        context.write?.hasChanges = false
        // Copy the state only if it may be restored, because a copy makes later changes more expensive.
        var before: TransactionContext.State?
        do {
            if isIsolated {
                try await context.ensureSnapshot()
                try connection.enqueue("SAVEPOINT \(Self.savepoint)")
                before = context.state
            }
        } catch {
            return .failure(error)
        }
        let session = Session(context)
        let thrown = await pending.task.run(in: PostgresTransaction(session: session))
        // A body may catch the error of a change and return normally, although the change is incomplete.
        var failure = await session.end()
        do {
            // Attribute the failures of this write's statements to this write.
            if isIsolated, failure == nil, thrown == nil { try await connection.answers() }
        } catch {
            failure = error
        }
        guard let error = failure ?? thrown else { return release(nil) }
        // The reason may be a wrong assumption.
        if context.assumptions != nil, !connection.isBroken { return .failure(StaleSnapshot()) }
        // Many writes only read and then throw, for instance on a conflict. They have no changes to roll back.
        if failure == nil, context.write?.hasChanges == false { return release(error) }
        guard let before, !Self.affectsAllWrites(error), !connection.isBroken else { return .failure(error) }
        do {
            try? await connection.answers()
            try connection.enqueue("ROLLBACK TO SAVEPOINT \(Self.savepoint)")
            try await connection.answers()
        } catch {
            return .failure(error)
        }
        context.restore(before)
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

    /// Whether the error concerns the whole transaction or something missing, so that all writes are run again.
    private static func affectsAllWrites(_ error: any Error) -> Bool {
        switch error {
        case let failure as PostgresFailure: failure.isConflict || failure.isTransient
        case is MissingSchema, is MissingSchemaRow, is StaleSnapshot: true
        default: false
        }
    }

    private func commit(_ context: TransactionContext, _ errors: [(any Error)?]) async -> WriteOutcome {
        let mark: CommitMark
        do {
            mark = try starter.prepareCommit(of: context)
        } catch {
            return undo(error, in: context)
        }
        ActiveSnapshots.shared.exclude(mark.number, of: starter.name(of: database), from: readOrder)
        let isConfirmed: Bool
        do {
            isConfirmed = try await starter.commit(context)
        } catch let failure as PostgresFailure where failure.isTransactionTimeout {
            // The server has rolled the write back before it received the commit.
            return undo(failure, in: context)
        } catch let failure as PostgresFailure
            where failure.isLoss || connection.isBroken && failure.state != "57014"
            || starter.schemaCache.isDistributed && failure.statement == "COMMIT"
        {
            // A statement may have failed before the connection broke, and a worker of Citus may have committed although the coordinator
            // reports a failure. The mark says what has become of the write.
            let loss = PostgresFailure(state: "08006", message: failure.message, server: connection.server)
            return .unknown(errors, mark, failure.isLoss ? failure : loss)
        } catch {
            return undo(error, in: context)
        }
        do {
            for name in context.write?.typesWithFewerIndexes ?? [] where !connection.isBroken {
                try connection.dropUnusedIndexes(of: name, in: starter.schemaCache, timeLimit: .seconds(1))
            }
            for recordType in starter.schemaCache.addInsertions(context.write?.insertedCounts ?? [:])
            where !connection.isBroken {
                if let table = context.catalog.tablesByType[recordType] { try connection.analyzeIfNew(table) }
            }
        } catch {
            // The write is committed. An index too many answers no query wrong, and the server itself collects missing statistics
            // within a minute.
            starter.schemaCache.upkeepFailure = error
        }
        // An error may be due to changes that may be lost, so every write gets the same answer.
        let results = isConfirmed ? errors : errors.map { _ in PostgresFailure.unconfirmed }
        return .done(results, number: mark.number)
    }

    /// Rolls the transaction back, and creates what it needs to be run again.
    ///
    /// - Parameters:
    ///   - error: The reason.
    ///   - write: The write that has failed, if it is known.
    ///   - context: The context; if it has not locked the database, running the writes separately does not help.
    private func undo(
        _ error: any Error, of write: WriteRequest? = nil, in context: TransactionContext?
    ) -> WriteOutcome {
        try? connection.rollback()
        let isAlone = writes.count == 1 || context?.row == nil
        if let failure = error as? PostgresFailure, context?.disproves(failure) == true { return .retryAfterDDL }
        do {
            if let requirement = error as? MissingSchema {
                try connection.create(requirement, in: starter.schemaCache, configuration: configuration)
                if requirement.makesIndexes { write?.recordIndexes(of: requirement.recordType) }
                // The others may need other objects: do not run all of them again for each of these.
                return isAlone ? .retryAfterDDL : .retrySeparately
            }
            if let row = error as? MissingSchemaRow {
                try row.add(on: connection, in: starter.schemaCache.schema)
                return .retryAfterDDL
            }
            if error is StaleSnapshot { return .retryAfterDDL }
            throw error
        } catch let failure as PostgresFailure {
            if failure.isConflict || failure.isTransient { return .again(failure) }
            return isAlone ? .failed(failure.error) : .retrySeparately
        } catch {
            return isAlone ? .failed(error) : .retrySeparately
        }
    }
}
