import Cabinet
import SQLSupport
import Synchronization

/// The use of a connection by one transaction: it ends with the transaction, even if a snapshot is still held.
// Unchecked, and safe: the view is reached only under the lock, and everything reached through it with it.
final class Session: @unchecked Sendable {
    private let lock = AsyncLock()
    private let snapshots: ActiveSnapshots
    /// Whether ``ActiveSnapshots`` will release the locks of this read.
    private let isToRelease = Atomic<Bool>(true)
    private var view: TransactionContext?
    private var failure: (any Error)?
    /// The writes that the snapshot must not include.
    let start: ReadStart
    /// The executor on which calls may wait for the server.
    let executor: BlockingExecutor

    init(_ view: TransactionContext, executor: BlockingExecutor, in snapshots: ActiveSnapshots = .shared) {
        self.view = view
        self.snapshots = snapshots
        start = view.start
        self.executor = executor
    }

    /// Uses the context on the connection's thread, excluding other callers.
    ///
    /// A statement that fails ends a write, which is then run again or rolled back; a read continues. The body of a transaction
    /// runs on that thread already, but a task that it starts may run elsewhere.
    ///
    /// - Parameter isChange: Whether the body changes something. If it fails, the change may be incomplete, so the transaction
    ///   cannot succeed any more.
    func use<Output: Sendable>(
        isChange: Bool = false, _ body: @escaping @Sendable (TransactionContext) async throws -> Output
    ) async throws -> Output {
        if executor.isCurrent { return try await run(isChange: isChange, body) }
        let meter = WorkMeter.current
        return try await Task.detached(executorPreference: executor) {
            try await WorkMeter.$current.withValue(meter) { try await self.run(isChange: isChange, body) }
        }.value
    }

    private func run<Output>(
        isChange: Bool, _ body: (TransactionContext) async throws -> Output
    ) async throws -> Output {
        defer { watch() }
        return try await lock.withLock {
            let view = try usableView()
            do {
                return try await body(view)
            } catch {
                let error = record(error, view, isChange: isChange)
                await endCall(view)
                throw error
            }
        }
    }

    /// Has the locks released that the server holds for a read that was used again.
    private func watch() {
        guard !isToRelease.load(ordering: .sequentiallyConsistent) else { return }
        isToRelease.store(true, ordering: .sequentiallyConsistent)
        snapshots.watch()
    }

    private func usableView() throws -> TransactionContext {
        guard let view else { throw CabinetError.transactionIsOver }
        if let failure { throw Self.translated(failure) }
        return view
    }

    /// Records a failure.
    ///
    /// - Returns: The error for the caller.
    private func record(_ error: any Error, _ view: TransactionContext, isChange: Bool) -> any Error {
        // If the database is unchanged, a continued read goes on after a failed statement, as one with an explicit beginning does.
        if view.isContinued { view.settleIfConfirmed() }
        let mustRunAgain = error is PostgresFailure && (view.write != nil || !view.hasSnapshot)
        if isChange || mustRunAgain || error is StaleSnapshot || view.connection.isBroken {
            failure = error
        } else if error is PostgresFailure {
            // Reads continue from the savepoint after a failed statement.
            try? view.releaseLocks()
        }
        return Self.translated(error)
    }

    /// Completes a call that has failed for another reason than the server, so that the read can go on.
    private func endCall(_ view: TransactionContext) async {
        guard failure == nil, view.isInImplicitTransaction else { return }
        do {
            try await view.ensureSnapshot()
        } catch {
            failure = error
        }
    }

    /// Whether ``ActiveSnapshots`` is to call ``releaseLocks()``.
    var isWatched: Bool { isToRelease.load(ordering: .sequentiallyConsistent) }

    /// Releases the locks of a read.
    ///
    /// If a caller is using the read, its locks are released after that. A read that is not used again takes no more locks.
    func releaseLocks() {
        isToRelease.store(false, ordering: .sequentiallyConsistent)
        lock.withLockIfFree {
            guard let view, view.hasSnapshot else { return }
            // If this fails, the next use reports it.
            try? view.releaseLocks()
        }
    }

    /// Confirms the cached schema that the body of a read has used, unless a statement has confirmed it.
    ///
    /// A failure counts as that of the read's first call.
    func confirm() async {
        await lock.withLock {
            guard let view, failure == nil, view.isSpeculative else { return }
            do {
                try view.begin(isImplicit: true)
                try await view.awaitSnapshot()
            } catch {
                failure = error
            }
        }
    }

    /// Ends a read, without waiting for the server's answer.
    ///
    /// - Returns: The failure of the read's first call, after which it can be run again; `nil` if that call succeeded.
    func endReading() async -> (any Error)? {
        await lock.withLock {
            defer { view = nil }
            guard let view else { return failure }
            let isUnread = !view.hasSnapshot || failure is StaleSnapshot
            try? await view.endReading()
            return isUnread ? failure : nil
        }
    }

    /// Ends the use of the context.
    ///
    /// - Returns: The failure of the transaction, if it has failed.
    func end() async -> (any Error)? {
        await lock.withLock {
            view = nil
            return failure
        }
    }

    /// Returns the error for the caller that corresponds to an error of this module.
    static func translated(_ error: any Error) -> any Error {
        switch error {
        case let failure as PostgresFailure: failure.error
        case is MissingSchema, is MissingSchemaRow, is StaleSnapshot:
            CabinetError(
                .zoneBusy, "The tables are being changed. The transaction is run again.",
                retryAfterSeconds: 0)
        default: error
        }
    }
}
