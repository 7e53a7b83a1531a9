import Synchronization

/// An executor for blocking calls, which runs one job at a time, and none on Swift's cooperative threads.
///
/// A backend with blocking calls gives each connection an executor. It runs the body of a transaction on the executor too, so
/// that the body calls the backend without switching threads:
///
/// ```swift
/// try await withTaskExecutorPreference(connection.executor) {
///     try await body(MySnapshot(connection))
/// }
/// ```
public final class BlockingExecutor: TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        /// Whether a thread has the executor, or is about to get it.
        var isTaken = false
    }

    private let label: String
    private let pool: ThreadPool
    private let state = Mutex(State())
    private let jobsRun = Atomic<Int>(0)
    /// The thread that runs the jobs now; 0 if none does.
    private let thread = Atomic<UInt>(0)

    /// Creates an executor.
    ///
    /// An executor without jobs costs nothing, because executors share the threads of the process.
    ///
    /// - Parameter label: The name that debuggers show.
    public convenience init(label: String) {
        self.init(label: label, pool: .shared)
    }

    init(label: String, pool: ThreadPool) {
        (self.label, self.pool) = (label, pool)
    }

    /// Runs a job after all that were enqueued before.
    ///
    /// - Parameter job: The job to run.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let needsThread = state.withLock { state in
            state.jobs.append(job)
            defer { state.isTaken = true }
            return !state.isTaken
        }
        if needsThread { pool.run(self) }
    }

    /// Runs the jobs on the calling thread until none is left.
    func drain() {
        thread.store(SystemThread.current, ordering: .relaxed)
        while true {
            let jobs = state.withLock { state in
                if state.jobs.isEmpty {
                    thread.store(0, ordering: .relaxed)
                    state.isTaken = false
                }
                let jobs = state.jobs
                state.jobs.removeAll(keepingCapacity: false)
                return jobs
            }
            if jobs.isEmpty { return }
            jobsRun.add(jobs.count, ordering: .relaxed)
            for job in jobs { job.runSynchronously(on: asUnownedTaskExecutor()) }
        }
    }

    /// Runs work that blocks.
    ///
    /// The work runs in a task of its own, so that an actor can call this method. With `withTaskExecutorPreference`, other jobs
    /// of the actor could also run on the executor and delay its work.
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

    /// Whether the calling code runs on this executor.
    public var isCurrent: Bool { thread.load(ordering: .relaxed) == SystemThread.current }

    /// The number of jobs that the executor has run; switching to it is the largest cost of a short transaction.
    public var jobCount: Int { jobsRun.load(ordering: .relaxed) }
}

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
