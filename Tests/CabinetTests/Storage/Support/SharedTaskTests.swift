import Testing

@testable import Cabinet

/// Work that several callers wait for.
@Suite(.timeLimit(.minutes(15))) struct SharedTaskTests {
    private let gate = AsyncLock()

    /// Starts work that ends when the gate is open, and returns whether it was cancelled by then.
    private func makeWork() -> SharedTask<Bool> { SharedTask { [gate] in await gate.withLock { Task.isCancelled } } }

    /// Starts a caller, which waits for work.
    private func caller(of work: SharedTask<Bool>) async -> Task<Bool, any Error> {
        let count = work.waiterCount
        let task = Task { try await work.value() }
        while work.waiterCount == count { await Task.yield() }
        return task
    }

    @Test("A caller that is cancelled leaves, and the work goes on for the others")
    func leaving() async throws {
        let (work, other) = await gate.withLock {
            let work = makeWork()
            let (cancelled, other) = (await caller(of: work), await caller(of: work))
            cancelled.cancel()
            await #expect(throws: CabinetError(.operationCancelled)) { try await cancelled.value }
            #expect(work.isPending && !work.isCancelled)
            return (work, other)
        }
        #expect(try await other.value == false)
        #expect(try await work.value() == false)
        #expect(!work.isPending)
    }

    @Test("The last caller that is cancelled cancels the work, and a later caller does not wait for it")
    func lastCaller() async throws {
        let isCancelled = Promise<Bool>()
        await gate.withLock {
            let work = SharedTask { [gate] in
                await gate.withLock { isCancelled.resolve(.success(Task.isCancelled)) }
                return true
            }
            let task = await caller(of: work)
            task.cancel()
            await #expect(throws: CabinetError(.operationCancelled)) { try await task.value }
            #expect(work.isCancelled && !work.isPending)
            await #expect(throws: CabinetError(.operationCancelled)) { try await work.value() }
        }
        #expect(try await isCancelled.value())
    }

    @Test("Work that is cancelled fails for all callers, and work that has ended keeps its result")
    func cancellation() async throws {
        await gate.withLock {
            let work = makeWork()
            let callers = [await caller(of: work), await caller(of: work)]
            work.cancel()
            for task in callers {
                await #expect(throws: CabinetError(.operationCancelled)) { try await task.value }
            }
        }
        let ended = SharedTask { 1 }
        #expect(try await ended.value() == 1)
        ended.cancel()
        #expect(try await ended.value() == 1)
        #expect(!ended.isCancelled)
    }
}
