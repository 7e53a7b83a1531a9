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

    @Test(
        "Subscriptions are remembered up to a number of topics and a size", arguments: [(4, 1 << 20), (1_000, 40_000)])
    func subscriptions(countLimit: Int, sizeLimit: Int) {
        let cache = SubscriptionCache(countLimit: countLimit, sizeLimit: sizeLimit)
        func key(_ number: Int) -> SubscriptionCache.Key {
            SubscriptionCache.Key(database: .public, topic: .type("T\(number)"), version: "1")
        }
        func entries(_ count: Int) -> [StorageEntry] {
            Array(repeating: StorageEntry(key: StorageKey("s"), text: "damaged"), count: count)
        }
        for number in 0..<100 {
            // Entries that cannot be decoded are remembered as such.
            #expect(cache.list(key(number)) == nil)
            #expect(cache.list(key(number), of: entries(2)).subscribers.isEmpty)
            #expect(cache.list(key(number))?.entryCount == 2)
            // A topic in use stays.
            #expect((cache.list(key(0)) ?? cache.list(key(0), of: entries(2))).entryCount == 2)
            #expect(cache.statistics.count <= countLimit)
            #expect(cache.statistics.size <= sizeLimit)
        }
        #expect(cache.statistics.decodingCount == 200)
        // A topic that is too large is decoded each time, and evicts no other.
        let count = cache.statistics.count
        #expect(count > 1)
        #expect(cache.list(key(100), of: entries(1_000 + sizeLimit / 512)).entryCount == 1_000 + sizeLimit / 512)
        #expect(cache.list(key(100)) == nil)
        #expect(cache.list(key(0)) != nil)
        #expect(cache.statistics.count == count)
    }

    @Test("The databases that have a strict schema are remembered up to a number")
    func databases() {
        let schema = StrictSchema(Schema())
        for number in 0...StrictSchema.preparedLimit { schema.setPrepared(.private(owner: "\(number)")) }
        #expect(!schema.isPrepared(.private(owner: "0")))
        #expect(schema.isPrepared(.private(owner: "\(StrictSchema.preparedLimit)")))
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
