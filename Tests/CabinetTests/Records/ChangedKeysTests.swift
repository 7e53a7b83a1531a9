import Cabinet
import Foundation
import Testing

@Suite("Record: changed keys")
struct ChangedKeysTests {
    /// A record as a backend returned it.
    private func fetched(_ fields: [(String, FieldValue?)], isComplete: Bool = true) -> Record {
        Record(
            StoredRecord(
                recordID: RecordID(recordName: "milk"), recordType: "Items", sequenceNumber: 36,
                creationDate: .distantPast,
                creatorName: "anna", modificationDate: .distantPast, lastModifierName: "anna",
                fields: FieldValues(
                    names: FieldNames(fields.map(\.0)), values: fields.map(\.1), isComplete: isComplete)))
    }

    @Test("All keys that were set in a new record are changed, also those that were set to nil")
    func newRecord() throws {
        var record = Record(recordType: "Items")
        record["a"] = 1
        record["b"] = 2
        record["a"] = nil
        record["c"] = nil
        #expect(record.changedKeys() == ["a", "b", "c"])
        #expect(record.allKeys() == ["b"])
        let decoded = try JSONDecoder().decode(Record.self, from: JSONEncoder().encode(record))
        #expect(decoded.changedKeys() == ["a", "b", "c"])
    }

    @Test("No key of a fetched record is")
    func fetchedRecord() {
        #expect(fetched([("a", .int64(1)), ("b", nil)]).changedKeys() == [])
    }

    @Test("Keys that were set to another value, added or removed are changed")
    func changes() {
        var record = fetched([("a", .int64(1)), ("b", .int64(2)), ("c", nil), ("d", .int64(4))])
        record["a"] = 5
        record["b"] = nil
        record["c"] = 3
        record["e"] = 6
        #expect(Set(record.changedKeys()) == ["a", "b", "c", "e"])
    }

    @Test("A value that was set back is not changed")
    func setBack() {
        var record = fetched([("a", .int64(1)), ("b", .string("x"))])
        record["a"] = 2
        record["b"] = nil
        record["c"] = 3
        record["a"] = 1
        record["b"] = "x"
        record["c"] = nil
        #expect(record.changedKeys() == [])
    }

    @Test("A value of another type is changed, composed and decomposed text too")
    func kinds() {
        var record = fetched([("a", .int64(1)), ("b", .string("\u{E9}"))])
        record["a"] = "1"
        record["b"] = "e\u{301}"
        #expect(record.changedKeys() == ["a", "b"])
    }

    @Test("A number that equals the fetched one in another type is not changed")
    func numbers() {
        var record = fetched([
            ("a", .int64(2)), ("b", .double(2)), ("c", .list(.double([1, 2]))), ("d", .int64(.max)), ("e", .double(2)),
        ])
        record["a"] = 2.0
        record["b"] = 2
        record["c"] = [1, 2]
        // The nearest double is another number.
        record["d"] = Double(Int64.max)
        record["e"] = 3
        #expect(record.changedKeys() == ["d", "e"])
    }

    @Test("In a part of a record, a field that was not fetched is changed when it is set or removed")
    func partialRecord() {
        var record = fetched([("a", .int64(1)), ("missing", nil)], isComplete: false)
        #expect(record.changedKeys() == [])
        record["b"] = nil
        record["c"] = 1
        record["missing"] = nil
        #expect(record.changedKeys() == ["b", "c"])
        #expect(record.allKeys() == ["a", "c"])
    }

    @Test("A record created from system fields has no changed keys; fields that are set on it are changed")
    func systemFields() throws {
        var record = try Record(systemFields: fetched([("a", .int64(1))]).encodeSystemFields())
        #expect(record.changedKeys() == [])
        #expect(record.allKeys() == [])
        record["a"] = nil
        record["b"] = 2
        #expect(record.changedKeys() == ["a", "b"])
    }

    @Test("A value that a field cannot hold is not a changed key, and a later value replaces it")
    func misfits() {
        var record = fetched([("a", .int64(1))])
        record["a"] = UInt64.max
        #expect(record.allKeys() == [])
        #expect(record.changedKeys() == ["a"])
        record["a"] = 1
        #expect(record.changedKeys() == [])
    }
}
