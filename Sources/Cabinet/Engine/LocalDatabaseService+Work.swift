/// Bounds the work of requests and cancels them: one rule for all backends.
///
/// A request whose task is cancelled throws ``CabinetError/Code/operationCancelled``. A write that was cancelled before its
/// transaction commits changes nothing; once the commit has begun, its result is returned.
extension LocalDatabaseService {
    /// Reads, within the work that one request may do.
    func read<Output: Sendable>(
        _ database: DatabaseKey, _ body: @escaping @Sendable (any StorageSnapshot) async throws -> Output
    ) async throws -> Output {
        try await withMeter { meter in
            let output = try await backend.read(database) { snapshot in
                try await WorkMeter.$current.withValue(meter) {
                    try meter.checkCancellation()
                    return try await body(snapshot)
                }
            }
            // A body that did not notice must not make a difference.
            try meter.checkCancellation()
            return output
        }
    }

    /// Writes, unless the task is cancelled before the transaction commits.
    func write<Output: Sendable>(
        _ database: DatabaseKey, _ body: @escaping @Sendable (any StorageTransaction) async throws -> Output
    ) async throws -> Output {
        try await withMeter { meter in
            try await backend.write(database) { transaction in
                try meter.checkCancellation()
                let output = try await body(transaction)
                // The last moment at which nothing has changed. The meter is not the current one: a statement that is
                // interrupted would roll back the writes of others that are committed together with this one.
                try meter.checkCancellation()
                return output
            }
        }
    }

    /// Creates the meter of a request, which is cancelled with the task.
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
