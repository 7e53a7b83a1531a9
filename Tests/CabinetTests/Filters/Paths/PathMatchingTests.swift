import Foundation
import Testing

@testable import Cabinet

@Suite("Paths: records that are judged without a store")
struct PathMatchingTests {
    private static let records: [RecordID: Record] = {
        var owner = Record(recordType: "Owners", recordID: RecordID(recordName: "anna"))
        owner["city"] = "Berlin"
        var list = Record(recordType: "Lists", recordID: RecordID(recordName: "food"))
        list["name"] = "Groceries"
        list["owner"] = Reference(record: owner, action: .none)
        var item = Record(recordType: "Items", recordID: RecordID(recordName: "milk"))
        item["list"] = Reference(record: list, action: .none)
        item["lists"] = [Reference(record: list, action: .none)]
        item["name"] = "Milk"
        return [owner.recordID: owner, list.recordID: list, item.recordID: item]
    }()

    private func item() throws -> Record { try #require(Self.records[RecordID(recordName: "milk")]) }

    @Test(
        "A closure finds the records that paths lead to",
        arguments: [
            "list.name == 'Groceries'", "list.owner.city == 'Berlin'", "ANY lists.owner.city == 'Berlin'",
            "list.owner.missing == NIL", "missing.name == NIL", "lists[0].name == 'Groceries'", "lists.@count == 1",
            // Nothing of this was ever saved.
            "list.creationDate == NIL", "list.owner.creatorUserRecordID == NIL", "list.parent == NIL",
            "list.creatorUserRecordID.name == NIL", "list.recordID == list",
        ])
    func resolved(format: String) throws {
        #expect(try Filter(format).matches(item()) { Self.records[$0] })
    }

    @Test("Without a closure, a path that must be followed is an error")
    func unresolved() throws {
        for format in ["list.name == 'x'", "ANY lists.name == 'x'", "lists.@max.name == 'x'"] {
            let error = try #require(expectInvalidArguments { try Filter(format).matches(item()) })
            #expect(error.message.contains("resolving"))
            #expect(error.recordID == RecordID(recordName: "food"))
        }
        // The result needs no step to follow.
        for format in [
            "missing.name == NIL", "recordID.name == 'Milk'", "lists.@count == 1", "name == 'Milk' OR list.name == 'x'",
        ] {
            #expect(try Filter(format).matches(item()))
        }
    }

    @Test("A target that was fetched without the field, or that holds an invalid value, is an error")
    func unknownFields() throws {
        let filter = try Filter("list.name == NIL")
        let partial = Record(
            StoredRecord(
                recordID: RecordID(recordName: "food"), recordType: "Lists", sequenceNumber: 1, creationDate: Date(),
                creatorName: "u", modificationDate: Date(), lastModifierName: "u",
                fields: FieldValues(names: FieldNames(["n"]), values: [.int64(5)], isComplete: false)))
        #expect(expectInvalidArguments { try filter.matches(item()) { _ in partial } }?.fieldKey == "name")
        var misfit = Record(recordType: "Lists")
        misfit["name"] = UInt64.max
        expectInvalidArguments { try filter.matches(item()) { _ in misfit } }
        #expect(try filter.matches(item()) { _ in nil })
    }

    @Test("A path through list after list ends before the machine does", .timeLimit(.minutes(15)))
    func explosion() throws {
        var record = Record(recordType: "Items", recordID: RecordID(recordName: "r"))
        record["x"] = [Reference](repeating: Reference(record: record, action: .none), count: 100)
        let copy = record
        let error = expectInvalidArguments {
            try Filter("ANY x.x.x.x.x.x == NIL").matches(record) { _ in copy }
        }
        #expect(error?.message.contains("1000000 values") == true)
    }

    @Test("Values of types that were not known are refused when they are met")
    func types() throws {
        for format in [
            "list.name + 1 == 2", "list.name[0] == 'x'", "-list.name == 1", "list.name.x == 1", "list.name.@count == 1",
            "list.owner BEGINSWITH 'x'", "lists.@sum.name == 1", "x[list.name] == 1",
            "list.name BETWEEN list.owner.city",
        ] {
            var item = try item()
            item["x"] = [1]
            let judged = item
            expectInvalidArguments { try Filter(format).matches(judged) { Self.records[$0] } }
        }
    }

    @Test("A variable without a value is refused")
    func variables() throws {
        let error = expectInvalidArguments { try Filter("name == $x").matches(item()) }
        #expect(error?.message.contains("$x has no value") == true)
    }
}
