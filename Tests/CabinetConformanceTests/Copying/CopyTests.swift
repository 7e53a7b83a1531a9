import BackendTestSupport
import Cabinet
import CabinetSQLite
import CabinetTools
import Foundation
import Synchronization
import Testing

@testable import CabinetConformance

/// A copy has everything that its source has, for all kinds of stores.
@Suite("Copies")
struct CopyTests {
    @Test("A copy is equal", arguments: CopyRoute.allCases)
    func isEqual(_ route: CopyRoute) async throws {
        try await route.with { source, target in
            try await CopySamples.fill(source, size: CopySamples.bigSize)
            let before = try await StoreDump.all(source)
            let (old, new) = (try CopySamples.container(source), try CopySamples.container(target))
            let report = try await old.copy(to: new)
            #expect(try await StoreDump.all(target) == before)
            #expect(try await StoreDump.all(source) == before)

            let contents = report.databases.map(\.content)
            #expect(Set(report.databases.map(\.database)) == Set(CopySamples.databases))
            for database in report.databases {
                let dump = try #require(before[database.database])
                #expect(database.content.recordCount == dump.records.count)
                #expect(database.content.zoneCount == dump.zones.count)
                #expect(database.content.subscriptionCount == dump.subscriptions.count)
                #expect(database.content.assetCount == dump.assets.count)
                #expect(database.content.assetBytes == dump.assets.keys.reduce(0) { $0 + $1.size })
            }
            #expect(report.copied.savedRecords == contents.reduce(0) { $0 + $1.recordCount })
            // Each asset once, for any number of records that have it.
            #expect(report.copied.assets == contents.reduce(0) { $0 + $1.assetCount })
            #expect(report.copied.assetBytes == contents.reduce(0) { $0 + $1.assetBytes })

            let verification = try await new.verify()
            #expect(verification.isClean, "\(verification)")

            // A repeated copy has nothing to do, and the content stays the same.
            let again = try await old.copy(to: new)
            #expect(again.copied == CopyCounts())
            #expect(again.databases.map(\.content) == contents)
        }
    }

    @Test("A copy of a copy has the same digest")
    func copyOfCopy() async throws {
        let stores = [MemoryBackend(), MemoryBackend(), MemoryBackend()]
        try await CopySamples.fill(stores[0])
        let containers = try stores.map { try CopySamples.container($0) }
        let first = try await containers[0].copy(to: containers[1])
        let second = try await containers[1].copy(to: containers[2])
        #expect(first.databases.map(\.content) == second.databases.map(\.content))
        #expect(try await StoreDump.all(stores[0]) == StoreDump.all(stores[2]))
    }

    @Test("Only the changes since the last copy are copied", arguments: CopyRoute.allCases)
    func catchesUp(_ route: CopyRoute) async throws {
        try await route.with { source, target in
            try await CopySamples.fill(source)
            let key = DatabaseKey.private(owner: "_anna")
            let copy = DatabaseCopy(of: key, from: source, to: target)
            let first = try await copy.catchUp()
            #expect(first.savedRecords == 46)
            #expect(try await copy.catchUp() == CopyCounts())

            let database = try CopySamples.container(source).privateDatabase
            let zoneID = RecordZone.ID(zoneName: "Zone of anna")
            // A record changes and loses its asset; one is deleted, one is added, and one is recreated with another
            // type.
            _ = try await database.save(try await database.record(for: .named("anna-10")).with(["file": nil]))
            _ = try await database.modifyRecords(
                saving: [Record("Items", "new", ["file": Asset(data: Data("new".utf8))])],
                deleting: [.named("anna-8"), .named("anna-9")])
            try await database.save(Record("Lists", "anna-9"))
            // A zone is recreated, and another one is new.
            _ = try await database.modifyRecordZones(saving: [RecordZone(zoneName: "More")], deleting: [zoneID])
            _ = try await database.modifyRecordZones(saving: [RecordZone(zoneID: zoneID)], deleting: [])
            try await database.save(Record(recordType: "Items", recordID: RecordID(recordName: "z", zoneID: zoneID)))
            _ = try await database.modifySubscriptions(saving: [], deleting: ["all"])
            let counts = try await copy.catchUp()
            #expect(counts.savedRecords == 4)
            #expect(counts.removedRecords == 2)
            #expect(counts.changedZones == 3)
            #expect(counts.changedSubscriptions == 1)
            #expect(counts.assets == 1)

            let report = try await copy.finish()
            #expect(report.copied == CopyCounts())
            #expect(try await StoreDump(target, key) == StoreDump(source, key))
        }
    }

