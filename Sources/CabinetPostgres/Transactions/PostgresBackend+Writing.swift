public import Cabinet
import Synchronization

extension PostgresBackend {
    /// Runs a closure that changes one database in a transaction, and returns once the changes are durable.
    ///
    /// Concurrent writes of one database are committed together. If one of them fails, the others are not affected.
    ///
    /// - Parameters:
    ///   - database: The database to change.
    ///   - body: A closure that uses the transaction, which is valid only while it runs. It runs on a thread of the backend. It
    ///     may run more than once, and only its last run counts.
    /// - Returns: The result of the closure.
    /// - Throws: The closure's error, or a server error as ``read(_:_:)`` does; ``/Cabinet/CabinetError/Code/zoneBusy`` if
    ///   other writers kept the database busy for longer than ``PostgresConfiguration/busyTimeout``;
    ///   ``/Cabinet/CabinetError/Code/quotaExceeded`` if the server's disk is full;
    ///   ``/Cabinet/CabinetError/Code/serverResponseLost`` if the connection broke during the commit and its result cannot be
    ///   determined, or if no synchronous standby confirmed it in time;
    ///   ``/Cabinet/CabinetError/Code/operationCancelled`` if the task was cancelled before the closure began.
    public func write<Result: Sendable>(
        _ database: DatabaseKey,
        _ body: @escaping @Sendable (any StorageTransaction) async throws -> Result
    ) async throws -> Result {
        try await change(database) { try await body($0) }
    }

    /// Runs a closure with a transaction of this backend, as ``write(_:_:)`` does.
    func change<Output: Sendable>(
        _ database: DatabaseKey, _ body: @escaping @Sendable (PostgresTransaction) async throws -> Output
    ) async throws -> Output {
        try await transactions.take()
        defer { transactions.giveBack(()) }
        return try await WriteTask<PostgresTransaction>.run(body) { task in
            let write = WriteRequest(task)
            let areOthersWaiting: Bool
            if scheduler.begin(database) {
                // No other write is under way: committing here saves a change of executor.
                await commit([write], to: database)
                areOthersWaiting = scheduler.end(database)
            } else {
                areOthersWaiting = scheduler.add(write, to: database)
            }
            if areOthersWaiting { Task.detached { await self.drainWrites(of: database) } }
        }
    }

    /// Commits the waiting writes, including those that arrive during the commits.
    private func drainWrites(of database: DatabaseKey) async {
        while true {
            let writes = scheduler.next(database)
            if writes.isEmpty { return }
            await commit(writes, to: database)
        }
    }

    /// Runs writes in one transaction, and finishes them once it is durable.
    ///
    /// If a write fails after it has changed something, all are run again with savepoints, so that it is rolled back alone. If
    /// they cannot be committed together, each gets a transaction of its own, and only the failing ones fail.
    private func commit(_ writes: [WriteRequest], to database: DatabaseKey) async {
        if await commit(writes, to: database, isIsolated: false) { return }
        if await commit(writes, to: database, isIsolated: true) { return }
        for write in writes { _ = await commit([write], to: database, isIsolated: false) }
    }

    /// Runs writes in one transaction, and retries while that may help.
    ///
    /// - Returns: Whether the writes are finished; a single write always is.
    private func commit(_ writes: [WriteRequest], to database: DatabaseKey, isIsolated: Bool) async -> Bool {
        var writes = writes
        var clock = RetryClock(configuration)
        var attempts = 0
        do {
            while true {
                let pooled = try await pool.take()
                writes = writes.filter { $0.task.begin() }
                if writes.isEmpty {
                    pool.giveBack(pooled)
                    return true
                }
                let outcome = await withTaskExecutorPreference(pooled.executor) { [writes] in
                    await self.attempt(writes, database, on: pooled, isIsolated: isIsolated)
                }
                pool.giveBack(pooled)
                switch outcome {
                case .done(let errors, let number):
                    if let number { signal(database, number: number) }
                    Self.finish(&writes, errors)
                    clock = RetryClock(configuration)
                    attempts = 0
                case .failed(let error): throw error
                case .retrySeparately: return false
                case .retryAfterDDL:
                    // Each attempt creates something that was missing. The limit prevents an endless loop if it still cannot be
                    // found.
                    attempts += 1
                    guard attempts < 1000 else {
                        throw PostgresFailure.damaged("cabinet_column names columns that do not exist")
                    }
                case .again: break
                case .unknown(let errors, let mark, let failure):
                    do {
                        guard try await isCommitted(mark, database, after: failure) else { break }
                        signal(database, number: mark.number)
                        Self.finish(&writes, errors)
                    } catch {
                        // A write may have thrown only because of the changes of the writes before it.
                        Self.finish(&writes, errors.map { _ in error })
                    }
                }
                if writes.isEmpty { return true }
                for write in writes { write.task.pause() }
                if case .again(let failure) = outcome {
                    try await clock.wait(after: failure, isReachable: wasReached.load(ordering: .relaxed))
                }
            }
        } catch {
            for write in writes { write.task.finish(error) }
            return true
        }
    }

    /// Finishes the writes that were run; the others wait for the next transaction.
    private static func finish(_ writes: inout [WriteRequest], _ errors: [(any Error)?]) {
        for (write, error) in zip(writes, errors) { write.task.finish(error) }
        writes.removeFirst(min(errors.count, writes.count))
    }

    private func attempt(
        _ writes: [WriteRequest], _ database: DatabaseKey, on pooled: PooledConnection, isIsolated: Bool
    ) async -> WriteOutcome {
        defer { pooled.finish() }
        let connection: Connection
        do {
            connection = try await pooled.connected()
            wasReached.store(true, ordering: .relaxed)
        } catch let failure as PostgresFailure {
            return .again(failure)
        } catch {
            return .failed(error)
        }
        let attempt = WriteAttempt(
            database: database, starter: starter, configuration: configuration, connection: connection,
            writes: writes, isIsolated: isIsolated)
        return await attempt.run()
    }

    /// Determines whether a write was committed whose answer was lost.
    ///
    /// - Throws: ``/Cabinet/CabinetError/Code/serverResponseLost`` if that cannot be determined.
    private func isCommitted(
        _ mark: CommitMark, _ database: DatabaseKey, after failure: PostgresFailure
    ) async throws -> Bool {
        var clock = RetryClock(configuration)
        var last = failure
        while true {
            do {
                try await clock.wait(after: last)
                let pooled = try await pool.take()
                defer { pool.giveBack(pooled) }
                let known = try await withTaskExecutorPreference(pooled.executor) { [starter] in
                    defer { pooled.finish() }
                    return try await starter.isCommitted(mark, database, on: pooled.connected())
                }
                if let known { return known }
                throw Self.responseLost(nil)
            } catch let failure as PostgresFailure {
                last = failure
            } catch let error as CabinetError where error.code == .serverResponseLost {
                throw error
            } catch {
                throw Self.responseLost(error)
            }
        }
    }

    private static func responseLost(_ cause: (any Error)?) -> CabinetError {
        CabinetError(
            .serverResponseLost,
            "The connection to the PostgreSQL server broke during the commit, and Cabinet could not determine whether the "
                + "changes were saved. Fetch the records, and save the missing changes again.", underlyingError: cause)
    }
}
