import Cabinet
import SQLSupport
import Synchronization

/// The use of a connection by one transaction: it ends with the transaction, even if a snapshot is still held.
// Unchecked, and safe: the context is reached only under the lock, and everything reached through it with it.
final class Session: @unchecked Sendable {
    private let lock = AsyncLock()
    private let snapshots: ActiveSnapshots
    /// Whether ``ActiveSnapshots`` will release the locks of this read.
    private let isToRelease = Atomic<Bool>(true)
    private var context: TransactionContext?
    private var failure: (any Error)?
    /// The writes that the snapshot must not include.
    let start: ReadStart
    /// The executor of calls that block.
    private let executor: BlockingExecutor

    init(_ context: TransactionContext, in snapshots: ActiveSnapshots = .shared) {
        self.context = context
        self.snapshots = snapshots
        start = context.start
        executor = context.connection.executor
    }

    /// Uses the context, excluding other callers.
    ///
    /// A statement that fails ends a write, which is then run again or rolled back; a read continues.
    ///
    /// - Parameters:
    ///   - isChange: Whether the body changes something. If it fails, the change may be incomplete, so the transaction
    ///     cannot succeed any more.
    ///   - blocks: Whether the body may block its thread, so that it runs on the connection's executor.
    func use<Output: Sendable>(
        isChange: Bool = false, blocks: Bool = true,
        _ body: @escaping @Sendable (TransactionContext) async throws -> Output
    ) async throws -> Output {
        if !blocks && ShortCalls.mayBlockExecutor || executor.isCurrent {
            return try await run(isChange: isChange, body)
        }
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
            let context = try usableView()
            do {
                return try await body(context)
            } catch {
                let error = record(error, context, isChange: isChange)
                await endCall(context)
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
        guard let context else { throw CabinetError.transactionIsOver }
        if let failure { throw Self.translated(failure) }
        return context
    }

    /// Records a failure.
    ///
    /// - Returns: The error for the caller.
    private func record(_ error: any Error, _ context: TransactionContext, isChange: Bool) -> any Error {
        // If the database is unchanged, a continued read goes on after a failed statement, as one with an explicit beginning does.
        if context.isContinued { context.settleIfConfirmed() }
        let mustRunAgain = error is PostgresFailure && (context.write != nil || !context.hasSnapshot)
        if isChange || mustRunAgain || error is StaleSnapshot || context.connection.isBroken {
            failure = error
        } else if error is PostgresFailure {
            // Reads continue from the savepoint after a failed statement.
            try? context.releaseLocks()
        }
        return Self.translated(error)
    }

    /// Completes a call that has failed for another reason than the server, so that the read can go on.
    private func endCall(_ context: TransactionContext) async {
        guard failure == nil, context.isInImplicitTransaction else { return }
        do {
            try await context.ensureSnapshot()
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
            guard let context, context.hasSnapshot else { return }
            // If this fails, the next use reports it.
            try? context.releaseLocks()
        }
    }

    /// Confirms the cached schema that the body of a read has used, unless a statement has confirmed it.
    ///
    /// A failure counts as that of the read's first call.
    func confirm() async {
        await lock.withLock {
            guard let context, failure == nil, context.isSpeculative else { return }
            do {
                try context.begin(isImplicit: true)
                try await context.awaitSnapshot()
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
            defer { context = nil }
            guard let context else { return failure }
            let isUnread = !context.hasSnapshot || failure is StaleSnapshot
            try? await context.endReading()
            return isUnread ? failure : nil
        }
    }

    /// Ends the use of the context.
    ///
    /// - Returns: The failure of the transaction, if it has failed.
    func end() async -> (any Error)? {
        await lock.withLock {
            context = nil
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
