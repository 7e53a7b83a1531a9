import Dispatch
import Synchronization

/// An executor that runs one job at a time on a thread of its own, for libraries whose handles belong to one thread.
///
/// A ``BlockingExecutor`` also runs one job at a time, but on any thread of a pool. Prefer it unless the library requires one
/// thread. The thread starts with the first job, and ends after the last one when the executor is deallocated. If the
/// system has no thread, the jobs wait for it.
///
/// ```swift
/// try await withTaskExecutorPreference(connection.executor) {
///     try await body(MySnapshot(connection))
/// }
/// ```
public final class ThreadExecutor: TaskExecutor {
    private let queue: JobQueue

    /// Creates an executor.
    ///
    /// - Parameter label: The name of the thread, as debuggers show it.
    public init(label: String) {
        queue = JobQueue(label: label)
    }

    deinit {
        queue.finish()
    }

    /// Runs a job after all that were enqueued before.
    ///
    /// - Parameter job: The job to run.
    public func enqueue(_ job: consuming ExecutorJob) {
        queue.append(UnownedJob(job), of: self)
    }

    /// Runs work that blocks.
    ///
    /// - Parameter work: The work, which does not notice that the caller is cancelled.
    /// - Returns: The result of the work.
    /// - Throws: The error of the work.
    public func run<Output: Sendable>(_ work: @escaping @Sendable () throws -> Output) async throws -> Output {
        let meter = WorkMeter.current
        return try await Task.detached(executorPreference: self) {
            try WorkMeter.$current.withValue(meter) { try work() }
        }.value
    }

    /// Whether the calling code runs on this executor's thread.
    public var isCurrent: Bool { queue.isCurrent }
}

/// A thread and its jobs.
private final class JobQueue: Sendable {
    private struct State {
        var jobs: [(job: UnownedJob, executor: ThreadExecutor)] = []
        var isFinished = false
        /// Whether the thread runs, or is about to begin.
        var hasThread = false
    }

    private let label: String
    private let state = Mutex(State())
    /// A semaphore that counts the jobs and the end of the executor.
    private let wakeUp = DispatchSemaphore(value: 0)
    /// The thread; 0 before it begins.
    private let thread = Atomic<UInt>(0)

    init(label: String) {
        self.label = label
    }

    var isCurrent: Bool { thread.load(ordering: .relaxed) == SystemThread.current }

    func append(_ job: UnownedJob, of executor: ThreadExecutor) {
        let needsThread = state.withLock { state in
            // The executor lives until its job has run.
            state.jobs.append((job, executor))
            defer { state.hasThread = true }
            return !state.hasThread
        }
        if needsThread { SystemThread.startEventually(label) { self.work() } }
        wakeUp.signal()
    }

    func finish() {
        state.withLock { $0.isFinished = true }
        wakeUp.signal()
    }

    private func work() {
        thread.store(SystemThread.current, ordering: .relaxed)
        while true {
            wakeUp.wait()
            let next = state.withLock { $0.jobs.isEmpty ? nil : $0.jobs.removeFirst() }
            if let next {
                next.job.runSynchronously(on: next.executor.asUnownedTaskExecutor())
            } else if state.withLock({ $0.isFinished }) {
                return
            }
        }
    }
}
