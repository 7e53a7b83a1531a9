import Dispatch
import Foundation
import Synchronization

/// The threads of all ``BlockingExecutor``s of the process.
///
/// A thread without work sleeps, and ends after some seconds, so an idle program has no threads of Cabinet's.
final class ThreadPool: Sendable {
    static let shared = ThreadPool()

    private struct State {
        /// The sleeping threads, the one that fell asleep last at the end, because its memory is warm.
        var sleeping: [Sleeper] = []
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

    /// The time that a thread sleeps before it ends.
    private static let sleepingTime = DispatchTimeInterval.seconds(5)

    /// Runs an executor's jobs on a thread.
    func run(_ executor: BlockingExecutor) {
        let (sleeper, number) = state.withLock { state -> (Sleeper, Int?) in
            if let sleeper = state.sleeping.popLast() { return (sleeper, nil) }
            state.startedCount += 1
            return (Sleeper(), state.startedCount)
        }
        sleeper.wake(for: executor)
        guard let number else { return }
        let thread = Thread { self.work(sleeper) }
        thread.name = "Cabinet \(number)"
        thread.qualityOfService = .userInitiated
        thread.start()
    }

    /// Runs on each thread until the thread ends.
    private func work(_ sleeper: Sleeper) {
        while drainNext(sleeper) {
            state.withLock { $0.sleeping.append(sleeper) }
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

    /// Removes a thread from the sleeping ones.
    ///
    /// - Returns: Whether it was one of them.
    private func remove(_ sleeper: Sleeper) -> Bool {
        state.withLock { state in
            guard let index = state.sleeping.firstIndex(where: { $0 === sleeper }) else { return false }
            state.sleeping.remove(at: index)
            return true
        }
    }
}
