import Synchronization
import Testing

@testable import Cabinet

/// A lock that tasks hold while they are suspended.
@Suite(.timeLimit(.minutes(15))) struct AsyncLockTests {
    private let lock = AsyncLock()

    /// The tasks that have had the lock, and the maximum number at once.
    private final class Log: Sendable {
        let numbers = Mutex<[Int]>([])
        private let inside = Mutex((count: 0, most: 0))

        var most: Int { inside.withLock { $0.most } }

        func visit(_ number: Int) async {
            inside.withLock { $0 = ($0.count + 1, max($0.most, $0.count + 1)) }
            numbers.withLock { $0.append(number) }
            await Task.yield()
            inside.withLock { $0.count -= 1 }
        }
    }

    @Test("One task at a time has the lock, also while it is suspended")
    func exclusion() async {
        let log = Log()
        await withTaskGroup { group in
            for number in 0..<20 {
                group.addTask { [lock] in await lock.withLock { await log.visit(number) } }
            }
        }
        #expect(log.most == 1)
        #expect(log.numbers.withLock { $0.sorted() } == Array(0..<20))
    }

    @Test("Tasks get the lock in the order in which they ask for it")
    func order() async {
        let log = Log()
        let tasks = await lock.withLock {
            var tasks: [Task<Void, Never>] = []
            for number in 0..<10 {
                tasks.append(Task { [lock] in await lock.withLock { await log.visit(number) } })
                while lock.waiterCount <= number { await Task.yield() }
            }
            return tasks
        }
        for task in tasks { await task.value }
        #expect(log.numbers.withLock { $0 } == Array(0..<10))
    }

    @Test("A closure that throws releases the lock, and its error reaches the caller")
    func failure() async throws {
        await #expect(throws: CancellationError.self) { try await lock.withLock { throw CancellationError() } }
        #expect(await lock.withLock { 1 } == 1)
    }

    @Test("A cancelled task still gets its turn")
    func cancellation() async {
        let task = await lock.withLock {
            let task = Task { [lock] in await lock.withLock { Task.isCancelled } }
            while lock.waiterCount == 0 { await Task.yield() }
            task.cancel()
            return task
        }
        #expect(await task.value)
    }

    @Test("A task that may leave the queue does so when it is cancelled, and the tasks behind it get their turns")
    func leaving() async throws {
        let last = await lock.withLock {
            let cancelled = Task { [lock] in try await lock.withLockUnlessCancelled {} }
            while lock.waiterCount == 0 { await Task.yield() }
            let last = Task { [lock] in try await lock.withLockUnlessCancelled { 1 } }
            while lock.waiterCount == 1 { await Task.yield() }
            cancelled.cancel()
            // The lock is still taken.
            await #expect {
                try await cancelled.value
            } throws: {
                CabinetError.Code.operationCancelled ~= $0
            }
            #expect(lock.waiterCount == 1)
            return last
        }
        #expect(try await last.value == 1)
        #expect(await lock.withLock { 1 } == 1)
    }

    @Test("A cancelled task gets a lock that is free")
    func cancelledTask() async throws {
        let task = Task { [lock] in
            while !Task.isCancelled { await Task.yield() }
            return try await lock.withLockUnlessCancelled { 1 }
        }
        task.cancel()
        #expect(try await task.value == 1)
    }

    @Test("A closure that does not wait runs only while no task has the lock")
    func free() async {
        var runs = 0
        await lock.withLock { lock.withLockIfFree { runs += 1 } }
        #expect(runs == 0)
        lock.withLockIfFree {
            runs += 1
            lock.withLockIfFree { runs += 1 }
        }
        #expect(runs == 1)
        #expect(await lock.withLock { 1 } == 1)
    }

    @Test("On an actor, the closure runs on the actor")
    func isolation() async {
        let counter = Counter()
        await counter.increment(under: lock)
        #expect(await counter.count == 1)
    }

    private actor Counter {
        private(set) var count = 0

        func increment(under lock: AsyncLock) async {
            await lock.withLock { count += 1 }
        }
    }
}
