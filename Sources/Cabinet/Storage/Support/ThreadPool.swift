import Dispatch
import Synchronization

/// The threads of all ``BlockingExecutor``s of the process.
///
/// A thread without work sleeps, and ends after some seconds, so an idle program has no threads of Cabinet's. If the system
/// refuses a thread, the executor waits for one: the first that has finished its work, a new one, or a thread of Dispatch.
final class ThreadPool: Sendable {
    static let shared = ThreadPool()

    /// A function that starts a thread with a name, and returns whether it could.
    typealias Starter = @Sendable (String, @escaping @Sendable () -> Void) -> Bool

    private struct State {
        /// The sleeping threads, the one that fell asleep last at the end, because its memory is warm.
        var sleeping: [Sleeper] = []
        /// The executors whose threads the system refused, the oldest first.
        var waiting: [BlockingExecutor] = []
        /// The number of threads that run or sleep.
        var threadCount = 0
        /// The number of threads ever started.
        var startedCount = 0
    }

    /// A thread that sleeps until it receives an executor.
    private final class Sleeper: Sendable {
        private let wakeUp = DispatchSemaphore(value: 0)
        private let executor = Mutex<BlockingExecutor?>(nil)

        func wake(for executor: BlockingExecutor) {
            self.executor.withLock { $0 = executor }
            wakeUp.signal()
        }

        /// Waits for an executor.
        ///
        /// - Returns: The executor; `nil` after the time limit.
        func next(timeLimit: DispatchTimeInterval?) -> BlockingExecutor? {
            if let timeLimit {
                guard wakeUp.wait(timeout: .now() + timeLimit) == .success else { return nil }
            } else {
                wakeUp.wait()
            }
            return executor.withLock { $0.take() }
        }
    }

    private let state = Mutex(State())
    private let start: Starter

    /// Creates a pool without threads.
    ///
    /// - Parameter start: Starts a thread.
    init(start: @escaping Starter = SystemThread.start) {
        self.start = start
    }

    /// The time that a thread sleeps before it ends.
    private static let sleepingTime = DispatchTimeInterval.seconds(5)

    /// Runs an executor's jobs on a thread.
    func run(_ executor: BlockingExecutor) {
        if let sleeper = state.withLock({ $0.sleeping.popLast() }) { return sleeper.wake(for: executor) }
        if startThread(for: executor) { return }
        let (sleeper, delay) = state.withLock { state -> (Sleeper?, DispatchTimeInterval) in
            // A thread may have fallen asleep since.
            if let sleeper = state.sleeping.popLast() { return (sleeper, .never) }
            state.waiting.append(executor)
            return (nil, state.threadCount > 0 ? SystemThread.retryTime : .seconds(0))
        }
        if let sleeper { return sleeper.wake(for: executor) }
        DispatchQueue.global().asyncAfter(deadline: .now() + delay) { self.runWaiting() }
    }

    /// Runs an executor that still waits, on a new thread or on the calling one.
    private func runWaiting() {
        guard let executor = state.withLock({ $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }) else { return }
        if !startThread(for: executor) { executor.drain() }
    }

    /// Starts a thread for an executor.
    ///
    /// - Returns: Whether the thread was started.
    private func startThread(for executor: BlockingExecutor) -> Bool {
        let number = state.withLock { state in
            state.startedCount += 1
            state.threadCount += 1
            return state.startedCount
        }
        let sleeper = Sleeper()
        sleeper.wake(for: executor)
        let isStarted = start("Cabinet \(number)") { self.work(sleeper) }
        if !isStarted { state.withLock { $0.threadCount -= 1 } }
        return isStarted
    }

    /// Runs on each thread until the thread ends.
    private func work(_ sleeper: Sleeper) {
        while drainNext(sleeper) {
            state.withLock { state in
                if state.waiting.isEmpty {
                    state.sleeping.append(sleeper)
                } else {
                    sleeper.wake(for: state.waiting.removeFirst())
                }
            }
        }
    }

    /// Waits for an executor, and runs its jobs.
    ///
    /// The executor is released before the thread sleeps again.
    ///
    /// - Returns: Whether an executor arrived; `false` if the thread ends.
    private func drainNext(_ sleeper: Sleeper) -> Bool {
        var next = sleeper.next(timeLimit: Self.sleepingTime)
        // If another thread has removed this one from the sleeping threads, it is about to wake it.
        if next == nil, !remove(sleeper) { next = sleeper.next(timeLimit: nil) }
        next?.drain()
        return next != nil
    }

    /// Removes a thread from the sleeping ones, so that it can end.
    ///
    /// - Returns: Whether it was one of them.
    private func remove(_ sleeper: Sleeper) -> Bool {
        state.withLock { state in
            guard let index = state.sleeping.firstIndex(where: { $0 === sleeper }) else { return false }
            state.sleeping.remove(at: index)
            state.threadCount -= 1
            return true
        }
    }
}
