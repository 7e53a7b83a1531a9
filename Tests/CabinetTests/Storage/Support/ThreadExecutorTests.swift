import Foundation
import Synchronization
import Testing

@testable import Cabinet

/// Work that belongs to one thread.
@Suite(.timeLimit(.minutes(15))) struct ThreadExecutorTests {
    @Test("All jobs run on one thread, one after the other, and on no other thread")
    func oneThread() async throws {
        let executor = ThreadExecutor(label: "test")
        #expect(!executor.isCurrent)
        let names = Names()
        try await withThrowingTaskGroup { group in
            for _ in 0..<50 {
                group.addTask { try await executor.run { names.insert(ObjectIdentifier(Thread.current)) } }
            }
            try await group.waitForAll()
        }
        #expect(names.count == 1)
        #expect(try await executor.run { executor.isCurrent })
    }

    @Test("A task that prefers the executor continues on its thread")
    func preference() async throws {
        let executor = ThreadExecutor(label: "test")
        await withTaskExecutorPreference(executor) {
            let first = executor.isCurrent
            await Task.yield()
            #expect(first && executor.isCurrent)
        }
    }

    @Test("An executor whose work throws stays usable")
    func failure() async throws {
        let executor = ThreadExecutor(label: "test")
        await #expect(throws: CancellationError.self) { try await executor.run { throw CancellationError() } }
        #expect(try await executor.run { 1 } == 1)
    }

    @Test("The thread ends with its executor")
    func end() async throws {
        weak var thread: Thread?
        do {
            let executor = ThreadExecutor(label: "test")
            let box = Names()
            try await executor.run { box.thread.withLock { $0 = WeakThread(value: Thread.current) } }
            thread = box.thread.withLock { $0?.value }
        }
        // The system's thread owns its object.
        while thread != nil { try await Task.sleep(for: .milliseconds(5)) }
    }

    // Unchecked, and safe: the reference is set once, and a thread's state may be read from any thread.
    private struct WeakThread: @unchecked Sendable {
        weak var value: Thread?
    }

    private final class Names: Sendable {
        let thread = Mutex<WeakThread?>(nil)
        private let names = Mutex<Set<ObjectIdentifier>>([])
        var count: Int { names.withLock { $0.count } }
        func insert(_ name: ObjectIdentifier) { _ = names.withLock { $0.insert(name) } }
    }
}
