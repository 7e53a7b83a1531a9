import BackendTestSupport
import Cabinet
import CabinetTools
import Foundation
import Testing

@testable import CabinetConformance

/// Clients' data from the source is valid in the copy, or has expired.
@Suite("Tokens, tags and cursors of copies")
struct CopyTokenTests {
    private let key = DatabaseKey.private(owner: "_anna")
    private let zoneID = RecordZone.ID(zoneName: "Zone of anna")

    private struct Tokens {
        var database: ServerChangeToken
        var zones: [RecordZone.ID: ServerChangeToken] = [:]
        var notifications: NotificationToken

        init(_ container: Container, _ zoneIDs: [RecordZone.ID]) async throws {
            database = try await container.privateDatabase.databaseChanges(since: nil).changeToken
            for zoneID in zoneIDs {
                zones[zoneID] =
                    try await container.privateDatabase.recordZoneChanges(inZoneWith: zoneID, since: nil).changeToken
            }
            notifications = try await container.fetchNotifications(since: nil).token
        }
    }

    private func expectExpired(_ tokens: Tokens, in container: Container) async throws {
        let database = container.privateDatabase
        var codes: [CabinetError.Code?] = []
        codes.append(
            await #expect(throws: CabinetError.self) { try await database.databaseChanges(since: tokens.database) }?
                .code)
        for (zoneID, token) in tokens.zones {
            codes.append(
                await #expect(throws: CabinetError.self) {
                    try await database.recordZoneChanges(inZoneWith: zoneID, since: token)
                }?.code)
        }
        codes.append(
            await #expect(throws: CabinetError.self) {
                try await container.fetchNotifications(since: tokens.notifications)
            }?.code)
        #expect(codes.allSatisfy { $0 == .changeTokenExpired }, "\(codes)")
    }

    @Test("Tokens of the source, of a copy under way, and of another copy have expired", arguments: CopyRoute.allCases)
    func tokens(_ route: CopyRoute) async throws {
        try await route.with { source, target in
            try await CopySamples.fill(source)
            let (old, new) = (try CopySamples.container(source), try CopySamples.container(target))
            let before = try await Tokens(old, [.default, zoneID])
            let copy = DatabaseCopy(of: key, from: source, to: target)
            try await copy.catchUp()
            // The default zone of an unfinished copy reports nothing, and other tokens are invalid later.
            var underWay = try await Tokens(new, [zoneID])
            try await old.privateDatabase.save(Record("Items", "later"))
            let after = try await Tokens(old, [.default, zoneID])
            try await copy.finish()
            for tokens in [before, underWay, after] { try await expectExpired(tokens, in: new) }
            // The source remains in use, contrary to the documentation.
            for number in 0..<50 { try await old.privateDatabase.save(Record("Items", "on\(number)")) }
            try await expectExpired(try await Tokens(old, [.default, zoneID]), in: new)

            // Tokens of the copy itself are valid, and miss nothing.
            underWay = try await Tokens(new, [.default, zoneID])
            try await new.privateDatabase.save(Record("Items", "there"))
            let page = try await new.privateDatabase.recordZoneChanges(
                inZoneWith: .default, since: underWay.zones[.default])
            #expect(page.modificationResultsByID.keys.map(\.recordName) == ["there"])
            let zones = try await new.privateDatabase.databaseChanges(since: underWay.database)
            #expect(zones.modifications.map(\.zoneID) == [.default])
            #expect(zones.deletions.isEmpty)
            _ = try await new.fetchNotifications(since: underWay.notifications)

            // They are invalid in another copy, and in the source.
            let other = MemoryBackend()
            try await DatabaseCopy(of: key, from: source, to: other).finish()
            try await expectExpired(
                try await Tokens(new, [.default, zoneID]), in: try CopySamples.container(other))
            try await expectExpired(try await Tokens(new, [.default, zoneID]), in: old)
        }
    }

    @Test("A device with a token-based copy has the same records afterwards")
    func devices() async throws {
        let (source, target) = (MemoryBackend(), MemoryBackend())
        try await CopySamples.fill(source)
        let (old, new) = (try CopySamples.container(source), try CopySamples.container(target))
        var device = LocalCopy()
        try await device.update(from: old.privateDatabase)
        try await old.privateDatabase.deleteAll(["anna-3"])
        _ = try await old.privateDatabase.modifyRecordZones(saving: [], deleting: [zoneID])
        try await old.copy(to: new)
        try await device.update(from: new.privateDatabase)
        #expect(Set(device.zones.keys) == [.default])
        #expect(device.zones[.default]?.records[.named("anna-3")] == nil)
        #expect(device.zones[.default]?.records.count == 22)
    }

    @Test("A record that was fetched before can be saved after, unless it has changed")
    func tags() async throws {
        let (source, target) = (MemoryBackend(), MemoryBackend())
        let (old, new) = (try CopySamples.container(source), try CopySamples.container(target))
        let stale = try await old.privateDatabase.save(Record("Items", "a", ["number": 1]))
        let current = try await old.privateDatabase.save(stale.with(["number": 2]))
        try await old.copy(to: new)
        #expect(try await new.privateDatabase.fetch("a").recordChangeTag == current.recordChangeTag)
        // A client that continues with the source gets tags that the copy never assigns.
        var elsewhere = current
        var tags: Set<String?> = []
        for number in 3..<100 {
            elsewhere = try await old.privateDatabase.save(elsewhere.with(["number": number]))
            tags.insert(elsewhere.recordChangeTag)
        }
        var saved = try await new.privateDatabase.save(current.with(["number": 3]))
        for number in 0..<100 {
            #expect(!tags.contains(saved.recordChangeTag))
            saved = try await new.privateDatabase.save(saved.with(["number": number]))
        }
        for record in [stale, current, elsewhere] {
            let error = await #expect(throws: CabinetError.self) { try await new.privateDatabase.save(record) }
            #expect(error?.code == .serverRecordChanged)
        }
    }

    @Test("A query continues at its position", arguments: CopyRoute.allCases)
    func cursors(_ route: CopyRoute) async throws {
        try await route.with { source, target in
            try await CopySamples.fill(source)
            let (old, new) = (try CopySamples.container(source), try CopySamples.container(target))
            let query = Query(recordType: "Items", sortedBy: [Sort("number")])
            let all = try await old.privateDatabase.allRecords(matching: query).map(\.recordID)
            let (first, cursor) = try await old.privateDatabase.records(matching: query, resultsLimit: 7)
            try await old.copy(to: new)
            let (rest, _) = try await new.privateDatabase.records(continuingMatchFrom: #require(cursor))
            #expect(first.map(\.0) + rest.map(\.0) == all)
        }
    }

    @Test("A copy that is brought up to date expires the tokens of its earlier state")
    func broughtUpToDate() async throws {
        let (source, target) = (MemoryBackend(), MemoryBackend())
        try await CopySamples.fill(source)
        let (old, new) = (try CopySamples.container(source), try CopySamples.container(target))
        try await old.copy(to: new)
        let tokens = try await Tokens(new, [.default, zoneID])
        // Nothing has changed: they stay valid.
        try await old.copy(to: new)
        _ = try await new.privateDatabase.databaseChanges(since: tokens.database)
        try await old.privateDatabase.save(Record("Items", "later"))
        try await old.copy(to: new)
        try await expectExpired(tokens, in: new)
        #expect(try await new.privateDatabase.existing(["later"]) == ["later"])
    }
}
