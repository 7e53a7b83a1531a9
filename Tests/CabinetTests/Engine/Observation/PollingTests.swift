import Cabinet
import Synchronization
import Testing

@Suite("Signals that come from polling", .timeLimit(.minutes(15)))
struct PollingTests {
    /// A store with a version that other processes change.
    private final class Store: Sendable {
        private struct State {
            var version = 0
            var polls = 0
            var error: CabinetError?
        }

        private let state = Mutex(State())

        var polls: Int { state.withLock(\.polls) }

        func change() { state.withLock { $0.version += 1 } }

        func fail(_ error: CabinetError?) { state.withLock { $0.error = error } }

        func poll() throws -> Int {
            try state.withLock { state in
                state.polls += 1
                if let error = state.error { throw error }
                return state.version
            }
        }
    }

    private let store = Store()
    private let broadcaster = ChangeBroadcaster()

    private func signals(every interval: Duration) -> AsyncStream<Void> {
        broadcaster.changeSignals(of: .public, every: interval) { [store] in try store.poll() }
    }

    private func waitForPolls(_ count: Int) async throws {
        let end = store.polls + count
        while store.polls < end { try await Task.sleep(for: .milliseconds(1)) }
    }

    @Test("The first poll signals, for any earlier change")
    func firstPoll() async throws {
        let backend = MemoryBackend()
        var signals = backend.polledSignals(of: .public, every: .seconds(3_600)).makeAsyncIterator()
        _ = try await backend.write(.public) { try await $0.apply([.setEntry(StorageKey("a"), "b")]) }
        #expect(await signals.next() != nil)
        await backend.close()
    }

    @Test("A backend's polls signal a schema without a change of a record, and end when it is closed")
    func backend() async throws {
        let backend = MemoryBackend()
        let container = try Container(identifier: "org.cabinet.polling", backend: backend)
        var signals = backend.polledSignals(of: .public, every: .milliseconds(1)).makeAsyncIterator()
        #expect(await signals.next() != nil)
        try await container.publicDatabase.save(Record(recordType: "Items"))
        #expect(await signals.next() != nil)
        await container.close()
        while await signals.next() != nil {}
    }

    @Test("The broadcaster's signals and those of the poll arrive in one stream")
    func bothSignals() async throws {
        var polled = signals(every: .milliseconds(1)).makeAsyncIterator()
        #expect(await polled.next() != nil)
        store.change()
        #expect(await polled.next() != nil)
        store.change()
        #expect(await polled.next() != nil)
        var slow = signals(every: .seconds(3_600)).makeAsyncIterator()
        #expect(await slow.next() != nil)
        broadcaster.signal(.private(owner: "_a"))
        broadcaster.signal(.public)
        #expect(await slow.next() != nil)
        broadcaster.finish()
        #expect(await slow.next() == nil)
        while await polled.next() != nil {}
    }

    @Test("An error signals, and the same version after it signals again; a closed store ends the stream")
    func errors() async throws {
        var signals = signals(every: .milliseconds(1)).makeAsyncIterator()
        #expect(await signals.next() != nil)
        store.fail(CabinetError(.internalError, "The disk is broken."))
        #expect(await signals.next() != nil)
        store.fail(nil)
        #expect(await signals.next() != nil)
        store.fail(CabinetError(.serviceUnavailable, "The store was closed."))
        while await signals.next() != nil {}
    }

    @Test("Polls without a change do not signal, and end when the stream is released or the broadcaster finished")
    func ending() async throws {
        let count = Mutex(0)
        do {
            let reader = Task { [signals = signals(every: .milliseconds(1))] in
                for await _ in signals { count.withLock { $0 += 1 } }
            }
            try await waitForPolls(20)
            #expect(count.withLock { $0 } == 1)
            reader.cancel()
            await reader.value
        }
        try await waitForEnd()
        do {
            let signals = signals(every: .milliseconds(1))
            try await waitForPolls(2)
            withExtendedLifetime(signals) { broadcaster.finish() }
        }
        try await waitForEnd()
        for await _ in signals(every: .milliseconds(1)) {}
        try await waitForEnd()
    }

    /// Waits until there are no polls for a while.
    private func waitForEnd() async throws {
        var last = -1
        while store.polls != last {
            last = store.polls
            try await Task.sleep(for: .milliseconds(200))
        }
    }

    @Test("The callback runs once when a stream ends, even if the broadcaster is finished already")
    func termination() async {
        let count = Mutex(0)
        var stream: AsyncStream<Void>? = broadcaster.changeSignals(of: .public) { count.withLock { $0 += 1 } }
        #expect(stream != nil)
        #expect(count.withLock { $0 } == 0)
        stream = nil
        #expect(count.withLock { $0 } == 1)
        let open = broadcaster.changeSignals(of: .public) { count.withLock { $0 += 1 } }
        broadcaster.finish()
        for await _ in open {}
        #expect(count.withLock { $0 } == 2)
        for await _ in broadcaster.changeSignals(of: .public, onTermination: { count.withLock { $0 += 1 } }) {}
        #expect(count.withLock { $0 } == 3)
    }

    @Test(
        "With a broadcaster, the writes of this process signal at once, and those of others at the next read",
        .timeLimit(.minutes(15)))
    func broadcasting() async throws {
        let backend = MemoryBackend()
        let broadcaster = ChangeBroadcaster()
        let slow = broadcaster.polling(backend, every: .seconds(3_600)).changeSignals(of: .public)
        var signals = slow.makeAsyncIterator()
        // The first read signals too.
        #expect(await signals.next() != nil)
        broadcaster.signal(.public)
        #expect(await signals.next() != nil)
        var polled = broadcaster.polling(backend, every: .milliseconds(5)).changeSignals(of: .public)
            .makeAsyncIterator()
        #expect(await polled.next() != nil)
        try await backend.write(.public) { try await $0.apply([.setEntry(StorageKey("a"), "b")]) }
        let container = try Container(identifier: "com.example.test", backend: backend)
        try await container.publicDatabase.save(Record(recordType: "Items"))
        #expect(await polled.next() != nil)
        broadcaster.finish()
        while await polled.next() != nil {}
        #expect(await signals.next() == nil)
        await backend.close()
    }
}
