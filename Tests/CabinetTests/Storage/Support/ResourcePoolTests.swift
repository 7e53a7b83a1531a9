import StorageTestSupport
import Synchronization
import Testing

@testable import Cabinet

/// Resources that tasks share, and the tasks that wait for them.
@Suite(.timeLimit(.minutes(15))) struct ResourcePoolTests {
    private final class Item: Sendable {
        let number: Int
        init(_ number: Int) { self.number = number }
    }

    /// Counts the tasks that run at the same time, and remembers the order in which they began.
    private final class Gauge: Sendable {
        private let state = Mutex((running: 0, most: 0, numbers: [Int]()))

        var most: Int { state.withLock(\.most) }
        var numbers: [Int] { state.withLock(\.numbers) }

        func begin(_ number: Int) {
            state.withLock { $0 = ($0.running + 1, max($0.most, $0.running + 1), $0.numbers + [number]) }
        }

        func end() {
            state.withLock { $0.running -= 1 }
        }
    }

    private struct WeakItem {
        weak var item: Item?
    }

    private let executor = HeldExecutor()

    private func makePool(_ limit: Int, idleLimit: Int = .max, waitLimit: Duration? = nil) -> ResourcePool<Item> {
        ResourcePool(
            limit: limit, idleLimit: idleLimit, waitLimit: waitLimit,
            timeoutError: CabinetError(.zoneBusy, "too long"), closedError: CabinetError(.badContainer, "closed")
        ) { Item($0) }
    }

    /// Starts a task that takes an item, and goes on only when the test runs its jobs.
    private func waiter(in pool: ResourcePool<Item>) -> Task<Item, any Error> {
        let task = Task(executorPreference: executor) { try await pool.take() }
        executor.runAll()
        return task
    }

    @Test("Resources are created when none is idle, up to the limit, and the one used last is used next")
    func creation() async throws {
        let pool = makePool(2)
        let first = try await pool.take()
        let second = try await pool.take()
        #expect([first.number, second.number] == [1, 2])
        pool.giveBack(second)
        pool.giveBack(first)
        #expect(try await pool.take() === first)
        #expect(pool.idleResources.map(\.number) == [2])
        let only = makePool(0)
        #expect(try await only.take().number == 1, "A pool has at least one resource.")
    }

    @Test("Tasks get a resource in the order in which they came")
    func order() async throws {
        let pool = makePool(1)
        let item = try await pool.take()
        let gauge = Gauge()
        let tasks = (0..<10).map { number in
            let task = Task(executorPreference: executor) {
                try await pool.withResource { _ in gauge.begin(number) }
            }
            executor.runAll()
            return task
        }
        #expect(pool.waiterCount == 10)
        pool.giveBack(item)
        for task in tasks {
            executor.runAll()
            try await task.value
        }
        #expect(gauge.numbers == Array(0..<10))
    }

    @Test("A resource that is given back goes to the waiter, not to a task that comes later")
    func fairness() async throws {
        let pool = makePool(1)
        let item = try await pool.take()
        let early = waiter(in: pool)
        pool.giveBack(item)
        let late = waiter(in: pool)
        #expect(pool.waiterCount == 1)
        #expect(try await early.value === item)
        pool.giveBack(item)
        executor.runAll()
        #expect(try await late.value === item)
    }

    @Test("A task that is cancelled before it waits, or while it waits, leaves nothing behind")
    func earlyCancellation() async throws {
        let pool = makePool(1)
        let item = try await pool.take()
        for cancelsFirst in [true, false] {
            let task = Task(executorPreference: executor) { try await pool.take() }
            if cancelsFirst { task.cancel() }
            executor.runAll()
            task.cancel()
            executor.runAll()
            let error = await #expect(throws: CabinetError.self) { try await task.value }
            #expect(error?.code == .operationCancelled)
            #expect(pool.waiterCount == 0)
        }
        pool.giveBack(item)
        #expect(pool.idleResources.count == 1)
    }

    @Test("A task that is cancelled after it was granted a resource gets it")
    func lateCancellation() async throws {
        let pool = makePool(1)
        for _ in 0..<50 {
            let item = try await pool.take()
            let task = waiter(in: pool)
            pool.giveBack(item)
            task.cancel()
            executor.runAll()
            pool.giveBack(try await task.value)
        }
        #expect(pool.waiterCount == 0 && pool.idleResources.count == 1)
    }

    @Test("Of several waiters, those that are cancelled are passed over")
    func cancellationInTheMiddle() async throws {
        let pool = makePool(1)
        let item = try await pool.take()
        let tasks = (0..<3).map { _ in waiter(in: pool) }
        tasks[1].cancel()
        tasks[0].cancel()
        pool.giveBack(item)
        executor.runAll()
        #expect(try await tasks[2].value === item)
        for task in tasks.prefix(2) { await #expect(throws: CabinetError.self) { try await task.value } }
    }

    @Test("A task waits no longer than it may, and is then granted nothing")
    func timeout() async throws {
        let pool = makePool(1, waitLimit: .milliseconds(5))
        let item = try await pool.take()
        for _ in 0..<3 {
            let error = await #expect(throws: CabinetError.self) { try await pool.take() }
            #expect(error?.message == "too long")
        }
        #expect(pool.waiterCount == 0)
        pool.giveBack(item)
        #expect(try await pool.take() === item)
        pool.giveBack(item)
        let patient = makePool(1, waitLimit: .seconds(60))
        let taken = try await patient.take()
        let task = waiter(in: patient)
        patient.giveBack(taken)
        executor.runAll()
        #expect(try await task.value === taken)
    }

    @Test("The time of a task that waits counts from its own call")
    func timeouts() async throws {
        let pool = makePool(1, waitLimit: .seconds(2))
        let item = try await pool.take()
        // A task watches the waits from the first one on.
        let served = waiter(in: pool)
        pool.giveBack(item)
        executor.runAll()
        #expect(try await served.value === item)
        try await Task.sleep(for: .milliseconds(100))
        let start = ContinuousClock.now
        await #expect(throws: CabinetError.self) { try await pool.take() }
        #expect(ContinuousClock.now - start >= .seconds(2))
        #expect(pool.waiterCount == 0)
    }

    @Test("Idle resources beyond the limit are released, and recreated when needed")
    func idleLimit() async throws {
        let pool = makePool(3, idleLimit: 1)
        var items: [Item] = []
        for _ in 0..<3 { items.append(try await pool.take()) }
        let released = WeakItem(item: items[2])
        for item in items { pool.giveBack(item) }
        items = []
        #expect(pool.idleResources.map(\.number) == [1])
        #expect(released.item == nil)
        for _ in 0..<3 { items.append(try await pool.take()) }
        #expect(items.map(\.number) == [1, 4, 5])
    }

    @Test("Closing refuses tasks that wait or come later, and waits for the resources that are taken")
    func closing() async throws {
        let pool = makePool(2)
        let (first, second) = (try await pool.take(), try await pool.take())
        let waiting = waiter(in: pool)
        let closing = Task(executorPreference: executor) { await pool.close().map(\.number) }
        executor.runAll()
        for task in [waiting, waiter(in: pool)] {
            let error = await #expect(throws: CabinetError.self) { try await task.value }
            #expect(error?.message == "closed")
        }
        pool.giveBack(second)
        #expect(!executor.hasJobs)
        pool.giveBack(first)
        executor.runAll()
        #expect(await closing.value == [2, 1])
        #expect(await pool.close().isEmpty)
        #expect(await makePool(1).close().isEmpty)
    }

    @Test("A closure that throws gives its resource back")
    func failure() async throws {
        let pool = makePool(1)
        await #expect(throws: CancellationError.self) { try await pool.withResource { _ in throw CancellationError() } }
        #expect(pool.idleResources.count == 1)
    }

    @Test("Many tasks that come, are cancelled and time out keep to the limit and lose no resource")
    func crowd() async throws {
        let pool = makePool(3, waitLimit: .milliseconds(2))
        let gauge = Gauge()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<400 {
                group.addTask {
                    let task = Task {
                        try await pool.withResource { _ in
                            gauge.begin(number)
                            defer { gauge.end() }
                            for _ in 0..<number % 7 { await Task.yield() }
                            if number % 40 == 0 { try await Task.sleep(for: .milliseconds(3)) }
                        }
                    }
                    for _ in 0..<number % 5 { await Task.yield() }
                    if number % 3 == 0 { task.cancel() }
                    _ = await task.result
                }
            }
        }
        #expect(gauge.most <= 3)
        #expect(pool.waiterCount == 0)
        #expect(pool.idleResources.count == Set(pool.idleResources.map(\.number)).count)
        #expect(await pool.close().count == pool.createdCount)
    }

    @Test("Permits limit how many tasks run at the same time", arguments: [0, 1, 3])
    func permits(_ permits: Int) async throws {
        let pool = ResourcePool(permits: permits)
        let gauge = Gauge()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<15 {
                group.addTask {
                    try await pool.withResource { _ in
                        gauge.begin(number)
                        // With other tests beside this one, a task waits for its turn for long.
                        for _ in 0..<2 { await Task.yield() }
                        gauge.end()
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(gauge.most <= max(permits, 1))
    }
}
