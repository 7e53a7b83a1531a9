import CabinetTesting
import Foundation
import Testing

@testable import Cabinet

@Suite("Typed fields")
struct TypedFieldTests {
    private let database: Database

    init() throws {
        database = try Container(identifier: "com.example.boxes", backend: MemoryBackend()).privateDatabase
    }

    private var boxes: Table<Boxes> { database.table(Boxes.self) }

    @Test("Every type of field is stored and read, and links store the delete rule")
    func everyType() async throws {
        let shelf = try await database.table(Shelves.self).save { $0.name = "top" }
        let other = try await boxes.save { $0.name = "other" }
        let made = Date(timeIntervalSinceReferenceDate: 1)
        let uuid = UUID()
        let saved = try await boxes.save {
            $0.name = "box"
            $0.number = 7
            $0.narrow = -3
            $0.weight = 2.5
            $0.ratio = 0.25
            $0.isOpen = true
            $0.colour = .red
            $0.made = made
            $0.bytes = Data([1])
            $0.uuid = uuid
            $0.url = URL(string: "https://example.com")
            $0.place = Location(latitude: 1, longitude: 2)
            $0.picture = Asset(data: Data([2]))
            $0.words = ["a", "b"]
            $0.colours = [.red, .green]
            $0.size = Size(width: 1, height: 2)
            $0.untyped = Reference(recordID: "x", action: .none)
            $0.shelf = shelf.id
            $0.inside = other.id
            $0.others = [other.id]
            $0.owner = .init(shelf.id)
        }
        let box = try await boxes.record(for: saved.id)
        #expect(box.name == "box" && box.number == 7 && box.narrow == -3 && box.weight == 2.5 && box.ratio == 0.25)
        #expect(box.isOpen && box.colour == .red && box.made == made && box.bytes == Data([1]) && box.uuid == uuid)
        #expect(box.url?.host() == "example.com" && box.place == Location(latitude: 1, longitude: 2))
        #expect(try await box.picture?.data() == Data([2]))
        #expect(box.words == ["a", "b"] && box.colours == [.red, .green] && box.size == Size(width: 1, height: 2))
        #expect(box.untyped?.recordID == "x" && box.shelf == shelf.id && box.inside == other.id)
        #expect(box.others == [other.id] && box.owner?.id(in: Shelves.self) == shelf.id)
        #expect((box.record["shelf"] as? Reference)?.action == .deleteSelf)
        #expect((box.record["inside"] as? Reference)?.action == .nullify)
        #expect((box.record["others"] as? [Reference])?.first?.action == .deny)
        #expect(box.record["size"] as? String == #"{"height":2,"width":1}"#)
        #expect(box.creationDate != nil && box.record.creationDate == box.creationDate)
    }

    @Test("A typed record gets a parent, and loses it")
    func parent() async throws {
        let outer = try await boxes.save { $0.name = "outer" }
        var box = try await boxes.save { $0.name = "box" }
        box.setParent(outer.id.recordID)
        box = try await boxes.save(box)
        #expect(try await boxes.record(for: box.id).record.parent?.recordID == outer.id.recordID)
        box.setParent(nil)
        #expect(try await boxes.save(box).record.parent == nil)
    }

