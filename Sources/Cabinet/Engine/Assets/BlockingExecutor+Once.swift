extension BlockingExecutor {
    /// Runs work, parts of which block, on an executor that is made for it.
    ///
    /// Unlike that of ``run(_:)``, the work is part of the caller's task and may wait for others.
    static func once<Output: Sendable>(_ work: () async throws -> Output) async throws -> Output {
        let executor = BlockingExecutor(label: "Cabinet assets")
        // A task refers to its executor without owning it.
        defer { withExtendedLifetime(executor) {} }
        return try await withTaskExecutorPreference(executor) { try await work() }
    }
}
