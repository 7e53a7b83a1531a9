import Dispatch
import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The threads of all ``BlockingExecutor``s of the process.
///
/// A thread that has nothing to do looks around for some microseconds before it sleeps: most reads come one after the other, and to
/// wake a thread takes longer than to read a record. What sleeps for long ends, so an idle program has no threads of Cabinet's.
final class BlockingThreads: Sendable {
    static let shared = BlockingThreads()

    private struct State {
        /// The executors that wait for a thread.
        var waiting: [BlockingExecutor] = []
        /// Threads that look around; each takes the next executor without being told.
        var lookingCount = 0
        /// Threads that sleep, the one that fell asleep last at the end: its memory is warm.
        var sleeping: [Sleeper] = []
        var nextNumber = 1
    }

    /// A thread that sleeps until it is woken.
    private final class Sleeper: Sendable {
        let alarm = DispatchSemaphore(value: 0)
    }

    private let state = Mutex(State())
    /// The number of executors that wait, for those who look around without the lock.
    private let waitingCount = Atomic<Int>(0)

    /// How long a thread looks around, in nanoseconds.
    private static let lookingTime: UInt64 = 50_000
    /// How long a thread sleeps before it ends.
    private static let sleepingTime = DispatchTimeInterval.seconds(5)
    private static let processorCount = ProcessInfo.processInfo.activeProcessorCount

    /// Runs an executor's jobs on a thread.
    func run(_ executor: BlockingExecutor) {
        let (sleeper, number) = state.withLock { state -> (Sleeper?, Int?) in
            state.waiting.append(executor)
            waitingCount.store(state.waiting.count, ordering: .releasing)
            if state.waiting.count <= state.lookingCount { return (nil, nil) }
            if let sleeper = state.sleeping.popLast() { return (sleeper, nil) }
            defer { state.nextNumber += 1 }
            return (nil, state.nextNumber)
        }
        sleeper?.alarm.signal()
        if let number { start(number) }
    }

    private func start(_ number: Int) {
        let thread = Thread { self.work() }
        thread.name = "Cabinet \(number)"
        thread.qualityOfService = .userInitiated
        thread.start()
    }

    /// What a thread does all its life.
    private func work() {
        let sleeper = Sleeper()
        while true {
            if let executor = next() {
                executor.drain()
            } else if !sleep(sleeper) {
                return
            }
        }
    }

    /// The next executor, looked for in vain at most for a moment.
    private func next() -> BlockingExecutor? {
        let (executor, mayLook) = state.withLock { state -> (BlockingExecutor?, Bool) in
            if let executor = take(from: &state) { return (executor, false) }
            // One who looks around is enough; with a single processor, that would only keep others from their work.
            let mayLook = Self.processorCount > 1 && state.lookingCount == 0
            if mayLook { state.lookingCount += 1 }
            return (nil, mayLook)
        }
        guard mayLook else { return executor }
        let end = DispatchTime.now().uptimeNanoseconds &+ Self.lookingTime
        repeat {
            // Whoever else wants to run on this processor may.
            sched_yield()
        } while waitingCount.load(ordering: .acquiring) == 0 && DispatchTime.now().uptimeNanoseconds < end
        return state.withLock { state in
            state.lookingCount -= 1
            return take(from: &state)
        }
    }

    private func take(from state: inout State) -> BlockingExecutor? {
        if state.waiting.isEmpty { return nil }
        defer { waitingCount.store(state.waiting.count, ordering: .releasing) }
        return state.waiting.removeFirst()
    }

    /// Sleeps until there is something to do.
    ///
    /// - Returns: Whether there is; `false` if there was nothing for so long that the thread should end.
    private func sleep(_ sleeper: Sleeper) -> Bool {
        let isAsleep = state.withLock { state in
            guard state.waiting.isEmpty else { return false }
            state.sleeping.append(sleeper)
            return true
        }
        guard isAsleep else { return true }
        if sleeper.alarm.wait(timeout: .now() + Self.sleepingTime) == .success { return true }
        let wasAsleep = state.withLock { state in
            guard let index = state.sleeping.firstIndex(where: { $0 === sleeper }) else { return false }
            state.sleeping.remove(at: index)
            return true
        }
        if wasAsleep { return false }
        // Somebody is waking it at this moment.
        sleeper.alarm.wait()
        return true
    }
}

// MARK: - Those who look for answers

extension BlockingThreads {
    private static let lookers = Atomic<Int>(0)
    private static let answers = Atomic<UInt>(0)

    /// How long everybody may look.
    static let moment = Duration.microseconds(25)

    /// Begins to look for an answer on one of Swift's own threads.
    ///
    /// Who looks for long leaves half of the threads to others. To look for a moment costs others less than the two changes of
    /// threads that it saves, even when all of them are looking.
    ///
    /// - Returns: Whether the caller may look.
    static func beginLooking(isBrief: Bool) -> Bool {
        let limit = isBrief && processorCount > 1 ? processorCount : processorCount / 2
        if lookers.add(1, ordering: .relaxed).newValue <= limit { return true }
        endLooking()
        return false
    }

    static func endLooking() {
        lookers.subtract(1, ordering: .relaxed)
    }

    /// Whether so many answers were found by looking that others should have their turn on the thread.
    static func isTurnOver() -> Bool {
        answers.wrappingAdd(1, ordering: .relaxed).newValue % 16 == 0
    }
}
