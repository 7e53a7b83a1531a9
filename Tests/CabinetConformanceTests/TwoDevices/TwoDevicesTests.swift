import Cabinet
import CabinetSQLite
import CabinetTesting
import Foundation
import Testing

@testable import CabinetConformance

/// The story that the article "Two devices" tells.
@Suite("Two devices")
struct TwoDevicesTests {
    @Test("Two devices end with what the store holds", arguments: BackendKind.allCases)
    func story(on backend: BackendKind) async throws {
        switch backend {
        case .memory: try await story(MemoryBackend())
        case .sqlite:
            try await TemporaryDirectory.with { try await story(SQLiteBackend(directory: $0)) }
        case .postgres: try await story(BackendKind.onServer())
        }
    }

    private func story(_ backend: any StorageBackend) async throws {
        let clock = TestClock()
        func database() throws -> Database {
            try Container(
                identifier: "com.example.story", backend: backend,
                changeRetention: ChangeRetention(age: 1000, count: 4),
                now: clock.now
            ).privateDatabase
        }
        var phone = Story(database: try database())
        var tablet = Story(database: try database())
        let travel = RecordZone(zoneName: "Travel")
        let list = RecordID(recordName: "list")
        let milk = RecordID(recordName: "milk")

        // The phone makes a zone, a list, and items that refer to it, in whatever order they are sent.
        try await phone.database.save(travel)
        phone.edit(Record(recordType: "Items", recordID: milk)) {
            $0["name"] = "Milk"
            $0["number"] = 1
            $0["list"] = Reference(recordID: list, action: .deleteSelf)
        }
        phone.edit(Record(recordType: "Lists", recordID: list)) { $0["name"] = "Groceries" }
        phone.edit(Record(recordType: "Trips", recordID: RecordID(recordName: "lisbon", zoneID: travel.zoneID))) {
            $0["name"] = "Lisbon"
        }
        try await phone.synchronize()
        try await tablet.synchronize()
        #expect(tablet.device.record(for: milk)?["name"] as? String == "Milk")
        #expect(tablet.device.copy.zones.count == 2)

        // Both edit the milk offline, other fields and the same one; a conflict, and one the other way round.
        for isTabletFirst in [false, true] {
            phone.edit(milk) { ($0["number"], $0["note"]) = (isTabletFirst ? 20 : 2, "phone \(isTabletFirst)") }
            tablet.edit(milk) { ($0["number"], $0["brand"]) = (isTabletFirst ? 30 : 3, "tablet \(isTabletFirst)") }
            try await tablet.restart()
            if isTabletFirst { try await tablet.synchronize() }
            try await phone.synchronize()
            try await tablet.synchronize()
            try await phone.synchronize()
            try await expectSame(phone, tablet)
            let milk = try #require(phone.device.record(for: milk))
            #expect(milk["number"] as? Int == (isTabletFirst ? 30 : 2), "The first one was faster.")
            #expect(milk["note"] as? String == "phone \(isTabletFirst)")
            #expect(milk["brand"] as? String == "tablet \(isTabletFirst)")
        }

        // The edit has waited for a week, and the copy beside it has been brought up to date since.
        phone.edit(milk) { $0["note"] = "waited" }
        tablet.edit(milk) { $0["number"] = 40 }
        try await tablet.synchronize()
        try await phone.copyOnly()
        try await phone.restart()
        try await phone.synchronize()
        try await tablet.synchronize()
        #expect(tablet.device.record(for: milk)?["note"] as? String == "waited")
        #expect(tablet.device.record(for: milk)?["number"] as? Int == 40)

        // A deletion against an edit, whichever is first; and both make a record with the same name.
        for isDeletionFirst in [false, true] {
            let cheese = RecordID(recordName: "cheese")
            phone.edit(Record(recordType: "Items", recordID: cheese)) { $0["name"] = "Cheese" }
            tablet.edit(Record(recordType: "Items", recordID: cheese)) { $0["brand"] = "Dairy" }
            try await phone.synchronize()
            try await tablet.synchronize()
            try await phone.synchronize()
            #expect(phone.device.record(for: cheese)?["brand"] as? String == "Dairy")
            #expect(phone.device.record(for: cheese)?["name"] as? String == "Cheese")
            phone.device.delete(cheese)
            tablet.edit(cheese) { $0["number"] = 9 }
            if isDeletionFirst { try await phone.synchronize() }
            try await tablet.synchronize()
            try await phone.synchronize()
            try await tablet.synchronize()
            try await expectSame(phone, tablet)
            #expect(phone.device.record(for: cheese) == nil)
        }

        // The list goes, and takes the milk with it, under an edit of the milk and a new item of that list.
        phone.device.delete(list)
        tablet.edit(milk) { $0["number"] = 50 }
        tablet.edit(Record(recordType: "Items", recordID: RecordID(recordName: "bread"))) {
            $0["list"] = Reference(recordID: list, action: .deleteSelf)
        }
        try await phone.synchronize()
        try await tablet.synchronize()
        try await expectSame(phone, tablet)
        #expect(tablet.device.record(for: milk) == nil)
        #expect(tablet.device.record(for: RecordID(recordName: "bread")) == nil)

        // The zone is deleted under the tablet's feet; and made anew.
        let lisbon = RecordID(recordName: "lisbon", zoneID: travel.zoneID)
        tablet.edit(lisbon) { $0["name"] = "Porto" }
        try await phone.database.deleteRecordZone(withID: travel.zoneID)
        try await tablet.synchronize()
        #expect(tablet.device.copy.zones[travel.zoneID] == nil)
        try await phone.database.save(travel)
        phone.edit(Record(recordType: "Trips", recordID: RecordID(recordName: "rome", zoneID: travel.zoneID))) { _ in }
        try await phone.synchronize()
        try await tablet.synchronize()
        try await expectSame(phone, tablet)
        #expect(tablet.device.copy.zones[travel.zoneID]?.records.count == 1)

        // The tablet is away for long, and more is deleted than the store remembers.
        for number in 0..<8 {
            phone.edit(Record(recordType: "Items", recordID: RecordID(recordName: "old \(number)"))) {
                $0["number"] = 1
            }
        }
        try await phone.synchronize()
        try await tablet.synchronize()
        for number in 0..<7 {
            phone.device.delete(RecordID(recordName: "old \(number)"))
            try await phone.synchronize()
        }
        clock.advance(by: 10_000)
        tablet.edit(RecordID(recordName: "old 7")) { $0["number"] = 2 }
        try await tablet.restart()
        try await tablet.synchronize()
        try await phone.synchronize()
        try await expectSame(phone, tablet)
        #expect(phone.device.copy.records.count == 2)
        #expect(phone.device.record(for: RecordID(recordName: "old 7"))?["number"] as? Int == 2)
        await backend.close()
    }

