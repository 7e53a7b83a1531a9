@testable import Cabinet
import Foundation
import Testing

@Suite("Record: coding")
struct RecordCodingTests {
    /// A fetched record with a field of every type.
    static var full: Record {
        let date = Date(timeIntervalSinceReferenceDate: 790_000_000.123_456_78)
        let list = RecordID(recordName: "list")
        let fields: KeyValuePairs<String, FieldValue> = [
            "text": .string("a\0e\u{301}👍"), "number": .int64(.min), "price": .double(0.1),
            "infinity": .double(-.infinity),
            "date": .timestamp(date), "data": .bytes(Data([0, 255])),
            "place": .location(Location(latitude: 1, longitude: 2, speed: 3)),
            "list": .reference(Reference(recordID: list, action: .deny)),
            "file": .asset(Asset(fileURL: URL(fileURLWithPath: "/a b"))),
            "texts": .list(.string([])), "numbers": .list(.int64([.max, 0])),
            "doubles": .list(.double([.infinity, 2])),
            "dates": .list(.timestamp([date])), "datas": .list(.bytes([Data(), Data([1])])),
            "places": .list(.location([Location(latitude: -1, longitude: -2)])),
            "lists": .list(.reference([Reference(recordID: list, action: .nullify)])), "files": .list(.asset([])),
        ]
        return Record(
            StoredRecord(
                recordID: RecordID(recordName: "milk", zoneID: RecordZone.ID(zoneName: "Notes", ownerName: "ben")),
                recordType: "Items", sequenceNumber: 71, creationDate: date, creatorName: "anna",
                modificationDate: date,
                lastModifierName: "ben", parentName: "list",
                fields: FieldValues(names: FieldNames(fields.map(\.key)), values: fields.map(\.value))))
    }

    private func roundTrip<Value: Codable>(_ value: Value) throws -> [Value] {
        let (jsonDecoder, listDecoder) = (JSONDecoder(), PropertyListDecoder())
        (jsonDecoder.decodesAssetFiles, listDecoder.decodesAssetFiles) = (true, true)
        let json = try jsonDecoder.decode([Value].self, from: JSONEncoder().encode([value]))
        let list = try listDecoder.decode([Value].self, from: PropertyListEncoder().encode([value]))
        return json + list
    }

    @Test("A record is restored whole, with the server's metadata")
    func wholeRecord() throws {
        let record = Self.full
        for decoded in try roundTrip(record) {
            #expect(decoded == record)
            #expect(decoded.recordChangeTag?.hasPrefix("1z-") == true)
            #expect(decoded.changedKeys() == [])
            #expect(decoded.parent == record.parent)
        }
    }

    @Test("Unsaved changes are restored, so that a decoded record can be saved")
    func unsavedChanges() throws {
        var record = Self.full
        record["number"] = nil
        record["new"] = "x"
        record["bad"] = UInt64.max
        record.parent = nil
        for decoded in try roundTrip(record) {
            #expect(decoded == record)
            #expect(Set(decoded.changedKeys()) == ["number", "new"])
        }
    }

    @Test("A part of a record stays a part")
    func partialRecord() throws {
        let whole = FieldValues(names: FieldNames(["a", "b"]), values: [.int64(1), .int64(2)])
        for decoded in try roundTrip(whole.selecting(["b", "c"])) {
            #expect(!decoded.isComplete)
            #expect(decoded.knows("c") && !decoded.knows("a"))
            #expect(decoded["b"] == .int64(2))
        }
    }

    @Test("System fields are restored without the other fields")
    func systemFields() throws {
        let record = Self.full
        let decoded = try Record(systemFields: record.encodeSystemFields())
        #expect(decoded.recordID == record.recordID)
        #expect(decoded.recordType == record.recordType)
        #expect(decoded.recordChangeTag == record.recordChangeTag)
        #expect(decoded.creationDate == record.creationDate)
        #expect(decoded.modificationDate == record.modificationDate)
        #expect(decoded.creatorUserRecordID == record.creatorUserRecordID)
        #expect(decoded.lastModifiedUserRecordID == record.lastModifiedUserRecordID)
        #expect(decoded.parent == record.parent)
        #expect(decoded.allKeys() == [])
        #expect(record.encodeSystemFields() == decoded.encodeSystemFields())
    }

