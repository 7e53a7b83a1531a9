import Testing

@testable import Cabinet

/// The caches that "Caches" in CONTRIBUTING lists, each asked for more than it holds.
@Suite struct CacheBoundTests {
    @Test("The slots of fields are remembered for a limited number of lists of names")
    func slots() {
        var slots = FieldSlots(["x"])
        let lists = (0..<200).map { FieldNames(["a\($0)", "x"]) }
        for list in lists {
            slots.use(list)
            #expect(slots.positions == [1])
        }
        #expect(slots.knownCount == FieldSlots.knownLimit)
    }

    @Test("An observer that reads nothing is left with the news that something has changed")
    func inbox() {
        let inbox = ChangeInbox()
        for number in 0..<Int64(10 * ChangeSet.maximumCount) {
            inbox.put(ChangeSet(start: number, end: number + 1, timeline: nil, schema: StoredSchema()))
        }
        let content = inbox.take()
        #expect(content.isIncomplete)
        #expect(content.sets.isEmpty)
    }

    @Test("Reading a database that was never written leaves nothing in a memory backend")
    func memory() async throws {
        let backend = MemoryBackend()
        for number in 0..<100 {
            let schema = try await backend.read(.private(owner: "\(number)")) { try await $0.schema() }
            #expect(schema == StoredSchema())
        }
        #expect(try await backend.databases() == [])
        try await backend.write(.public) { try await $0.apply([.addFields([], to: "Items")]) }
        #expect(try await backend.databases() == [.public])
        await backend.close()
    }
}
