import Cabinet
import CabinetTesting
import SQLSupport
import Testing

@testable import CabinetSQLite

/// Few and many entries: a mirror has one for each record that it has not sent.
@Suite struct EntryTests {
    /// A store keeps what a dictionary keeps, for few and for many changes in one call.
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func entriesAreThoseOfTheLastChanges(seed: UInt64) async throws {
        let store = Store()
        var random = SeededGenerator(seed: seed)
        var model: [StorageKey: String] = [:]
        for round in 0..<12 {
            var calls: [[StorageMutation]] = []
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let count = [1, 7, 9, 63, 64, 65, 66, 130, 300].randomElement(using: &random) ?? 1
                calls.append(
                    (0..<count).map { number in
                        // Of keys that occur several times in a call, the last one counts.
                        let key = Self.key(Int.random(in: 0..<400, using: &random))
                        let text = Int.random(in: 0..<3, using: &random) == 0 ? nil : "\(round) \(number)"
                        model[key] = text
                        return .setEntry(key, text)
                    })
            }
            let keys = (0..<500).map { _ in Self.key(Int.random(in: 0..<420, using: &random)) }
            let reads = [1, 8, 9, 64, 65, 500].map { Array(keys.prefix($0)) }
            let texts = model
            try await store.backend.write(.public) { [calls] transaction in
                for call in calls { try await transaction.apply(call) }
                for keys in reads {
                    let found = try await transaction.load(StorageKeys(entries: keys)).entries
                    #expect(found == keys.map { texts[$0] })
                }
            }
            try await store.backend.read(.public) { snapshot in
                for keys in reads {
                    let found = try await snapshot.load(StorageKeys(entries: keys)).entries
                    #expect(found == keys.map { texts[$0] })
                }
                let all = try await snapshot.entries(in: StorageKey("e/")..<StorageKey("e0"), limit: .max)
                #expect(all == texts.sorted { $0.key < $1.key }.map { StorageEntry(key: $0.key, text: $0.value) })
            }
        }
    }

    private static func key(_ number: Int) -> StorageKey { StorageKey("e/\(number)") }

    /// A call that changes many entries ends what a transaction remembers of them.
    @Test func manyChangesReplaceWhatIsRemembered() async throws {
        let store = Store()
        let keys = (0..<KnownEntries.countLimit + 1).map(Self.key)
        let range = StorageKey("e/")..<StorageKey("e0")
        try await store.backend.write(.public) { transaction in
            try await transaction.apply([.setEntry(keys[3], "old")])
            _ = try await transaction.load(StorageKeys(entries: [keys[3], keys[4]], entryRanges: [range]))
            try await transaction.apply(keys.map { .setEntry($0, "new") })
            let values = try await transaction.load(StorageKeys(entries: [keys[3], keys[4]], entryRanges: [range]))
            #expect(values.entries == ["new", "new"])
            #expect(values.entryRanges.first?.count == keys.count)
        }
    }

    private static func expectFour(_ log: StatementLog) {
        let done = log.take()
        #expect(done.runs.count { $0.sql.contains("cabinet_entry") } == 4, "\(done)")
    }

    /// 200 entries are three statements for 64, and one for the rest.
    @Test func manyEntriesTakeFewStatements() async throws {
        var configuration = SQLiteConfiguration(maximumReaders: 1, pollingInterval: .seconds(3600))
        configuration.callerTimeLimit = .seconds(3600)
        let store = Store(configuration)
        try await store.create()
        let keys = (0..<200).map { StorageKey("e/\(1_000 + $0)") }
        let log = StatementLog()
        try await log.follow(.public, of: store.backend)
        let changes: [([StorageKey], String?)] = [(keys.reversed(), "a"), (keys.shuffled(), "b"), (keys, nil)]
        for (order, text) in changes {
            try await store.backend.write(.public) { transaction in
                try await transaction.apply(order.map { .setEntry($0, text) })
            }
            Self.expectFour(log)
            let found = try await store.backend.read(.public) {
                try await $0.load(StorageKeys(entries: order)).entries
            }
            #expect(found == order.map { _ in text })
            Self.expectFour(log)
        }
    }
}