    @Test("System fields of a record that was never saved make a new record")
    func systemFieldsOfNewRecord() throws {
        var record = Record(recordType: "Items")
        record["a"] = 1
        let decoded = try Record(systemFields: record.encodeSystemFields())
        #expect(decoded.recordID == record.recordID)
        #expect(decoded == Record(recordType: "Items", recordID: record.recordID))
    }

    @Test(
        "Bytes of another kind are not system fields",
        arguments: [
            "", "garbage", "{}", "[]", "null", #"{"recordType": 5}"#, "\u{0}\u{1}",
        ])
    func garbage(_ text: String) throws {
        let error = try #require(throws: CabinetError.self) { try Record(systemFields: Data(text.utf8)) }
        #expect(error.code == .invalidArguments)
        #expect(error.underlyingError != nil)
    }

    @Test(
        "Garbage is not a record, a field value or a zone",
        arguments: [
            "{}", "[]", "5", #"{"type": "INT64"}"#, #"{"type": "NUMBER", "value": 1}"#,
            #"{"type": "INT64", "value": "x"}"#,
            #"{"type": "DOUBLE", "value": "x"}"#, #"{"type": "LIST<LIST<INT64>>", "value": []}"#,
        ])
    func garbageJSON(_ text: String) {
        let data = Data(text.utf8)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(Record.self, from: data) }
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(FieldValue.self, from: data) }
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(RecordZone.ID.self, from: data) }
    }

    @Test("Fields with more or fewer values than names are read as far as they go")
    func brokenFields() throws {
        let text = #"{"names": ["a", "b"], "values": [{"type": "INT64", "value": 1}], "isComplete": true}"#
        let fields = try JSONDecoder().decode(FieldValues.self, from: Data(text.utf8))
        #expect(fields.keys == ["a"])
        #expect(fields.values.count == 2)
    }

    @Test("A field value is coded with its type")
    func codedForm() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        func text(_ value: FieldValue) throws -> String { String(decoding: try encoder.encode(value), as: UTF8.self) }
        #expect(try text(.int64(2)) == #"{"type":"INT64","value":2}"#)
        #expect(try text(.double(-.infinity)) == #"{"type":"DOUBLE","value":"-inf"}"#)
        #expect(try text(.list(.string(["a"]))) == #"{"type":"LIST<STRING>","value":["a"]}"#)
    }

    @Test("IDs and zones are restored")
    func identities() throws {
        let zoneID = RecordZone.ID(zoneName: "Notes", ownerName: "ben")
        for id in [RecordID(recordName: "a"), RecordID(recordName: "a", zoneID: zoneID)] {
            for decoded in try roundTrip(id) { #expect(decoded == id) }
        }
        for decoded in try roundTrip(RecordZone(zoneID: zoneID)) { #expect(decoded.zoneID == zoneID) }
    }

    @Test("Decoded records share the names of built ones, and leave no names behind")
    func sharedNames() throws {
        var built = Record(recordType: "Items")
        built["sharedNamesTestA"] = 1
        built["sharedNamesTestB"] = 2
        func copy(_ record: Record) throws -> Record {
            try JSONDecoder().decode(Record.self, from: JSONEncoder().encode(record))
        }
        #expect(try copy(built).fields.names === built.fields.names)

        let strangers = FieldValues(
            names: FieldNames(["sharedNamesTestX", "sharedNamesTestY"]), values: [.int64(1), .int64(2)])
        let coded = try JSONEncoder().encode(strangers)
        let first = try JSONDecoder().decode(FieldValues.self, from: coded)
        let second = try JSONDecoder().decode(FieldValues.self, from: coded)
        #expect(first == strangers)
        #expect(first.names !== second.names)
    }

    @Test("System fields hold the parent that was fetched, so that one set since then is still a change")
    func unsavedParent() throws {
        var record = Self.full
        let fetched = try #require(record.parent)
        record.setParent(RecordID(recordName: "another"))
        let restored = try Record(systemFields: record.encodeSystemFields())
        #expect(restored.parent == fetched)
        #expect(restored.fetched?.parent == fetched)

        var new = Record(recordType: "Items")
        new.setParent(RecordID(recordName: "another"))
        #expect(try Record(systemFields: new.encodeSystemFields()).parent == new.parent)
    }
}
