import Cabinet
import Foundation
import Testing

@Suite("Record: fields by both subscripts")
struct RecordTests {
    private enum Color: String, RecordValue { case red, green }
    private enum Priority: Int, RecordValue { case low, high }

    @Test("Untyped, a value is read as the Swift type that fits it")
    func untyped() {
        var record = Record(recordType: "Items")
        record["text"] = "Milk"
        record["number"] = UInt8(2)
        record["flag"] = true
        record["price"] = Float(1.5)
        record["date"] = Date(timeIntervalSince1970: 0)
        record["data"] = Data([1])
        record["list"] = Reference(recordID: RecordID(recordName: "a"), action: .nullify)
        record["place"] = Location(latitude: 1, longitude: 2)
        record["tags"] = ["a", "b"]
        record["numbers"] = [Int16(1), 2]
        #expect(record["text"] as? String == "Milk")
        #expect(record["number"] as? Int == 2)
        #expect(record["flag"] as? Int == 1)
        #expect(record["price"] as? Double == 1.5)
        #expect(record["date"] as? Date == Date(timeIntervalSince1970: 0))
        #expect(record["data"] as? Data == Data([1]))
        #expect((record["list"] as? Reference)?.recordID.recordName == "a")
        #expect((record["place"] as? Location)?.longitude == 2)
        #expect(record["tags"] as? [String] == ["a", "b"])
        #expect(record["numbers"] as? [Int] == [1, 2])
        #expect(record["missing"] == nil)
    }

    @Test("Typed, a value is read as the requested type")
    func typed() throws {
        let uuid = UUID()
        let url = try #require(URL(string: "https://example.com/?q=a%20b"))
        var record = Record(recordType: "Items")
        record["color"] = Color.green
        record["priority"] = Priority.high
        record["uuid"] = uuid
        record["url"] = url
        record["colors"] = [Color.red, .green]
        let color: Color? = record["color"]
        let priority: Priority? = record["priority"]
        let colors: [Color]? = record["colors"]
        #expect(color == .green)
        #expect(priority == .high)
        #expect(colors == [.red, .green])
        #expect(record["uuid"] == uuid)
        #expect(record["url"] == url)
        #expect(record["uuid"] == uuid.uuidString)
        record["color"] = "blue"
        #expect(record["color"] == Color?.none)
    }

    @Test("Setting nil removes the value, by every spelling")
    func removal() {
        var record = Record(recordType: "Items")
        for key in ["a", "b", "c"] { record[key] = 1 }
        record["a"] = nil
        record["b"] = Int?.none
        record["c"] = (any RecordValue)?.none
        #expect(record.allKeys() == [])
        record["d"] = nil
        #expect(record.allKeys() == [])
        // A save sends them, because the server may have values that this record was not fetched with.
        #expect(record.changedKeys() == ["a", "b", "c", "d"])
    }

    @Test("A value can be changed in place")
    func inPlace() {
        var record = Record(recordType: "Items")
        record["number"] = (record["number"] ?? 0) + 1
        record["number"] = (record["number"] ?? 0) + 1
        #expect(record["number"] == 2)
    }

    @Test("Iterating gives the fields that have a value, in the order of their setting")
    func iteration() {
        var record = Record(recordType: "Items")
        record["b"] = "x"
        record["a"] = 2
        record["c"] = 3.5
        record["a"] = nil
        var found: [String] = []
        for (key, value) in record { found.append("\(key)=\(value)") }
        #expect(found == ["b=x", "c=3.5"])
        #expect(record.allKeys() == ["b", "c"])
    }

    @Test("A copy changes by itself")
    func copyOnWrite() {
        var original = Record(recordType: "Items", recordID: RecordID(recordName: "milk"))
        original["number"] = 1
        original["tags"] = ["a"]
        let before = original
        var copy = original
        copy["number"] = 2
        copy["tags"] = nil
        copy["new"] = true
        copy.setParent(RecordID(recordName: "list"))
        #expect(original == before)
        #expect(original.allKeys() == ["number", "tags"])
        #expect(original["number"] == 1)
        #expect(original.parent == nil)
        #expect(copy["number"] == 2)
        original["number"] = 3
        #expect(copy["number"] == 2)
        #expect(before["number"] == 1)
    }

    @Test("Copies of a record are changed by many tasks at once without a trace in each other")
    func concurrentCopies() async {
        var record = Record(recordType: "Items")
        record["number"] = 0
        let original = record
        await withTaskGroup(of: Bool.self) { group in
            for number in 1...50 {
                group.addTask {
                    var copy = original
                    for _ in 0..<100 { copy["number"] = (copy["number"] ?? 0) + number }
                    return copy["number"] == number * 100
                }
            }
            for await isRight in group { #expect(isRight) }
        }
        #expect(original["number"] == 0)
    }

    @Test("The parent is a reference without a rule, or none")
    func parent() {
        var record = Record(recordType: "Items")
        let list = Record(recordType: "Lists", recordID: RecordID(recordName: "list"))
        record.setParent(list)
        #expect(record.parent == Reference(recordID: list.recordID, action: .none))
        record.setParent(Record?.none)
        #expect(record.parent == nil)
    }

    @Test("A new record has no tag, no dates and no users")
    func newRecord() {
        let record = Record(recordType: "Items")
        #expect(record.recordChangeTag == nil)
        #expect(record.creationDate == nil && record.modificationDate == nil)
        #expect(record.creatorUserRecordID == nil && record.lastModifiedUserRecordID == nil)
        #expect(record.recordID != Record(recordType: "Items").recordID)
    }

    @Test("A default stands for a value that a field does not have, or that does not convert")
    func defaults() {
        var record = Record(recordType: "Items")
        record["n", default: 0] += 1
        record["n", default: 10] += 1
        #expect(record["n"] == 2)
        record["text"] = "a"
        #expect(record["text", default: 7] == 7 && record["text"] == "a")
        #expect(record.changedKeys() == ["n", "text"])
        #expect(Query(recordType: "Items", sortedBy: "n") == Query(recordType: "Items", sortedBy: ["n"]))
    }
}
