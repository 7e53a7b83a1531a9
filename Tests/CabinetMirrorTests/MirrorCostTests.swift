import Cabinet
import CabinetMirror
import Testing

/// The calls of the other work of a mirror to its store.
@Suite("The cost of a mirror")
struct MirrorCostTests {
    @Test("is one more call and two more entries for a save, for any number of records", arguments: [1, 200])
    func save(count: Int) async throws {
        let scene = try await MirrorScene()
        let (plain, local) = (CountingStore(), CountingStore())
        let container = try Container(identifier: MirrorScene.container, backend: plain, account: scene.user)
        let device = try await scene.device(on: local)
        var costs: [CountingStore.Counts] = []
        for (database, store) in [(container.privateDatabase, plain), (device.database, local)] {
            try await database.save(scene.note("first", "1"))
            let before = store.counts
            try await database.save((0..<count).map { scene.note("n\($0)", "1") })
            costs.append(store.counts - before)
        }
        var expected = costs[0]
        expected.calls += 1
        // The pending change of each record, and their number.
        expected.loadedEntries += count + 1
        expected.changedEntries += count + 1
        #expect(costs[1] == expected)
    }

    @Test("is one transaction for each page of a fetch")
    func fetch() async throws {
        var costs: [CountingStore.Counts] = []
        for pages in [2, 3] {
            let scene = try await MirrorScene()
            for page in 0..<pages {
                try await scene.remote.save((0..<500).map { scene.note("n\(page)-\($0)", "1") })
            }
            let local = CountingStore()
            let device = try await scene.device(on: local) { $0.pageSize = 500 }
            try await device.mirror.fetchChanges()
            #expect(try await device.database.count(matching: Query(recordType: "Notes")) == pages * 500)
            costs.append(local.counts)
        }
        let page = costs[1] - costs[0]
        #expect(page.writes == 1)
        #expect(page.reads == 0)
        #expect(page.calls == 3)
        #expect(page.changedRecords == 500)
    }
}
