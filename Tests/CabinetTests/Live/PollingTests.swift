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
}
