import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

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
    private struct State {
        var jobs: [UnownedJob] = []
        /// Whether a thread has the executor, or is about to get it.
        var isTaken = false
    }

    private let label: String
    private let state = Mutex(State())
    private let jobsRun = Atomic<Int>(0)
    /// The thread that runs the jobs now; 0 if none does.
    private let thread = Atomic<UInt>(0)

    /// Creates an executor.
    ///
    /// It costs nothing until something is run on it: executors share the threads of the process.
    ///
    /// - Parameter label: What debuggers call it.
    public init(label: String) {
        self.label = label
    }

    /// Runs a job after those that were enqueued before.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let needsThread = state.withLock { state in
            state.jobs.append(job)
            defer { state.isTaken = true }
            return !state.isTaken
        }
        if needsThread { ThreadPool.shared.run(self) }
    }

    /// Runs the jobs, and those that are enqueued meanwhile, on the calling thread.
    func drain() {
        thread.store(Self.currentThread, ordering: .relaxed)
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
    /// It is a task of its own, so an actor may call this. An actor that called `withTaskExecutorPreference` might let whatever waits for
    /// the actor go on on the executor too, which keeps that from its work.
    ///
    /// - Parameter work: What to do; it does not hear that the caller was cancelled.
    /// - Returns: What the work returns.
    /// - Throws: What the work throws.
    public func run<Output: Sendable>(_ work: @escaping @Sendable () throws -> Output) async throws -> Output {
        let meter = WorkMeter.current
        return try await Task.detached(executorPreference: self) {
            try WorkMeter.$current.withValue(meter) { try work() }
        }.value
    }

    /// Whether the caller runs on this executor.
    public var isCurrent: Bool { thread.load(ordering: .relaxed) == Self.currentThread }

    private static var currentThread: UInt {
        #if canImport(Darwin)
        UInt(bitPattern: pthread_self())
        #elseif canImport(Musl)
        UInt(bitPattern: Int(bitPattern: pthread_self()))
        #else
        UInt(pthread_self())
        #endif
    }

    /// How often work hopped onto this executor, which is what a short transaction costs most.
    public var jobCount: Int { jobsRun.load(ordering: .relaxed) }
}
