import Cabinet
import CabinetMirror
import Foundation
import Testing

/// The records that a mirror keeps, and those that it cannot keep.
@Suite("Records that a mirror keeps")
struct SelectionTests {
    private func names(in database: Database, zone: RecordZone.ID) async throws -> [String] {
        let records = try await database.inZone(zone).allRecords(matching: Query(recordType: "Notes"))
        return records.map(\.recordID.recordName).sorted()
    }

    @Test(
        "Old records and other types stay on the server, and leave the store when they no longer match",
        arguments: RemoteKind.allCases)
    func filters(on kind: RemoteKind) async throws {
        let scene = try await MirrorScene(kind)
        let remote = try scene.remote
        for (name, year) in [("a", 2020), ("b", 2025), ("c", 2026)] {
            var note = scene.note(name, name)
            note["year"] = year
            try await remote.save(note)
        }
        try await remote.save(Record(recordType: "Logs", recordID: scene.id("log")))
        let device = try await scene.device {
            $0.selection.recordTypes = ["Notes"]
            $0.selection.filters["Notes"] = .field("year") > 2024
            $0.pageSize = 2
        }
        try await device.sync()
        #expect(try await names(in: device.database, zone: scene.home) == ["b", "c"])
        await #expect(throws: CabinetError.self) {
            try await device.database.record(for: scene.id("log"))
        }

        // Another client makes a record old, and another one young.
        for (name, year) in [("b", 2019), ("a", 2027)] {
            var note = try await remote.record(for: scene.id(name))
            note["year"] = year
            try await remote.save(note)
        }
        try await device.sync()
        #expect(try await names(in: device.database, zone: scene.home) == ["a", "c"])

