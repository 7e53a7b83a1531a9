import Synchronization

/// Runs a task's jobs when a test says so, so that the test decides what happens between two of them.
package final class HeldExecutor: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])

    package init() {}

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    /// Whether jobs wait to be run.
    package var hasJobs: Bool { jobs.withLock { !$0.isEmpty } }

    /// Runs the jobs, and those that they enqueue.
    package func runAll() {
        while true {
            let next = jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            guard let next else { return }
            next.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
