import Foundation
import Testing

@testable import Cabinet

/// The requirements, policies, zones, fields and errors that a table passes on to its database.
@Suite("Tables of typed records")
struct TypedTableTests {
    private let database: Database

    init() throws {
        database = try Container(identifier: "com.example.tables", backend: MemoryBackend()).privateDatabase
    }

    private var boxes: Table<Boxes> { database.table(Boxes.self) }

    private func expectNameIsMissing(
        sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
    ) async {
        let error = await #expect(throws: CabinetError.self, sourceLocation: sourceLocation) { try await body() }
        #expect(error?.fieldKey == "name" && error?.code == .invalidArguments, sourceLocation: sourceLocation)
    }

    @Test("Each way to save refuses a new record without a required value, and saves nothing")
    func requirements() async throws {
        let (nameless, shelf) = (boxes.make(), database.table(Shelves.self).make())
        await expectNameIsMissing { _ = try await boxes.save([nameless]) }
        await expectNameIsMissing { _ = try await boxes.modify(saving: [nameless], deleting: []) }
        await expectNameIsMissing { _ = try await boxes.save(nameless, progress: { _ in }) }
        await expectNameIsMissing { _ = try await boxes.save(nameless) { $0.server } }
        await expectNameIsMissing { _ = try await database.save(shelf, nameless) }
        await expectNameIsMissing { _ = try await database.save([shelf], [nameless]) }
        await expectNameIsMissing { try await database.transaction { try $0.save(shelf, nameless) } }
        #expect(try await boxes.count() == 0)
        // A value that no field can hold is another mistake.
        var record = Record(recordType: "Boxes")
        record["name"] = UInt64.max
        let unstorable = try Box(record)
        let error = await #expect(throws: CabinetError.self) { try await boxes.save(unstorable) }
        #expect(error?.message.contains("has no value") == false, "\(error?.message ?? "")")
    }

    @Test("A declaration without a record type has that of its name, and a transaction saves records of several types")
    func names() async throws {
        let room = database.table(Rooms.self).make()
        var shelf = database.table(Shelves.self).make()
        shelf.room = room.id
        try await database.transaction { [shelf] in try $0.save(room, shelf) }
        #expect(try await database.count(matching: Query(recordType: "Rooms")) == 1)
        #expect(try await database.table(Shelves.self).count { $0.room.to.name == "room" } == 1)
    }

    @Test("Each way to save takes a policy, and a batch need not be atomic")
    func policies() async throws {
        var stale = try await boxes.save { $0.name = "box" }
        func overtake() async throws { try await boxes.update(stale.id) { $0.number += 1 } }
        stale.name = "stale"
        try await overtake()
        #expect(try await boxes.save(stale, savePolicy: .changedKeys).number == 2)
        try await overtake()
        #expect(try await boxes.save([stale], savePolicy: .changedKeys).map(\.number) == [3])
        try await overtake()
        #expect(try await database.save(stale, savePolicy: .changedKeys).number == 4)
        try await overtake()
        #expect(try await database.save([stale], savePolicy: .changedKeys).map(\.number) == [5])
        try await overtake()
        let results = try await boxes.modify(saving: [stale], deleting: [], savePolicy: .changedKeys)
        #expect(try results.saveResults[stale.id]?.get().number == 6)
        var other = boxes.make(named: "other")
        other.name = "other"
        let loose = try await boxes.modify(saving: [stale, other], deleting: [], atomically: false)
        #expect(try loose.saveResults[other.id]?.get().name == "other")
        #expect(other.id.recordID == "other")
        #expect(throws: CabinetError.self) { try loose.saveResults[stale.id]?.get() }
    }

    @Test("A refused deletion of several types is an error")
    func refusedDeletion() async throws {
        let inner = try await boxes.save { $0.name = "inner" }
        try await boxes.save {
            $0.name = "outer"
            $0.others = [inner.id]
        }
        let error = await #expect(throws: CabinetError.self) { try await database.delete([inner.id]) }
        #expect(error?.code == .partialFailure)
        #expect(error?.partialErrorsByItemID.mapValues(\.code) == [inner.id.recordID: .referenceViolation])
    }