    @Test("A new record has the declared defaults, and a record without values reads as them")
    func defaults() async throws {
        let new = Box()
        #expect(
            new.record["number"] as? Int == 1 && Set(new.record.allKeys()) == ["number", "narrow", "ratio", "isOpen"])
        let old = try Box(Record(recordType: "Boxes"))
        #expect(old.name == "" && old.number == 1 && old.ratio == 0.5 && !old.isOpen && old.colour == nil)
        #expect(old.words == [] && old.others == [] && old.shelf == nil && old.creationDate == nil)
    }

    @Test("Values and fields of another version of the program stay, and read as the default")
    func versions() async throws {
        var record = Record(recordType: "Boxes")
        record["name"] = "box"
        record["colour"] = "blue"
        record["material"] = "wood"
        record = try await database.save(record)
        var box = try await boxes.record(for: TypedID(record.recordID))
        #expect(box.colour == nil)
        box.number = 4
        box = try await boxes.save(box)
        #expect(box.record["colour"] as? String == "blue" && box.record["material"] as? String == "wood")
    }

    @Test("A new record without a required value is refused, and names the field")
    func required() async throws {
        let error = await #expect(throws: CabinetError.self) { try await boxes.save { $0.number = 2 } }
        #expect(error?.code == .invalidArguments && error?.fieldKey == "name")
        #expect(try await boxes.count() == 0)
        var record = Record(recordType: "Boxes")
        record["number"] = 1
        var old = try Box(try await database.save(record))
        old.number = 2
        #expect(try await boxes.save(old).number == 2)
    }

    @Test("A record of another type is refused")
    func otherType() async throws {
        #expect(throws: CabinetError.self) { try Box(Record(recordType: "Shelves")) }
        let shelf = try await database.table(Shelves.self).save { $0.name = "top" }
        let wrong = TypedID<Boxes>(shelf.id.recordID)
        await #expect(throws: CabinetError.self) { try await boxes.record(for: wrong) }
        await #expect(throws: CabinetError.self) { try await boxes.update(wrong) { $0.number = 1 } }
    }

    @Test("The schema of declarations has their fields, options and indexes, and a strict container takes it")
    func schema() async throws {
        let schema = try Schema(Boxes.self, Shelves.self, Rooms.self)
        #expect(schema["Boxes"]["name"] == Schema.Field(.string, .sortable))
        #expect(schema["Boxes"]["colour"] == Schema.Field(.string, .queryable))
        #expect(schema["Boxes"]["others"] == Schema.Field(.list(of: .reference), onDelete: .deny))
        #expect(
            schema["Boxes"]["shelf"]?.deleteRule == .deleteSelf
                && schema["Boxes"]["owner"]?.deleteRule == Reference.Action.none)
        #expect(schema["Boxes"]["untyped"] == Schema.Field(.reference))
        #expect(schema["Boxes"]["size"] == Schema.Field(.string))
        #expect(schema["Boxes"].indexes == [["shelf", "name"], ["colour", "creationDate"]])
        #expect(schema["Boxes"].fields.count == 22 && schema.recordTypes.count == 3)
        let strict = try Container(
            identifier: "com.example.strict-boxes", backend: MemoryBackend(), schema: .strict(schema)
        ).privateDatabase
        try await strict.table(Boxes.self).save { $0.name = "box" }
        var record = Record(recordType: "Boxes")
        record["nmae"] = "x"
        let error = await #expect(throws: CabinetError.self) { try await strict.save(record) }
        #expect(error?.message.contains("'name'") == true, "\(error?.message ?? "")")
        record["nmae"] = nil
        record["shelf"] = Reference(recordID: RecordID(recordName: "shelf"), action: .nullify)
        let refusal = await #expect(throws: CabinetError.self) { try await strict.save(record) }
        #expect(refusal?.fieldKey == "shelf" && refusal?.code == .invalidArguments)
        #expect(refusal?.message.contains("'shelf' of Boxes is declared with the delete rule deleteSelf") == true)
        #expect(refusal?.message.contains("has the action nullify") == true)
    }

    @Test("Links are followed with one request a level")
    func following() async throws {
        let rooms = database.table(Rooms.self)
        let shelves = database.table(Shelves.self)
        var made: [Typed<Shelves>] = []
        for number in 0..<3 {
            let room = try await rooms.save { $0.name = "room \(number)" }
            made.append(
                try await shelves.save {
                    $0.name = "shelf \(number)"
                    $0.room = room.id
                })
        }
        for number in 0..<30 {
            try await boxes.save {
                $0.name = "box \(number)"
                $0.shelf = made[number % 3].id
                $0.owner = .init(made[number % 2].id)
            }
        }
        let backend = CountingService(database.client.service)
        let counted = database.over(backend).table(Boxes.self)
        let page = try await counted.all(by: \.creationDate, including: \.shelf, \.owner, \.shelf.to.room)
        #expect(page.count == 30 && backend.count(of: FetchRecordsRequest.self) == 2)
        for (number, box) in page.enumerated() {
            let shelf = try #require(page[box.shelf])
            #expect(shelf.name == "shelf \(number % 3)" && page[shelf.room]?.name == "room \(number % 3)")
            #expect(page[box.owner?.id(in: Shelves.self)]?.name == "shelf \(number % 2)")
        }
        let children = try await database.over(backend).table(Shelves.self).children(
            of: made.map(\.id), through: \Boxes.shelf, by: \.name.descending)
        #expect(backend.count(of: QueryRecordsRequest.self) == 2 && children.values.map(\.count) == [10, 10, 10])
        #expect(children[made[0].id]?.first?.name == "box 9")
        #expect(try await shelves.children(of: made[1].id, through: \Boxes.shelf).count == 10)
    }

    @Test("A table of a zone saves and finds records there")
    func zones() async throws {
        let zone = try await database.save(RecordZone(zoneName: "Attic"))
        let attic = database.inZone(zone.zoneID).table(Boxes.self)
        let box = try await attic.save { $0.name = "old" }
        #expect(box.id.recordID.zoneID == zone.zoneID)
        try await boxes.save { $0.name = "new" }
        #expect(try await attic.all().map(\.name) == ["old"])
        let changes = try await boxes.changes(inZoneWith: zone.zoneID, since: nil)
        #expect(changes.modifications == [box])
        try await attic.delete(box.id)
        let later = try await boxes.changes(inZoneWith: zone.zoneID, since: changes.changeToken)
        #expect(later.deletions == [box.id])
    }

    @Test("Pages, sequences, desired fields and batches are typed")
    func pages() async throws {
        var new: [Box] = []
        for number in 0..<5 {
            var box = boxes.make()
            box.name = "box \(number)"
            box.number = number
            new.append(box)
        }
        let saved = try await boxes.save(new)
        #expect(saved.map(\.name) == new.map(\.name))
        let first = try await boxes.page(where: { $0.number > 0 }, by: \.number.descending, limit: 3)
        let cursor = try #require(first.cursor)
        let second = try await boxes.page(after: cursor)
        #expect((first.items + second.items).map(\.number) == [4, 3, 2, 1])
        var names: [String] = []
        for try await box in boxes.sequence(by: \.number, desiredFields: { [$0.number] }, pageSize: 2) {
            names.append("\(box.number)\(box.name)")
        }
        #expect(names == ["0", "1", "2", "3", "4"])
        let results = try await boxes.modify(saving: [], deleting: [saved[0].id, saved[1].id])
        #expect(results.deleteResults.count == 2)
        #expect(try await boxes.records(for: saved.map(\.id)).values.filter { $0.code == .unknownItem }.count == 2)
        #expect(try await boxes.average(of: \.number) == 3)
        #expect(try await boxes.minimum(of: \.name) == "box 2")
        #expect(try await boxes.minima(of: \.number, by: \.isOpen) == [false: 2])
        #expect(try await boxes.maxima(of: \.number, by: \.isOpen) == [false: 4])
        #expect(try await boxes.averages(of: \.number, by: \.isOpen) == [false: 3])
        #expect(try await boxes.exists { $0.number == 4 })
        #expect(try await boxes.first(by: \.number.descending)?.number == 4)
        #expect(try await boxes.explain(where: { $0.number > 3 }).description.isEmpty == false)
    }

    @Test("A group by a value that the type cannot hold is an error that names the field")
    func unknownCase() async throws {
        var record = Record(recordType: "Boxes")
        record["colour"] = "blue"
        try await database.save(record)
        let error = await #expect(throws: CabinetError.self) { try await boxes.counts(by: \.colour) }
        #expect(error?.fieldKey == "colour" && error?.message.contains("blue") == true)
    }

    @Test("A subscription has the table's filter and fields")
    func subscription() async throws {
        let subscription = boxes.subscription(
            where: { $0.number > 3 }, options: .firesOnRecordCreation, desiredFields: { [$0.name] })
        let filter: Filter = .field("number") > 3
        #expect(subscription.filter == filter && subscription.desiredKeys == ["name"])
        try await database.save(subscription)
    }
}
