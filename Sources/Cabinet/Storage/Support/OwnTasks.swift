/// The tasks that Cabinet starts for its own work, such as reading changes for live queries.
package enum OwnTasks {
    /// The executor of these tasks; `nil` outside of tests.
    ///
    /// A task that is not a child does not run on the executor of the task that starts it. A test that decides the order of all
    /// jobs needs them on its own.
    @TaskLocal package static var executor: (any TaskExecutor)?

    /// Starts a task that belongs to no other, on that executor.
    static func start<Output: Sendable>(_ work: @escaping @Sendable () async -> Output) -> Task<Output, Never> {
        let executor = executor
        return Task.detached(executorPreference: executor) { await $executor.withValue(executor) { await work() } }
    }
}