    @Test("Desired fields limit fetches, pages and observations")
    func desiredFields() async throws {
        for name in ["a", "b"] { try await boxes.save(named: name) { $0.name = name } }
        let some = try await boxes.records(for: [TypedID("a")], desiredFields: { [$0.number] })
        #expect(try some[TypedID("a")]?.get().record.allKeys() == ["number"])
        let first = try await boxes.page(by: \.name, desiredFields: { [$0.number] }, limit: 1)
        #expect(first.items.map { $0.record.allKeys() } == [["number"]])
        let second = try await boxes.page(after: try #require(first.cursor), desiredFields: { [$0.name] })
        #expect(second.items.map { $0.record.allKeys() } == [["name"]])
        var iterator = boxes.observe(by: \.name, desiredFields: { [$0.number] }).makeAsyncIterator()
        #expect(try await iterator.next()?.map { $0.record.allKeys() } == [["number"], ["number"]])
    }

    @Test("A cursor of another type is refused")
    func otherCursor() async throws {
        let shelves = database.table(Shelves.self)
        for _ in 0..<2 { try await shelves.save { $0.name = "top" } }
        let cursor = try #require(try await shelves.page(limit: 1).cursor)
        let error = await #expect(throws: CabinetError.self) { try await boxes.page(after: cursor) }
        #expect(error?.message.contains("query of Shelves") == true)
    }

    @Test("Targets that are too many for one request are fetched with several")
    func manyTargets() async throws {
        let database = try Container(
            identifier: "com.example.tables", backend: MemoryBackend(), limits: Limits(itemsPerRequest: 4)
        ).privateDatabase
        for number in 0..<9 {
            let shelf = try await database.table(Shelves.self).save { $0.name = "\(number)" }
            try await database.table(Boxes.self).save {
                $0.name = "box"
                $0.shelf = shelf.id
            }
        }
        let page = try await database.table(Boxes.self).all(by: \.shelf.to.name, including: \.shelf)
        #expect(page.map { page[$0.shelf]?.name } == (0..<9).map { "\($0)" })
    }

    @Test("The children of a record are found by either name of the user's own zone")
    func ownZoneNames() async throws {
        let container = try Container(
            identifier: "com.example.tables", backend: MemoryBackend(), account: Account(userRecordName: "_anna"))
        let database = container.privateDatabase
        let zone = try await database.save(RecordZone(zoneName: "Attic"))
        let attic = database.inZone(zone.zoneID)
        let shelf = try await attic.table(Shelves.self).save { _ in }
        try await attic.table(Boxes.self).save {
            $0.name = "box"
            $0.shelf = shelf.id
        }
        let named = TypedID<Shelves>(
            recordName: shelf.id.recordID.recordName, zoneID: RecordZone.ID(zoneName: "Attic", ownerName: "_anna"))
        let children = try await database.table(Shelves.self).children(of: [named, shelf.id], through: \Boxes.shelf)
        #expect(children.mapValues(\.count) == [named: 1, shelf.id: 1])
    }

    private struct Labels: RecordFields {
        struct Required: Encodable { var text: String }
        static let recordType = "Labels"
        let text = Field<String>("text")
    }

    @Test("Records with required values, identities and subscriptions of a table are in its zone")
    func zones() async throws {
        let zone = try await database.save(RecordZone(zoneName: "Attic"))
        let attic = database.inZone(zone.zoneID)
        let label = try await attic.table(Labels.self).save(.init(text: "old"), named: "label")
        #expect(label.id == TypedID(recordName: "label", zoneID: zone.zoneID) && label.text == "old")
        let subscription = attic.table(Boxes.self).subscription(options: .firesOnRecordDeletion)
        #expect(subscription.zoneID == zone.zoneID)
        // Changes of other types of the zone are left out.
        let box = try await attic.table(Boxes.self).save { $0.name = "box" }
        let token = try await boxes.changes(inZoneWith: zone.zoneID, since: nil)
        #expect(token.modifications == [box])
        try await database.delete([label.id, box.id])
        let later = try await boxes.changes(inZoneWith: zone.zoneID, since: token.changeToken)
        #expect(later.deletions == [box.id])
        // A record of another type with the name of a deleted one is left out, and the database reports it.
        try await attic.table(Labels.self).save(.init(text: "new"), named: box.id.recordID.recordName)
        let last = try await boxes.changes(inZoneWith: zone.zoneID, since: token.changeToken)
        #expect(last.modifications.isEmpty && last.deletions.isEmpty)
        let all = try await database.recordZoneChanges(inZoneWith: zone.zoneID, since: token.changeToken)
        #expect(Array(all.modificationResultsByID.keys) == [box.id.recordID])
    }

    @Test("A record of a value is in the table's zone, unless the value has an ID of its own")
    func encodedValues() async throws {
        struct Named: Encodable { var name: String }
        struct Identified: Encodable {
            var recordID: RecordID
            var name: String
        }
        let zone = try await database.save(RecordZone(zoneName: "Attic"))
        let attic = database.inZone(zone.zoneID).table(Boxes.self)
        let made = try attic.make(encoding: Named(name: "a"))
        #expect(made.id.recordID.zoneID == zone.zoneID && made.name == "a" && made.number == 1)
        #expect(try attic.make(encoding: Named(name: "a")).id != made.id)
        let named = try await attic.save(encoding: Named(name: "b"), named: "box")
        #expect(named.id == TypedID(recordName: "box", zoneID: zone.zoneID))
        let own = Identified(recordID: RecordID(recordName: "own"), name: "c")
        #expect(try attic.make(encoding: own).id.recordID == own.recordID)
        #expect(try await attic.all(by: \.name).map(\.name) == ["b"])
    }

    @Test("A link to one of several types is compared with the ID of each")
    func linksToSeveralTypes() async throws {
        let shelf = try await database.table(Shelves.self).save { $0.name = "top" }
        let inner = try await boxes.save {
            $0.name = "inner"; $0.owner = .init(shelf.id)
        }
        try await boxes.save {
            $0.name = "outer"; $0.owner = .init(inner.id)
        }
        #expect(try await boxes.all(where: { $0.owner == shelf.id }).map(\.name) == ["inner"])
        #expect(try await boxes.all(where: { $0.owner == inner.id }).map(\.name) == ["outer"])
        #expect(try await boxes.all(where: { $0.owner != shelf.id && $0.owner != nil }).map(\.name) == ["outer"])
    }

    @Test("A link to a deleted record, or to one of another type, leads nowhere; a parent without children has none")
    func missingTargets() async throws {
        let shelves = database.table(Shelves.self)
        let (top, low) = (try await shelves.save { $0.name = "top" }, try await shelves.save { $0.name = "low" })
        for name in ["a", "b"] {
            try await boxes.save {
                $0.name = name
                $0.shelf = top.id
                $0.owner = .init(name == "a" ? low.id : top.id)
            }
        }
        try await shelves.delete(low.id)
        let page = try await boxes.all(by: \.name, including: \.owner)
        #expect(page.map { page[$0.owner?.id(in: Shelves.self)]?.name } == [nil, "top"])
        #expect(page[page[1].owner?.id(in: Boxes.self)] == nil)
        let children = try await shelves.children(of: [top.id, low.id], through: \Boxes.shelf)
        #expect(children.mapValues(\.count) == [top.id: 2, low.id: 0])
        let ordered = try await shelves.children(of: top.id, through: \Boxes.shelf, by: \.name.descending)
        #expect(ordered.map(\.name) == ["b", "a"])
    }
}