        // A local edit reaches the server, and its record leaves the store only then.
        var note = try await device.database.record(for: scene.id("c"))
        note["year"] = 2000
        try await device.database.save(note)
        try await device.mirror.fetchChanges()
        #expect(try await names(in: device.database, zone: scene.home) == ["a", "c"])
        try await device.sync()
        #expect(try await names(in: device.database, zone: scene.home) == ["a"])
        let year: Int? = try await remote.record(for: scene.id("c"))["year"]
        #expect(year == 2000)
        #expect(device.mirror.status.isIdle)
    }

    @Test("Another selection fetches what belongs to it now, and removes what does not", arguments: RemoteKind.allCases)
    func change(on kind: RemoteKind) async throws {
        let scene = try await MirrorScene(kind)
        let remote = try scene.remote
        let (work, home) = (RecordZone.ID(zoneName: "Work"), RecordZone.ID(zoneName: "Home"))
        for zone in [work, home] {
            try await remote.save(RecordZone(zoneID: zone))
            try await remote.save(scene.note("a", "a", in: zone))
            try await remote.save(scene.note("b", "b", in: zone))
        }
        let store = MemoryBackend()
        let first = try await scene.device(on: store) { $0.selection.zoneIDs = [work] }
        try await first.sync()
        #expect(try await names(in: first.database, zone: work) == ["a", "b"])
        #expect(try await first.database.allRecordZones().map(\.zoneID).contains(home) == false)
        try await first.set("edited", of: "a", in: work)

        let second = try await scene.device(on: store) { $0.selection.zoneIDs = [home] }
        try await second.mirror.fetchChanges()
        // The edit was not sent, so its zone stays.
        #expect(try await second.text(of: "a", in: work) == "edited")
        #expect(try await names(in: second.database, zone: home) == ["a", "b"])
        try await second.sync()
        #expect(try await second.database.allRecordZones().map(\.zoneID).contains(work) == false)
        #expect(try await scene.text(of: "a", in: work) == "edited")

        let all = try await scene.device(on: store)
        try await all.sync()
        #expect(try await names(in: all.database, zone: work) == ["a", "b"])
        #expect(all.mirror.status.isIdle)
    }

    @Test("A filter whose text changes in its normal form alone is another selection", arguments: RemoteKind.allCases)
    func normalForms(on kind: RemoteKind) async throws {
        let scene = try await MirrorScene(kind)
        let forms: KeyValuePairs = ["composed": "\u{E9}", "decomposed": "e\u{301}"]
        for (name, text) in forms {
            var note = scene.note(name, name)
            note["place"] = text
            try await scene.remote.save(note)
        }
        let store = MemoryBackend()
        for (name, text) in forms {
            let device = try await scene.device(on: store) { $0.selection.filters["Notes"] = .field("place") == text }
            try await device.sync()
            #expect(try await names(in: device.database, zone: scene.home) == [name])
        }
    }

    @Test(
        "A field with two types does not block the others, and is set aside until it fits",
        arguments: RemoteKind.allCases)
    func types(on kind: RemoteKind) async throws {
        let scene = try await MirrorScene(kind)
        let device = try await scene.device { $0.pageSize = 1 }
        let remote = try scene.remote
        for (name, value) in [("a", 1), ("b", 2)] {
            var record = scene.note(name, name)
            record["size"] = value
            try await remote.save(record)
        }
        var own = scene.note("own", "own")
        own["size"] = "large"
        try await device.database.save(own)
        try await remote.save(scene.note("z", "z"))
        try await device.mirror.fetchChanges()
        #expect(try await names(in: device.database, zone: scene.home) == ["own", "z"])
        let changes = try await device.mirror.pendingChanges()
        #expect(changes.filter(\.isIncoming).map(\.recordID.recordName) == ["a", "b"])
        let first = try #require(changes.first)
        #expect(first.error?.fieldKey == "size" && first.serverRecord?["text"] as? String == "a")

        // The server refuses the own record too. The others are not sent as deletions.
        try await device.mirror.sendChanges()
        #expect("\(device.mirror.status)" == "3 changes set aside")
        try await device.mirror.retry([first.recordID])
        try await device.mirror.sendChanges()
        #expect(try await remote.record(for: first.recordID)["size"] as? Int == 1)
        #expect(try await device.mirror.pendingChange(of: first.recordID)?.isIncoming == true)

        // Another client removes the value, and then the record fits.
        var fixed = try await remote.record(for: scene.id("a"))
        fixed["size"] = nil
        try await remote.save(fixed)
        try await device.mirror.fetchChanges()
        #expect(try await names(in: device.database, zone: scene.home) == ["a", "own", "z"])
        #expect(try await device.mirror.pendingChange(of: first.recordID) == nil)

        // The program drops the rest: an incoming change does not touch the local records.
        try await device.mirror.discard([scene.id("b"), scene.id("own")])
        #expect(try await names(in: device.database, zone: scene.home) == ["a", "z"])
        #expect(try await device.mirror.readStatus().isIdle)
        #expect(try await names(in: remote, zone: scene.home) == ["a", "b", "z"])
    }

    @Test("An edit of a record whose new version does not fit is kept, and set aside", arguments: RemoteKind.allCases)
    func editOfMisfit(on kind: RemoteKind) async throws {
        let scene = try await MirrorScene(kind)
        let remote = try scene.remote
        try await remote.save(scene.note("a", "first"))
        let device = try await scene.device()
        var own = scene.note("own", "own")
        own["size"] = "large"
        try await device.database.save(own)
        try await device.mirror.fetchChanges()
        var theirs = try await remote.record(for: scene.id("a"))
        theirs["size"] = 1
        try await remote.save(theirs)
        try await device.mirror.fetchChanges()
        #expect(try await device.mirror.pendingChange(of: scene.id("a"))?.isIncoming == true)
        try await device.set("mine", of: "a")
        #expect(try await device.mirror.pendingChange(of: scene.id("a"))?.isIncoming == false)
        try await device.mirror.sendChanges()
        let change = try #require(try await device.mirror.pendingChange(of: scene.id("a")))
        #expect(change.error != nil && !change.isIncoming)
        #expect(try await device.text(of: "a") == "mine")
        try await device.mirror.discard([scene.id("a"), scene.id("own")])
        #expect(try await device.text(of: "a") == "first")
    }
}
