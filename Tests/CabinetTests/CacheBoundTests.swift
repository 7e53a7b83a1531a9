import Foundation
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

    @Test("The history of an observed database drops the oldest changes")
    func history() {
        let history = ChangeHistory(of: .public)
        func changes(after number: Int64) -> [ChangeSet]? {
            history.changes(after: TimelinePoint(number: number))?.sets
        }
        for number in 0..<50_000 { history.append(.zone(number)) }
        #expect(history.size <= ChangeHistory.sizeLimit)
        #expect(history.size > ChangeHistory.sizeLimit / 2)
        #expect(changes(after: 0) == nil)
        #expect(changes(after: 50_000 - 1_000)?.count == 1_000)
    }

    @Test("Subscriptions are remembered up to a number and a size", arguments: [(4, 1 << 20), (1_000, 2_000)])
    func subscriptions(countLimit: Int, sizeLimit: Int) {
        let cache = SubscriptionCache(countLimit: countLimit, sizeLimit: sizeLimit)
        for number in 0..<100 {
            // One that cannot be decoded is remembered as such.
            let entry = StorageEntry(key: StorageKey("subscription"), text: "damaged \(number)")
            #expect(cache.subscriptions(in: [entry, entry]).isEmpty)
            #expect(cache.statistics.count <= countLimit)
            #expect(cache.statistics.size <= sizeLimit)
        }
        #expect(cache.statistics.count > 0)
        #expect(cache.statistics.decodingCount == 100)
        let large = StorageEntry(key: StorageKey("subscription"), text: String(repeating: "x", count: sizeLimit))
        #expect(cache.subscriptions(in: [large]).isEmpty)
        #expect(cache.statistics.size <= sizeLimit)
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