    /// Expects that both devices know exactly what the store holds.
    private func expectSame(_ phone: Story, _ tablet: Story) async throws {
        var stored: [RecordID: Record] = [:]
        for type in ["Lists", "Items", "Trips"] {
            for record in try await phone.database.allRecords(matching: Query(recordType: type)) {
                stored[record.recordID] = record
            }
        }
        #expect(phone.device.copy.records == stored)
        #expect(tablet.device.copy.records == stored)
        #expect(
            Set(phone.device.copy.zones.keys) == Set(try await phone.database.allRecordZones().map(\.zoneID)))
    }
}

/// A device in the story.
private struct Story {
    let database: Database
    var device = Device()

    /// Changes a record that the device shows.
    mutating func edit(_ id: RecordID, _ change: (inout Record) -> Void) {
        guard let record = device.record(for: id) else {
            Issue.record("The device does not know \(id).")
            return
        }
        edit(record, change)
    }

    mutating func edit(_ record: Record, _ change: (inout Record) -> Void) {
        var record = record
        change(&record)
        device.save(record)
    }

    mutating func synchronize() async throws {
        try await device.synchronize(with: database, resolvingConflictsWith: .fieldwise(whenBothChanged: .server))
    }

    /// The app is ended, and begins again with what it has written.
    mutating func restart() async throws {
        device = try JSONDecoder().decode(Device.self, from: JSONEncoder().encode(device))
    }

    /// Takes in what others did, while the edits wait.
    mutating func copyOnly() async throws {
        try await device.update(from: database)
    }
}
