extension BlockingExecutor {
    /// Runs work that blocks in parts, on an executor that it creates for the work.
    ///
    /// Unlike with ``run(_:)``, the work is part of the caller's task and may await other tasks.
    static func once<Output: Sendable>(_ work: () async throws -> Output) async throws -> Output {
        let executor = BlockingExecutor(label: "Cabinet assets")
        // A task refers to its executor without owning it.
        defer { withExtendedLifetime(executor) {} }
        return try await withTaskExecutorPreference(executor) { try await work() }
    }
}
