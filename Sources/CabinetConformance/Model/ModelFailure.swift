import Cabinet

/// The operation after which a store and its model differed.
struct ModelFailure: Sendable {
    /// The number of the operation, from 0.
    let step: Int
    let message: String

    /// Runs operations in a new store, and returns the first failure.
    static func first(
        of operations: [ModelOperation], on backend: any StorageBackend, retaining count: Int = 4
    ) async throws -> ModelFailure? {
        var run = try ModelRun(backend, retaining: count)
        for (step, operation) in operations.enumerated() {
            do {
                try await run.step(operation)
            } catch {
                return ModelFailure(step: step, message: Self.message(of: error))
            }
        }
        do {
            try await run.finish()
        } catch {
            return ModelFailure(step: operations.count - 1, message: "In the end: \(Self.message(of: error))")
        }
        return nil
    }

    private static func message(of error: any Error) -> String {
        (error as? ConformanceFailure)?.message ?? "\(error)"
    }
}
