public import Cabinet
import Synchronization

extension PostgresBackend {
    /// Runs a closure that changes one database, all or nothing, and returns when that is durable.
    ///
    /// Writes of one database that are asked for while another one is under way are committed together. If one of them fails, it fails
    /// alone.
    ///
    /// - Parameters:
    ///   - database: Which database to change.
    ///   - body: What to do in the transaction, which is not valid afterwards. It runs on a thread of the backend; it may be run
    ///     more than once, and only its last run counts.
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws; ``/Cabinet/CabinetError/Code/zoneBusy`` if others wrote to the database for longer than
    ///   ``PostgresConfiguration/busyTimeout``, ``/Cabinet/CabinetError/Code/quotaExceeded`` if the server's disk is full,
    ///   ``/Cabinet/CabinetError/Code/serverResponseLost`` if the connection broke during the commit and it cannot be found out
    ///   whether it succeeded, ``/Cabinet/CabinetError/Code/operationCancelled`` if the task was cancelled before the closure began,
    ///   and what ``read(_:_:)`` throws about the server.
    public func write<Result: Sendable>(
        _ database: DatabaseKey,
        _ body: @escaping @Sendable (any StorageTransaction) async throws -> Result
    ) async throws -> Result {
        try activity.begin()
        defer { activity.end() }
        let job = BodyJob(body)
        let write = PendingWrite(job)
        return try await withTaskCancellationHandler {
            let mustSeeToOthers: Bool
            if lines.begin(database) {
                // Nobody is in the way: here it takes a hop less.
                await commit([write], to: database)
                mustSeeToOthers = lines.end(database)
            } else {
                mustSeeToOthers = lines.add(write, to: database)
            }
            if mustSeeToOthers { Task.detached { await self.drainLine(of: database) } }
            return try await job.result
        } onCancel: {
            // Not while the body runs: what was begun is finished.
            job.giveUp(ConnectionPool.cancellation)
        }
    }

    /// Commits the writes that wait, and those that come meanwhile.
    private func drainLine(of database: DatabaseKey) async {
        while true {
            let writes = lines.next(database)
            if writes.isEmpty { return }
            await commit(writes, to: database)
        }
    }

    /// Runs writes, all in one transaction, and ends them when that is durable.
    ///
    /// If one fails after it has changed something, all are run again, so that it is undone alone. If they cannot be committed together
    /// at all, each gets a transaction of its own, so that only those fail that must.
    private func commit(_ writes: [PendingWrite], to database: DatabaseKey) async {
        if await commit(writes, to: database, isIsolated: false) { return }
        if await commit(writes, to: database, isIsolated: true) { return }
        for write in writes { _ = await commit([write], to: database, isIsolated: false) }
    }

    /// Runs writes in one transaction, again and again as long as that may help.
    ///
    /// - Returns: Whether they are ended; one alone always is.
    private func commit(_ writes: [PendingWrite], to database: DatabaseKey, isIsolated: Bool) async -> Bool {
        var writes = writes
        var clock = RetryClock(configuration)
        var preparations = 0
        do {
            while true {
                let worker = try await pool.take()
                writes = writes.filter { $0.job.begin() }
                if writes.isEmpty {
                    pool.giveBack(worker)
                    return true
                }
                let outcome = await withTaskExecutorPreference(worker.executor) { [writes] in
                    await self.attempt(writes, database, on: worker, isIsolated: isIsolated)
                }
                pool.giveBack(worker)
                switch outcome {
                case .done(let errors):
                    signals.signal(database)
                    Self.finish(&writes, errors)
                    clock = RetryClock(configuration)
                    preparations = 0
                case .failed(let error): throw error
                case .apart: return false
                case .prepared:
                    // Each time something is there that was not; should it not be found, it would never end.
                    preparations += 1
                    guard preparations < 1000 else {
                        throw PostgresFailure.damaged("cabinet_column names columns that are not found")
                    }
                case .again: break
                case .unknown(let errors, let mark, let failure):
                    do {
                        guard try await isCommitted(mark, database, after: failure) else { break }
                        signals.signal(database)
                        Self.finish(&writes, errors)
                    } catch {
                        // What each has thrown may be so only because of what those before have done.
                        Self.finish(&writes, errors.map { _ in error })
                    }
                }
                if writes.isEmpty { return true }
                for write in writes { write.job.pause() }
                if case .again(let failure) = outcome {
                    try await clock.wait(after: failure, isReachable: wasReached.load(ordering: .relaxed))
                }
            }
        } catch {
            for write in writes { write.job.finish(error) }
            return true
        }
    }

    /// Ends the writes that were run; the others wait for the next transaction.
    private static func finish(_ writes: inout [PendingWrite], _ errors: [(any Error)?]) {
        for (write, error) in zip(writes, errors) { write.job.finish(error) }
        writes.removeFirst(min(errors.count, writes.count))
    }

    private func attempt(
        _ writes: [PendingWrite], _ database: DatabaseKey, on worker: Worker, isIsolated: Bool
    ) async -> WriteOutcome {
        defer { worker.finish() }
        let connection: Connection
        do {
            connection = try worker.connected()
            wasReached.store(true, ordering: .relaxed)
        } catch let failure as PostgresFailure {
            return .again(failure)
        } catch {
            return .failed(error)
        }
        let attempt = WriteAttempt(
            database: database, store: store, configuration: configuration, connection: connection,
            executor: worker.executor, writes: writes, isIsolated: isIsolated)
        return await attempt.run()
    }

    /// Finds out whether a write was committed whose answer was lost.
    ///
    /// - Throws: ``/Cabinet/CabinetError/Code/serverResponseLost`` if that cannot be found out.
    private func isCommitted(
        _ mark: CommitMark, _ database: DatabaseKey, after failure: PostgresFailure
    ) async throws -> Bool {
        var clock = RetryClock(configuration)
        var last = failure
        while true {
            do {
                try await clock.wait(after: last)
                let worker = try await pool.take()
                defer { pool.giveBack(worker) }
                let known = try await withTaskExecutorPreference(worker.executor) { [store] in
                    defer { worker.finish() }
                    return try store.isCommitted(mark, database, on: worker.connected())
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
            "The connection to the PostgreSQL server broke during the commit, and it could not be found out whether the changes "
                + "were saved. Fetch the records, and save again what is missing.", underlyingError: cause)
    }
}
