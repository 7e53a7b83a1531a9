import Cabinet
import Testing

@Suite("Signals that come because somebody looks")
struct PollingTests {
    @Test("The first look signals, whatever has changed before it", .timeLimit(.minutes(1)))
    func firstLook() async throws {
        let backend = MemoryBackend()
        var signals = backend.polledSignals(of: .public, every: .seconds(3_600)).makeAsyncIterator()
        _ = try await backend.write(.public) { try await $0.apply([.setEntry(StorageKey("a"), "b")]) }
        #expect(await signals.next() != nil)
        await backend.close()
    }

    @Test(
        "With a broadcaster, the writes of this process signal at once, and those of others at the next read",
        .timeLimit(.minutes(1)))
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
