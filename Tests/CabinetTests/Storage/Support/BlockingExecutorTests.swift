import Dispatch
import Synchronization
import Testing

@testable import Cabinet

/// Blocking work stays away from Swift's own threads.
@Suite(.timeLimit(.minutes(15))) struct BlockingExecutorTests {
    /// An actor whose own work is serial.
    private actor Counter {
        private(set) var count = 0

        func run(on executor: BlockingExecutor) async throws -> Bool {
            let isCurrent = try await executor.run { executor.isCurrent }
            count += 1
            return isCurrent
        }
    }

    private let executor = BlockingExecutor(label: "test")

    @Test("Work runs on the executor for every caller, and the caller continues elsewhere")
    func placeOfWork() async throws {
        let isCurrent = try await executor.run { [executor] in executor.isCurrent }
        #expect(isCurrent)
        #expect(!executor.isCurrent)
        #expect(try await Counter().run(on: executor))
        #expect(try await onMainActor())
    }

    @MainActor private func onMainActor() async throws -> Bool {
        let isCurrent = try await executor.run { [executor] in executor.isCurrent }
        return isCurrent && !executor.isCurrent
    }

    @Test("Jobs run one after the other")
    func order() async throws {
        let meter = Meter()
        try await withThrowingTaskGroup { group in
            for _ in 0..<50 {
                group.addTask { [executor] in
                    try await executor.run { meter.measure() }
                }
            }
            try await group.waitForAll()
        }
        #expect(meter.most == 1)
    }

    /// The number of concurrent jobs.
    private final class Meter: Sendable {
        private let running = Atomic<Int>(0)
        private let highest = Atomic<Int>(0)

        var most: Int { highest.load(ordering: .relaxed) }

        func measure() {
            highest.max(running.add(1, ordering: .relaxed).newValue, ordering: .relaxed)
            running.subtract(1, ordering: .relaxed)
        }
    }

    @Test("More blocked jobs than processors leave the others free")
    func blockedWork() async throws {
        let count = 64
        let gate = DispatchSemaphore(value: 0)
        try await withThrowingTaskGroup { group in
            for index in 0..<count {
                group.addTask {
                    let executor = BlockingExecutor(label: "blocked \(index)")
                    try await executor.run { gate.wait() }
                }
            }
            // Would wait forever if the jobs held all of Swift's threads.
            group.addTask {
                for _ in 0..<count { gate.signal() }
            }
            try await group.waitForAll()
        }
    }

    /// Creates the threads of a pool that the system refuses.
    ///
    /// - Parameter refusals: Returns whether the thread with a number, from 0 on, is refused.
    private func pool(refusing refusals: @escaping @Sendable (Int) -> Bool) -> ThreadPool {
        let count = Mutex(0)
        return ThreadPool { name, body in
            let number = count.withLock { count in
                defer { count += 1 }
                return count
            }
            return !refusals(number) && SystemThread.start(name, body)
        }
    }

    @Test("Work runs also if the system refuses a thread, or all of them", arguments: [1, 2, .max])
    func refusedThreads(_ count: Int) async throws {
        let executor = BlockingExecutor(label: "refused", pool: pool { $0 < count })
        for _ in 0..<3 { #expect(try await executor.run { executor.isCurrent }) }
    }

    @Test("Work whose thread is refused runs while another thread is blocked, and after it")
    func refusedBesideOthers() async throws {
        let pool = pool { $0 > 0 }
        let gate = DispatchSemaphore(value: 0)
        let (blocked, refused) = (BlockingExecutor(label: "a", pool: pool), BlockingExecutor(label: "b", pool: pool))
        async let first: Void = blocked.run { gate.wait() }
        while blocked.jobCount == 0 { await Task.yield() }
        #expect(try await refused.run { refused.isCurrent })
        async let second = refused.run { refused.isCurrent }
        gate.signal()
        try await first
        #expect(try await second)
    }

    @Test("Work that is run once is part of the caller's task, on a thread of its own")
    func onceIsPartOfTheTask() async throws {
        try await Priority.$value.withValue(7) {
            let value = try await BlockingExecutor.once { Priority.value }
            #expect(value == 7)
        }
    }

    private enum Priority {
        @TaskLocal static var value = 0
    }
}
