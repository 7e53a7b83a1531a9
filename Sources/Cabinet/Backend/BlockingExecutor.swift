import Dispatch
import Synchronization

/// A place where calls that block may run: one job after the other, never on Swift's cooperative threads.
///
/// A backend whose store is reached by blocking calls gives each connection an executor, and runs a transaction's body on it too, so
/// that the body's calls to the backend are plain calls without a hop:
///
/// ```swift
/// try await withTaskExecutorPreference(connection.executor) {
///     try await body(MySnapshot(connection))
/// }
/// ```
public final class BlockingExecutor: TaskExecutor {
    private let queue: DispatchQueue
    private let mark = DispatchSpecificKey<Void>()
    private let jobs = Atomic<Int>(0)

    /// Creates an executor.
    ///
    /// - Parameter label: What debuggers call it.
    public init(label: String) {
        queue = DispatchQueue(label: label, qos: .userInitiated)
        queue.setSpecific(key: mark, value: ())
    }

    /// Runs a job after those that were enqueued before.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.add(1, ordering: .relaxed)
        queue.async {
            job.runSynchronously(on: self.asUnownedTaskExecutor())
        }
    }

    /// Runs work that blocks.
    ///
    /// It is a task of its own, so an actor may call this. An actor that called `withTaskExecutorPreference` might let whatever waits for
    /// the actor go on on the executor too, which keeps that from its work.
    ///
    /// - Parameter work: What to do; it does not hear that the caller was cancelled.
    /// - Returns: What the work returns.
    /// - Throws: What the work throws.
    public func run<Output: Sendable>(_ work: @escaping @Sendable () throws -> Output) async throws -> Output {
        try await Task.detached(executorPreference: self) { try work() }.value
    }

    /// Whether the caller runs on this executor.
    public var isCurrent: Bool { DispatchQueue.getSpecific(key: mark) != nil }

    /// How often work hopped onto this executor, which is what a short transaction costs most.
    public var jobCount: Int { jobs.load(ordering: .relaxed) }
}
