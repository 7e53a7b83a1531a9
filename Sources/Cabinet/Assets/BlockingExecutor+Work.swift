extension BlockingExecutor {
    /// Runs work that may block on a thread of its own.
    static func run<Output: Sendable>(_ work: () async throws -> Output) async throws -> Output {
        let executor = BlockingExecutor(label: "Cabinet assets")
        // A task refers to its executor without owning it.
        defer { withExtendedLifetime(executor) {} }
        return try await withTaskExecutorPreference(executor) { try await work() }
    }
}