    @Test("A store keeps an asset that moves from one record to another", arguments: CopyRoute.allCases)
    func assetPassesOn(_ route: CopyRoute) async throws {
        try await route.with { source, target in
            let (old, new) = (try CopySamples.container(source), try CopySamples.container(target))
            let files = (0..<4).map { Asset(data: AssetSamples.bytes(500, seed: UInt64(100 + $0))) }
            let records = try await old.privateDatabase.saveAll(
                files.enumerated().map { Record("Items", "old \($0)", ["file": $1]) })
            _ = try await old.copy(to: new)
            for (index, step) in ["deletion", "update", "other type", "zone"].enumerated() {
                var record = Record("Items", "new \(index)", ["file": files[index]])
                switch step {
                case "deletion": try await old.privateDatabase.deleteAll(["old 0"])
                case "update": try await old.privateDatabase.save(records[1].with(["file": nil]))
                case "other type":
                    try await old.privateDatabase.deleteAll(["old 2"])
                    record = Record("Lists", "old 2", ["file": files[2]])
                default:
                    let zone = RecordZone(zoneName: "Zone")
                    try await old.privateDatabase.save(zone)
                    record = Record(recordType: "Items", recordID: RecordID(recordName: "new", zoneID: zone.zoneID))
                    record["file"] = files[3]
                    try await old.privateDatabase.deleteAll(["old 3"])
                }
                try await old.privateDatabase.save(record)
                let report = try await old.copy(to: new)
                #expect(report.databases.map(\.content.assetCount).reduce(0, +) == 4, "after \(step)")
                #expect(try await StoreDump.all(target) == StoreDump.all(source), "after \(step)")
                let copied: Asset? = try await new.privateDatabase.record(for: record.recordID)["file"]
                #expect(try await copied?.data() == files[index].data())
            }
            let verification = try await new.verify()
            #expect(verification.isClean, "\(verification)")
        }
    }

    @Test("Deletions that the source has forgotten are found out")
    func forgottenDeletions() async throws {
        let (source, target) = (MemoryBackend(), MemoryBackend())
        let container = try CopySamples.container(source, retention: ChangeRetention(age: 0, count: 0))
        let database = container.privateDatabase
        try await database.saveAll(
            (0..<1500).map { (number: Int) in Record("Items", "r\(number)", ["number": number]) })
        let key = DatabaseKey.private(owner: "_anna")
        let copy = DatabaseCopy(of: key, from: source, to: target)
        try await copy.catchUp()
        try await database.deleteAll((0..<1100).map { "r\($0)" })
        let counts = try await copy.catchUp()
        #expect(counts.removedRecords == 1100)
        try await copy.finish()
        #expect(try await StoreDump(target, key) == StoreDump(source, key))
    }

    @Test("A copy has the state of one instant during concurrent writes")
    func concurrentWriters() async throws {
        try await CopyRoute(source: .sqlite, target: .sqlite).with { source, target in
            let database = try CopySamples.container(source).privateDatabase
            let key = DatabaseKey.private(owner: "_anna")
            // In every batch the sum stays the same.
            try await database.saveAll((0..<1000).map { Record("Accounts", "a\($0)", ["sum": 10]) })
            let isDone = Mutex(false)
            async let writing: Int = {
                var count = 0
                while !isDone.withLock({ $0 }) {
                    let (a, b) = ("a\(count * 7 % 1000)", "a\(count * 7 % 999 + 1)")
                    if a == b { continue }
                    let (from, to) = (try await database.fetch(a), try await database.fetch(b))
                    let (x, y): (Int?, Int?) = (from["sum"], to["sum"])
                    try await database.saveAll([from.with(["sum": (x ?? 0) - 1]), to.with(["sum": (y ?? 0) + 1])])
                    count += 1
                }
                return count
            }()
            let copy = DatabaseCopy(of: key, from: source, to: target)
            for _ in 0..<3 {
                try await copy.catchUp()
                let dump = try await StoreDump(target, key)
                let sum = dump.records.reduce(0) { total, record in
                    if case .int64(let number)? = record.fields["sum"] { total + Int(number) } else { total }
                }
                #expect(sum == 10_000)
            }
            isDone.withLock { $0 = true }
            #expect(try await writing > 0)
            try await copy.finish()
            #expect(try await StoreDump(target, key) == StoreDump(source, key))
        }
    }

    @Test("The progress reaches the end, and a cancelled copy continues later")
    func progress() async throws {
        let (source, target) = (MemoryBackend(), MemoryBackend())
        try await CopySamples.fill(source, size: CopySamples.bigSize)
        let (old, new) = (try CopySamples.container(source), try CopySamples.container(target))
        let seen = Mutex<[CopyProgress]>([])
        let task = Task {
            try await old.copy(to: new) { progress in
                seen.withLock { $0.append(progress) }
                if progress.completedBytes > 1 << 19 { withUnsafeCurrentTask { $0?.cancel() } }
            }
        }
        await #expect(throws: CabinetError.self) { try await task.value }
        let report = try await old.copy(to: new) { progress in seen.withLock { $0.append(progress) } }
        #expect(try await StoreDump.all(target) == StoreDump.all(source))
        let all = seen.withLock(\.self)
        for progress in all {
            #expect(progress.completedRecords <= progress.totalRecords)
            #expect(progress.completedAssets <= progress.totalAssets)
            #expect(progress.completedBytes <= progress.totalBytes)
            #expect(progress.databaseCount == report.databases.count)
        }
        let last = try #require(all.last)
        let content = try #require(report.databases.first { $0.database == last.database }).content
        #expect(last.phase == .verifying)
        #expect((last.completedRecords, last.totalRecords) == (content.recordCount, content.recordCount))
        #expect((last.completedBytes, last.totalBytes) == (content.assetBytes, content.assetBytes))
        #expect(last.databaseNumber == last.databaseCount)
    }
}
