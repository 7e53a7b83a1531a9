/// The tasks that Cabinet starts for its own work, such as reading changes for live queries.
package enum OwnTasks {
    /// The executor of these tasks; `nil` outside of tests.
    ///
    /// A task that is not a child does not run on the executor of the task that starts it. A test that decides the order of all
    /// jobs needs them on its own.
    @TaskLocal package static var executor: (any TaskExecutor)?

    /// Starts a task that belongs to no other, on that executor.
    static func start<Output: Sendable>(_ work: @escaping @Sendable () async -> Output) -> Task<Output, Never> {
        let (executor, longestEnd) = (executor, longestEnd)
        return Task.detached(executorPreference: executor) {
            await $executor.withValue(executor) { await $longestEnd.withValue(longestEnd) { await work() } }
        }
    }

    /// The longest time for which the last work of a task is awaited.
    ///
    /// A simulation, in which other devices work during this time, needs more: its outcome must not depend on the machine's speed.
    @TaskLocal package static var longestEnd = Duration.seconds(5)

    /// Runs the last work of a task, such as a release, also if the task was cancelled: services and stores refuse its requests.
    ///
    /// - Parameter work: The work, whose failure has no effect. It is cancelled after some seconds.
    package static func finish(_ work: @escaping @Sendable () async throws -> Void) async {
        let longestEnd = longestEnd
        let task = start { _ = try? await work() }
        let timer = Task {
            try await Task.sleep(for: longestEnd)
            task.cancel()
        }
        await task.value
        timer.cancel()
    }
}
