import Dispatch
import Foundation
import Synchronization

/// Runs jobs one after the other on a thread of its own, for libraries whose handles belong to one thread.
///
/// A ``BlockingExecutor`` also runs one job at a time, but on any thread of a pool. Prefer it unless the library demands one thread.
/// The thread starts with the first job, and ends after the last one when the executor is deallocated.
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

    /// Runs a job after those that were enqueued before.
    public func enqueue(_ job: consuming ExecutorJob) {
        queue.append(UnownedJob(job), of: self)
    }

    /// Runs work that blocks.
    ///
    /// - Parameter work: The work, which does not notice that the caller is cancelled.
    /// - Returns: What the work returns.
    /// - Throws: What the work throws.
    public func run<Output: Sendable>(_ work: @escaping @Sendable () throws -> Output) async throws -> Output {
        let meter = WorkMeter.current
        return try await Task.detached(executorPreference: self) {
            try WorkMeter.$current.withValue(meter) { try work() }
        }.value
    }

    /// Whether the caller runs on this executor's thread.
    public var isCurrent: Bool { queue.isCurrent }
}

/// The jobs of a thread, and the thread.
private final class JobQueue: Sendable {
    private struct State {
        var jobs: [(job: UnownedJob, executor: ThreadExecutor)] = []
        var isFinished = false
        var thread: Thread?
    }

    private let label: String
    private let state = Mutex(State())
    /// Counts the jobs, and the end.
    private let wakeUp = DispatchSemaphore(value: 0)

    init(label: String) {
        self.label = label
    }

    var isCurrent: Bool {
        let thread = state.withLock { $0.thread }
        return thread === Thread.current
    }

    func append(_ job: UnownedJob, of executor: ThreadExecutor) {
        state.withLock { state in
            // The executor lives until its job has run.
            state.jobs.append((job, executor))
            if state.thread != nil { return }
            let thread = Thread { self.work() }
            thread.name = label
            thread.qualityOfService = .userInitiated
            state.thread = thread
            thread.start()
        }
        wakeUp.signal()
    }

    func finish() {
        state.withLock { $0.isFinished = true }
        wakeUp.signal()
    }

    private func work() {
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
