/// The limits of the work of requests, and their cancellation, for all backends.
///
/// A request whose task is cancelled throws ``CabinetError/Code/operationCancelled``. A write that is cancelled before its
/// transaction commits changes nothing. Once the commit has begun, the request returns its result.
extension LocalRequestHandler {
    /// Runs a read within the work limit of one request.
    func read<Output: Sendable>(
        _ database: DatabaseKey, _ body: @escaping @Sendable (any StorageSnapshot) async throws -> Output
    ) async throws -> Output {
        try await withMeter { meter in
            let output = try await backend.read(database) { snapshot in
                try await WorkMeter.$current.withValue(meter) {
                    try meter.checkCancellation()
                    guard route != nil, let user = userRecordName else { return try await body(snapshot) }
                    return try await body(ParticipantSnapshot(snapshot, user: user))
                }
            }
            // Throw also if the closure did not check for the cancellation.
            try meter.checkCancellation()
            return output
        }
    }

    /// Runs a write, unless the task is cancelled before the transaction commits.
    ///
    /// - Parameters:
    ///   - database: The database to write to.
    ///   - body: A closure that changes the database. A long one asks the meter whether the task is cancelled.
    func write<Output: Sendable>(
        _ database: DatabaseKey,
        _ body: @escaping @Sendable (any StorageTransaction, WorkMeter) async throws -> Output
    ) async throws -> Output {
        try await withMeter { meter in
            try await backend.write(database) { transaction in
                try meter.checkCancellation()
                let output = try await body(transaction, meter)
                // This is the last check before the commit. The meter is not the current one, because interrupting a statement
                // would roll back other writes that are committed together with this one.
                try meter.checkCancellation()
                return output
            }
        }
    }

    /// Runs reads and writes that follow a commit, which the cancellation of the request does not reach.
    ///
    /// - Returns: The output; `nil` if an error was thrown, because the request has succeeded.
    @discardableResult
    func afterCommit<Output: Sendable>(_ body: @escaping @Sendable () async throws -> Output) async -> Output? {
        await OwnTasks.start { try? await body() }.value
    }

    /// Runs a closure with the meter of a request, which is cancelled with the task.
    private func withMeter<Output>(_ body: (WorkMeter) async throws -> Output) async throws -> Output {
        let meter = WorkMeter(limit: limits.workPerRequest)
        return try await withTaskCancellationHandler {
            do {
                try meter.checkCancellation()
                return try await body(meter)
            } catch is CancellationError {
                throw WorkMeter.cancellation
            }
        } onCancel: {
            meter.cancel()
        }
    }
}
