import Cabinet
import Foundation
import Testing

@Suite("Values in a log and in a debugger")
struct ValueDescriptionTests {
    private static let list = RecordID(recordName: "list")

    /// A fetched record with some unsaved changes.
    private func item() -> Record {
        var record = Record(
            StoredRecord(
                recordID: RecordID(recordName: "milk"), recordType: "Items", sequenceNumber: 40,
                creationDate: Date(timeIntervalSince1970: 0), creatorName: "anna",
                modificationDate: Date(timeIntervalSince1970: 60), lastModifierName: "anna", parentName: "list",
                fields: FieldValues(
                    names: FieldNames(["name", "number", "gone"]), values: [.string("Milk"), .int64(1), .int64(3)])))
        record["number"] = 2
        record["gone"] = nil
        return record
    }

    @Test("A stored record and a location describe themselves whole")
    func whole() {
        let place = Location(
            latitude: 1, longitude: -2.5, altitude: 3, horizontalAccuracy: 4, verticalAccuracy: 5, course: 6, speed: 7,
            timestamp: Date(timeIntervalSinceReferenceDate: 0.125))
        #expect(
            "\(place)"
                == "<1.0, -2.5, altitude 3.0, horizontal accuracy 4.0, vertical accuracy 5.0, course 6.0, speed 7.0, seconds since 2001 0.125>"
        )
        #expect("\(Location(latitude: 1, longitude: 2))" == "<1.0, 2.0>")
        let date = Date(timeIntervalSinceReferenceDate: 1e-9)
        let values: [FieldValue?] = [.timestamp(date), .bytes(Data([0, 255])), .list(.timestamp([date]))]
        var record = StoredRecord(
            recordID: RecordID(recordName: "milk", zoneID: RecordZone.ID(zoneName: "Zone")), recordType: "Items",
            sequenceNumber: 40, insertionNumber: 4, creationDate: date, creatorName: "anna", modificationDate: date,
            lastModifierName: "ben", parentName: "list",
            fields: FieldValues(names: FieldNames(["due", "data", "dates"]), values: values))
        #expect(
            "\(record)" == """
                Items Zone/milk (due: 1e-09 s, data: base 64 AP8=, dates: [1e-09 s]), number 40, inserted as 4, \
                created 1e-09 by anna, modified 1e-09 by ben, parent list
                """)
        record.fields = record.fields.selecting(["due"])
        #expect("\(record)".hasSuffix("parent list, fetched in part"))
    }

    @Test("A long value is cut off, so that a record is read at a glance")
    func longValues() {
        var record = Record(recordType: "Items", recordID: RecordID(recordName: "new"))
        record["text"] = String(repeating: "x", count: 100_000)
        record["list"] = Array(repeating: 1, count: 10_000)
        record["short"] = String(repeating: "x", count: 198)
        #expect(record.description.count < 700)
        #expect(record.description.hasSuffix(", short: \"" + String(repeating: "x", count: 198) + "\")"))
    }

    @Test("A date that is not a number can be assigned, refused and shown")
    func invalidDates() async throws {
        let never = Date(timeIntervalSinceReferenceDate: .nan)
        let database = try Container(identifier: "dates", backend: MemoryBackend()).privateDatabase
        for value in [never, [never], [[never]]] as [any RecordValue] {
            var record = Record(recordType: "Items")
            record["date"] = value
            #expect(record.debugDescription.contains("Items"))
            let error = await #expect(throws: CabinetError.self) { try await database.save(record) }
            #expect(error?.code == .invalidArguments)
            #expect(error?.description.contains("date") == true)
        }
    }

    @Test("A record shows type, name and fields")
    func record() {
        #expect(item().description == #"Items milk (name: "Milk", number: 2)"#)
        #expect(
            item().debugDescription
                == #"Items milk (name: "Milk", number: 2) [tag: 14-7hiry9reem0i, unsaved: number, gone]"#)
        let new = Record(recordType: "Items", recordID: RecordID(recordName: "new"))
        #expect(new.description == "Items new ()")
        #expect(new.debugDescription == "Items new () [tag: none]")
    }

    @Test("A debugger shows a record's fields by name")
    func recordMirror() {
        let children = Mirror(reflecting: item()).children.map { "\($0.label ?? "-") = \($0.value)" }
        #expect(
            children == [
                "recordType = Items", "recordID = milk", "name = Milk", "number = 2", "parent = → list (none)",
                "recordChangeTag = 14-7hiry9reem0i", "creationDate = 1970-01-01 00:00:00 +0000",
                "modificationDate = 1970-01-01 00:01:00 +0000",
            ])
    }

    @Test("IDs show as little as distinguishes them")
    func identities() {
        let notes = RecordZone.ID(zoneName: "Notes")
        let shared = RecordZone.ID(zoneName: "Notes", ownerName: "ben")
        #expect(Self.list.description == "list")
        #expect(RecordID(recordName: "a", zoneID: notes).description == "Notes/a")
        #expect(RecordID(recordName: "a", zoneID: shared).description == "Notes:ben/a")
        #expect(RecordZone.ID.default.description == "_defaultZone")
        #expect(shared.description == "Notes:ben")
        let children = Mirror(reflecting: RecordID(recordName: "a", zoneID: shared)).children
        #expect(children.map { "\($0.label ?? "-") = \($0.value)" } == ["recordName = a", "zoneID = Notes:ben"])
        let zone = Mirror(reflecting: shared).children
        #expect(zone.map { "\($0.label ?? "-") = \($0.value)" } == ["zoneName = Notes", "ownerName = ben"])
    }

    @Test(
        "A field value shows as a reader of a log wants it",
        arguments: [
            (.string("it is \"Milk\"\n"), #""it is \"Milk\"\n""#), (.int64(-5), "-5"), (.double(0.1), "0.1"),
            (.double(.infinity), "inf"), (.timestamp(Date(timeIntervalSince1970: 0)), "1970-01-01 00:00:00 +0000"),
            (.timestamp(Date(timeIntervalSinceReferenceDate: .nan)), "nan seconds from 2001"),
            (.timestamp(Date(timeIntervalSinceReferenceDate: -1e300)), "-1e+300 seconds from 2001"),
            (.bytes(Data(count: 3)), "3 bytes"),
            (.reference(Reference(recordID: list, action: .deleteSelf)), "→ list (deleteSelf)"),
            (.location(Location(latitude: 1.5, longitude: -2)), "<1.5, -2.0>"),
            (.asset(Asset(fileURL: URL(fileURLWithPath: "/tmp/a.jpg"))), "/tmp/a.jpg"),
            (.list(.string(["a", "b"])), #"["a", "b"]"#), (.list(.int64([])), "[]"),
        ] as [(FieldValue, String)])
    func fieldValue(_ value: FieldValue, _ description: String) {
        #expect(value.description == description)
    }
}
