import Cabinet
import SQLSupport
import Testing

@Suite("Fetching the records that references point to")
struct RecordResolverTests {
    /// The IDs of each fetch.
    private final class Fetches {
        var ids: [[String]] = []
    }

    private func resolver(_ fetches: Fetches) -> RecordResolver {
        RecordResolver { ids in
            fetches.ids.append(ids.map(\.recordName).sorted())
            return ids.map { _ in nil }
        } counting: { _ in
            0
        }
    }

    @Test("A record is fetched once")
    func once() throws {
        let fetches = Fetches()
        let resolver = resolver(fetches)
        for _ in 0..<3 {
            let found = try resolver.record("a")
            #expect(found == nil)
        }
        #expect(fetches.ids == [["a"]])
    }

    @Test("All records that a closure requests are fetched together, and it runs once more for each step of a path")
    func together() throws {
        let fetches = Fetches()
        var runs = 0
        try resolver(fetches).resolving { resolve in
            runs += 1
            for name in ["a", "b", "a"] { _ = try resolve(RecordID(recordName: name)) }
            if runs > 1 { _ = try resolve("c") }
        }
        #expect(fetches.ids == [["a", "b"], ["c"]])
        #expect(runs == 3)
    }

    @Test("It keeps a limited number of records between calls")
    func bound() throws {
        let resolver = resolver(Fetches())
        for number in 0..<(RecordResolver.limit + 100) {
            _ = try resolver.record(RecordID(recordName: "r\(number)"))
            #expect(resolver.knownCount <= RecordResolver.limit)
        }
    }
}
