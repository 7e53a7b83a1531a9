import Dispatch
import Synchronization

/// A thread of a connection's own, on which everything that may block runs: one job after the other, never on Swift's
/// cooperative threads.
///
/// A transaction's body runs on it too, so that the body's calls to the backend are plain calls without a hop.
final class ConnectionExecutor: TaskExecutor {
    private let queue: DispatchQueue
    private let mark = DispatchSpecificKey<Void>()
    private let jobs = Atomic<Int>(0)

    init(label: String) {
        queue = DispatchQueue(label: label, qos: .userInitiated)
        queue.setSpecific(key: mark, value: ())
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.add(1, ordering: .relaxed)
        queue.async {
            job.runSynchronously(on: self.asUnownedTaskExecutor())
        }
    }

    /// Whether the caller runs on this executor.
    var isCurrent: Bool { DispatchQueue.getSpecific(key: mark) != nil }

    /// How often work hopped onto this executor.
    var jobCount: Int { jobs.load(ordering: .relaxed) }
}
