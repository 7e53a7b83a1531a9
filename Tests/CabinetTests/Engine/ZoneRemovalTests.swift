import Foundation
import Synchronization
import Testing

@testable import Cabinet

@Suite("Removals of zones")
struct ZoneRemovalTests {
    private let backend = CountingBackend()

    private func database(_ retention: ChangeRetention = ChangeRetention()) throws -> Database {
        try Container(identifier: "com.example.removals", backend: backend, changeRetention: retention).publicDatabase
    }

    private func zones(_ names: Range<Int>) -> [RecordZone] { names.map { RecordZone(zoneName: "Z\($0)") } }

    private func remove(_ zones: [RecordZone], from database: Database) async throws {
        let results = try await database.modifyRecordZones(saving: [], deleting: zones.map(\.zoneID)).deleteResults
        for result in results.values { try result.get() }
    }

    private func entries(_ keys: Range<StorageKey>) async throws -> [String] {
        try await backend.read(.public) { try await $0.allEntries(in: keys).map(\.key.text) }
    }

    /// Stores removals as an earlier version does, with the numbers of present ones.
    private func storeAsEarlier() async throws {
        try await backend.write(.public) { transaction in
            let removals = try await transaction.removals(after: 0, limit: .max)
            let numbers = try await transaction.allEntries(in: ZoneRemoval.allZoneKeys)
            try await transaction.apply((removals.map(\.key) + numbers.map(\.key)).map { .setEntry($0, nil) })
            try await transaction.apply(
                removals.map { removal in
                    let id = removal.zoneID
                    let key = StorageKey("database", "removedZone", id.ownerName, id.zoneName)
                    return StorageMutation.setEntry(key, "\(removal.sequenceNumber)")
                })
        }
    }

    @Test("A request with the last token, and a live query, read no removal, however many there are")
    func cost() async throws {
        let database = try database()
        for start in stride(from: 0, to: 10_000, by: 2_500) {
            let zones = zones(start..<start + 2_500)
            _ = try await database.modifyRecordZones(saving: zones, deleting: [])
            try await remove(zones, from: database)
        }
        let (end, token) = (
            try await backend.read(.public) { try await DatabaseVersion.read(in: $0) },
            try await database.databaseChanges(since: nil).changeToken
        )
        try await database.save(Record(recordType: "Items"))
        #expect(try await entries(ZoneRemoval.allKeys).count == 10_000)
        backend.forgetVisits()
        let changes = try await database.databaseChanges(since: token)
        #expect(changes.modifications.map(\.zoneID) == [.default] && changes.deletions.isEmpty)
        let set = try await backend.read(.public) { try await ChangeSet.read(after: end, in: $0) }
        #expect(set.isComplete && !set.changes.isEmpty && set.removedZones.isEmpty)
        let removals = [ZoneRemoval.allKeys, ZoneRemoval.allZoneKeys, ZoneRemoval.allEarlierKeys]
        #expect(backend.foundEntries.allSatisfy { key in !removals.contains { $0.contains(key) } })
    }

    @Test("A live query with a position before a forgotten removal runs again")
    func liveQuery() async throws {
        let database = try database(ChangeRetention(count: 1))
        _ = try await database.modifyRecordZones(saving: zones(0..<2), deleting: [])
        var versions: [DatabaseVersion] = []
        for zone in zones(0..<2) {
            versions.append(try await backend.read(.public) { try await DatabaseVersion.read(in: $0) })
            try await remove([zone], from: database)
        }
        let sets = try await backend.read(.public) { [versions] snapshot in
            [
                try await ChangeSet.read(after: versions[0], in: snapshot),
                try await ChangeSet.read(after: versions[1], in: snapshot),
            ]
        }
        #expect(sets.map(\.isComplete) == [false, true])
        #expect(sets[1].removedZones.keys.map(\.zoneName) == ["Z1"])
    }

    @Test("Removals that an earlier version has stored are read, and moved by the next removal")
    func earlierVersion() async throws {
        let database = try database()
        _ = try await database.modifyRecordZones(saving: zones(0..<4), deleting: [])
        let token = try await database.databaseChanges(since: nil).changeToken
        try await remove(zones(0..<3), from: database)
        let later = try await database.databaseChanges(since: nil).changeToken
        try await storeAsEarlier()
        func deletions(_ token: ServerChangeToken) async throws -> [String] {
            try await database.databaseChanges(since: token).deletions.map(\.zoneID.zoneName)
        }
        #expect(try await deletions(token) == ["Z0", "Z1", "Z2"])
        #expect(try await deletions(later) == [])
        // One of them is removed again.
        try await database.save(zones(1..<2)[0])
        try await remove(zones(1..<2) + zones(3..<4), from: database)
        #expect(try await deletions(token) == ["Z0", "Z2", "Z1", "Z3"])
        #expect(try await deletions(later) == ["Z1", "Z3"])
        #expect(try await entries(ZoneRemoval.allEarlierKeys) == [])
        #expect(try await entries(ZoneRemoval.allKeys).count == 4)
        #expect(try await backend.read(.public) { try await $0.mutationsRepairingZoneRemovals().count } == 0)
    }

    @Test("Removals of an earlier version count as new when they move, and are forgotten then like others")
    func earlierVersionForgets() async throws {
        let clock = Mutex(Date(timeIntervalSinceReferenceDate: 0))
        let database = try Container(
            identifier: "com.example.removals", backend: backend, changeRetention: ChangeRetention(age: 100, count: 4),
            now: { clock.withLock(\.self) }
        ).publicDatabase
        _ = try await database.modifyRecordZones(saving: zones(0..<5), deleting: [])
        let token = try await database.databaseChanges(since: nil).changeToken
        try await remove(zones(0..<2), from: database)
        try await storeAsEarlier()
        clock.withLock { $0 += 1_000 }
        try await remove(zones(2..<3), from: database)
        #expect(try await database.databaseChanges(since: token).deletions.count == 3)
        clock.withLock { $0 += 101 }
        try await remove(zones(3..<4), from: database)
        let error = await #expect(throws: CabinetError.self) { try await database.databaseChanges(since: token) }
        #expect(error?.code == .changeTokenExpired)
        #expect(try await entries(ZoneRemoval.allKeys).count == 1)
        #expect(try await entries(ZoneRemoval.allZoneKeys).count == 1)
    }
}
