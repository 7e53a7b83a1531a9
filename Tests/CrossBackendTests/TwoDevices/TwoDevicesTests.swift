import BackendTestSupport
import Cabinet
import CabinetSQLite
import CabinetTesting
import Foundation
import Testing

@testable import CabinetConformance

/// The story of the article "Two devices".
@Suite("Two devices")
struct TwoDevicesTests {
    @Test("Two devices end with the store's records", arguments: BackendKind.allCases)
    func story(on backend: BackendKind) async throws {
        switch backend {
        case .memory: try await story(MemoryBackend())
        case .sqlite:
            try await TestDirectory.with { try await story(SQLiteBackend(directory: $0)) }
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

        // The phone creates a zone, a list, and items that refer to it, sent in any order.
        try await phone.database.save(travel)
        await phone.edit(Record(recordType: "Items", recordID: milk)) {
            $0["name"] = "Milk"
            $0["number"] = 1
            $0["list"] = Reference(recordID: list, action: .deleteSelf)
        }
        await phone.edit(Record(recordType: "Lists", recordID: list)) { $0["name"] = "Groceries" }
        await phone.edit(Record(recordType: "Trips", recordID: RecordID(recordName: "lisbon", zoneID: travel.zoneID))) {
            $0["name"] = "Lisbon"
        }
        try await phone.synchronize()
        try await tablet.synchronize()
        #expect(await tablet.device.record(for: milk)?["name"] as? String == "Milk")
        #expect(await tablet.device.state.zones.count == 2)

        // Both edit the milk offline, in different fields and in the same one, with a conflict in each direction.
        for isTabletFirst in [false, true] {
            await phone.edit(milk) { ($0["number"], $0["note"]) = (isTabletFirst ? 20 : 2, "phone \(isTabletFirst)") }
            await tablet.edit(milk) {
                ($0["number"], $0["brand"]) = (isTabletFirst ? 30 : 3, "tablet \(isTabletFirst)")
            }
            try await tablet.restart()
            if isTabletFirst { try await tablet.synchronize() }
            try await phone.synchronize()
            try await tablet.synchronize()
            try await phone.synchronize()
            try await expectSame(phone, tablet)
            let milk = try #require(await phone.device.record(for: milk))
            #expect(milk["number"] as? Int == (isTabletFirst ? 30 : 2), "The first one was faster.")
            #expect(milk["note"] as? String == "phone \(isTabletFirst)")
            #expect(milk["brand"] as? String == "tablet \(isTabletFirst)")
        }

        // The edit has waited for a week, and the copy beside it has been updated since.
        await phone.edit(milk) { $0["note"] = "waited" }
        await tablet.edit(milk) { $0["number"] = 40 }
        try await tablet.synchronize()
        try await phone.copyOnly()
        try await phone.restart()
        try await phone.synchronize()
        try await tablet.synchronize()
        #expect(await tablet.device.record(for: milk)?["note"] as? String == "waited")
        #expect(await tablet.device.record(for: milk)?["number"] as? Int == 40)

        // A deletion against an edit, in both orders; and both create a record with the same name.
        for isDeletionFirst in [false, true] {
            let cheese = RecordID(recordName: "cheese")
            await phone.edit(Record(recordType: "Items", recordID: cheese)) { $0["name"] = "Cheese" }
            await tablet.edit(Record(recordType: "Items", recordID: cheese)) { $0["brand"] = "Dairy" }
            try await phone.synchronize()
            try await tablet.synchronize()
            try await phone.synchronize()
            #expect(await phone.device.record(for: cheese)?["brand"] as? String == "Dairy")
            #expect(await phone.device.record(for: cheese)?["name"] as? String == "Cheese")
            await phone.device.delete(cheese)
            await tablet.edit(cheese) { $0["number"] = 9 }
            if isDeletionFirst { try await phone.synchronize() }
            try await tablet.synchronize()
            try await phone.synchronize()
            try await tablet.synchronize()
            try await expectSame(phone, tablet)
            #expect(await phone.device.record(for: cheese) == nil)
        }

        // The list is deleted with the milk, during an edit of the milk and a new item of that list.
        await phone.device.delete(list)
        await tablet.edit(milk) { $0["number"] = 50 }
        await tablet.edit(Record(recordType: "Items", recordID: RecordID(recordName: "bread"))) {
            $0["list"] = Reference(recordID: list, action: .deleteSelf)
        }
        try await phone.synchronize()
        try await tablet.synchronize()
        try await expectSame(phone, tablet)
        #expect(await tablet.device.record(for: milk) == nil)
        #expect(await tablet.device.record(for: RecordID(recordName: "bread")) == nil)

        // The zone is deleted while the tablet uses it, and then recreated.
        let lisbon = RecordID(recordName: "lisbon", zoneID: travel.zoneID)
        await tablet.edit(lisbon) { $0["name"] = "Porto" }
        try await phone.database.deleteRecordZone(withID: travel.zoneID)
        try await tablet.synchronize()
        #expect(await tablet.device.state.zones[travel.zoneID] == nil)
        try await phone.database.save(travel)
        await phone.edit(Record(recordType: "Trips", recordID: RecordID(recordName: "rome", zoneID: travel.zoneID))) {
            _ in
        }
        try await phone.synchronize()
        try await tablet.synchronize()
        try await expectSame(phone, tablet)
        #expect(await tablet.device.state.zones[travel.zoneID]?.records.count == 1)

        // The tablet is offline for a long time, and more is deleted than the store remembers.
        for number in 0..<8 {
            await phone.edit(Record(recordType: "Items", recordID: RecordID(recordName: "old \(number)"))) {
                $0["number"] = 1
            }
        }
        try await phone.synchronize()
        try await tablet.synchronize()
        for number in 0..<7 {
            await phone.device.delete(RecordID(recordName: "old \(number)"))
            try await phone.synchronize()
        }
        clock.advance(by: 10_000)
        await tablet.edit(RecordID(recordName: "old 7")) { $0["number"] = 2 }
        try await tablet.restart()
        try await tablet.synchronize()
        try await phone.synchronize()
        try await expectSame(phone, tablet)
        #expect(await phone.device.records.count == 2)
        #expect(await phone.device.record(for: RecordID(recordName: "old 7"))?["number"] as? Int == 2)
        await backend.close()
    }

    @Test("A main-actor class and an actor can have a device in a property")
    @MainActor
    func properties() async throws {
        let database = try Container(identifier: "com.example.story", backend: MemoryBackend()).privateDatabase
        let (model, synchronizer) = (ItemViewModel(), Synchronizer())
        await model.rename("milk", to: "Milk")
        try await model.refresh("milk", from: database)
        #expect(model.name == "Milk")
        try await synchronizer.run(with: database)
        #expect(await synchronizer.device.record(for: "milk")?["name"] as? String == "Milk")
    }

    @Test("An edit of a record that was shown before its last edit was sent is kept", arguments: [false, true])
    func editOfShownRecord(isNew: Bool) async throws {
        let database = try Container(identifier: "com.example.story", backend: MemoryBackend()).privateDatabase
        var phone = Story(database: database)
        let milk = RecordID(recordName: "milk")
        await phone.edit(Record(recordType: "Items", recordID: milk)) { $0["name"] = "Milk" }
        if !isNew {
            try await phone.synchronize()
            await phone.edit(milk) { ($0["number"], $0["note"]) = (1, "first") }
        }
        var shown = try #require(await phone.device.record(for: milk))
        try await phone.synchronize()
        (shown["name"], shown["number"], shown["note"]) = ("Oat milk", 2, nil)
        await phone.device.save(shown)
        try await phone.synchronize()
        let stored = try await database.record(for: milk)
        #expect(stored["name"] as? String == "Oat milk")
        #expect(stored["number"] as? Int == 2)
        #expect(stored["note"] == nil)

        // A record that another device deleted is created again, not changed.
        try await database.deleteRecord(withID: milk)
        try await phone.synchronize()
        await phone.edit(Record(recordType: "Items", recordID: milk)) { $0["name"] = "New milk" }
        try await phone.synchronize()
        try await phone.restart()
        #expect(try await database.record(for: milk)["name"] as? String == "New milk")
    }

    @Test("Edits that are made while a device synchronizes are sent by the next one")
    func concurrentEdits() async throws {
        let database = try Container(identifier: "com.example.story", backend: MemoryBackend()).privateDatabase
        let device = Device()
        let milk = RecordID(recordName: "milk")
        for round in 0..<50 {
            var first = await device.record(for: milk) ?? Record(recordType: "Items", recordID: milk)
            (first["name"], first["number"]) = ("Milk", round)
            await device.save(first)
            async let synchronization: Void = device.synchronize(
                with: database, resolvingConflictsWith: .fieldwise(whenBothChanged: .server))
            // The user continues with the displayed record, regardless of the progress of the first edit.
            for step in 1...3 {
                var next = try #require(await device.record(for: milk))
                next["number"] = 1000 * step + round
                next["note"] = "\(round).\(step)"
                await device.save(next)
                await Task.yield()
            }
            try await synchronization
            try await device.synchronize(
                with: database, resolvingConflictsWith: .fieldwise(whenBothChanged: .server))
            let stored = try await database.record(for: milk)
            #expect(stored["number"] as? Int == 3000 + round)
            #expect(stored["note"] as? String == "\(round).3")
            #expect(await device.state.edits.isEmpty)
        }
    }

    @Test("An edit that is refused keeps neither others from being sent nor the device from fetching")
    func refusedEdit() async throws {
        let backend = MemoryBackend()
        func story(_ user: String) throws -> Story {
            let account = Account(userRecordName: user)
            return Story(
                database: try Container(identifier: "com.example.story", backend: backend, account: account)
                    .publicDatabase)
        }
        let (anna, ben) = (try story("_anna"), try story("_ben"))
        await anna.edit(Record(recordType: "Items", recordID: "milk")) { $0["name"] = "Milk" }
        try await anna.synchronize()
        try await ben.synchronize()

        // Only its creator may change the milk.
        await ben.edit("milk") { $0["name"] = "Oat milk" }
        await ben.edit(Record(recordType: "Items", recordID: "bread")) { $0["name"] = "Bread" }
        await anna.edit(Record(recordType: "Items", recordID: "wine")) { $0["name"] = "Wine" }
        try await anna.synchronize()
        try await ben.synchronize()
        #expect(await ben.device.failures["milk"]?.code == .permissionFailure)
        #expect(await Array(ben.device.state.edits.keys) == ["milk"])
        #expect(await ben.device.record(for: "wine")?["name"] as? String == "Wine")
        try await anna.synchronize()
        #expect(await anna.device.record(for: "bread")?["name"] as? String == "Bread")

        // The same holds for a deletion, until the program reverts it.
        await ben.device.delete("milk")
        try await ben.synchronize()
        #expect(await ben.device.failures["milk"]?.code == .permissionFailure)
        #expect(await ben.device.record(for: "milk") == nil)
        await ben.device.revert("milk")
        try await ben.synchronize()
        #expect(await ben.device.failures.isEmpty)
        #expect(await ben.device.record(for: "milk")?["name"] as? String == "Milk")
        await backend.close()
    }

    /// Expects that both devices have exactly the store's records.
    private func expectSame(_ phone: Story, _ tablet: Story) async throws {
        var stored: [RecordID: Record] = [:]
        for type in ["Lists", "Items", "Trips"] {
            for record in try await phone.database.allRecords(matching: Query(recordType: type)) {
                stored[record.recordID] = record
            }
        }
        #expect(await phone.device.records == stored)
        #expect(await tablet.device.records == stored)
        #expect(
            Set(await phone.device.state.zones.keys) == Set(try await phone.database.allRecordZones().map(\.zoneID)))
    }
}

/// A view model with a device, as in an app.
@MainActor
private final class ItemViewModel {
    private let device = Device()
    private(set) var name: String?

    func rename(_ id: RecordID, to name: String) async {
        var record = await device.record(for: id) ?? Record(recordType: "Items", recordID: id)
        record["name"] = name
        await device.save(record)
    }

    func refresh(_ id: RecordID, from database: Database) async throws {
        try await device.synchronize(with: database, resolvingConflictsWith: .fieldwise(whenBothChanged: .server))
        name = await device.record(for: id)?["name"] as? String
    }
}

/// An actor with a device.
private actor Synchronizer {
    let device = Device()

    func run(with database: Database) async throws {
        try await device.synchronize(with: database, resolvingConflictsWith: .clientWins)
    }
}

/// A device in the story.
private struct Story {
    let database: Database
    var device = Device()

    /// Changes a record that the device shows.
    func edit(_ id: RecordID, _ change: (inout Record) -> Void) async {
        guard let record = await device.record(for: id) else {
            Issue.record("The device does not know \(id).")
            return
        }
        await edit(record, change)
    }

    func edit(_ record: Record, _ change: (inout Record) -> Void) async {
        var record = record
        change(&record)
        await device.save(record)
    }

    func synchronize() async throws {
        try await device.synchronize(with: database, resolvingConflictsWith: .fieldwise(whenBothChanged: .server))
    }

    /// The app is ended, and starts again with the stored state.
    mutating func restart() async throws {
        let state = try await JSONEncoder().encode(device.state)
        device = Device(try JSONDecoder().decode(Device.State.self, from: state))
    }

    /// Applies the changes of others while the edits wait.
    func copyOnly() async throws {
        try await device.update(from: database)
    }
}
