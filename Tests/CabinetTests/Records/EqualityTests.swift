import Foundation
import Testing

@testable import Cabinet

@Suite("Equality: values are equal when they are stored alike")
struct EqualityTests {
    private let composed = "caf\u{E9}"
    private let decomposed = "cafe\u{301}"

    @Test("Composed and decomposed text differ wherever text is compared")
    func scalars() {
        // Swift itself treats them as equal.
        #expect(composed == decomposed)
        #expect(FieldValue.string(composed) != .string(decomposed))
        #expect(FieldValue.list(.string([composed])) != .list(.string([decomposed])))
        #expect(RecordID(recordName: composed) != RecordID(recordName: decomposed))
        #expect(RecordZone.ID(zoneName: composed) != RecordZone.ID(zoneName: decomposed))
        #expect(RecordZone.ID(ownerName: composed) != RecordZone.ID(ownerName: decomposed))
        #expect(Set([FieldValue.string(composed), .string(decomposed)]).count == 2)
        #expect(Set([RecordID(recordName: composed), RecordID(recordName: decomposed)]).count == 2)
        let key = StorageKey("sample")
        #expect(StorageEntry(key: key, text: composed) != StorageEntry(key: key, text: decomposed))
        #expect(Set([composed, decomposed].map { StorageEntry(key: key, text: $0) }).count == 2)
    }

    @Test("Users whose addresses differ in their normal form are two users of one request")
    func lookups() {
        for lookup in [UserLookup.emailAddress, UserLookup.phoneNumber, UserLookup.userRecordName] {
            #expect(lookup(composed) == lookup(composed) && lookup(composed) != lookup(decomposed))
            #expect(Set([composed, decomposed, composed].map(lookup)).count == 2)
        }
        #expect(UserLookup.emailAddress(composed) != .phoneNumber(composed))
    }

    @Test(
        "Fields whose names differ by their scalars are different, in short lists and in long ones", arguments: [0, 20])
    func fieldNames(others: Int) {
        for (first, second) in [(composed, decomposed), (decomposed, composed)] {
            var record = Record(recordType: "Items")
            for index in 0..<others { record["field\(index)"] = index }
            record[first] = 1
            var other = Record(recordType: "Items")
            for index in 0..<others { other["field\(index)"] = index }
            other[second] = 2
            #expect(other[second] == 2)
            #expect(other[first] == Int?.none)
            #expect(other.allKeys().last.map { Array($0.unicodeScalars) } == Array(second.unicodeScalars))
            record[second] = 3
            #expect(record[first] == 1)
            #expect(record[second] == 3)
        }
    }

    @Test(
        "Equal values hash alike",
        arguments: [
            (.double(0), .double(-0.0)), (.double(.nan), .double(-.nan)),
            (.list(.double([.nan, 0])), .list(.double([-.nan, -0.0]))),
            (.string("a"), .string("a")), (.bytes(Data([1, 2])), .bytes(Data([0, 1, 2]).dropFirst())),
        ] as [(FieldValue, FieldValue)])
    func hashing(_ left: FieldValue, _ right: FieldValue) {
        #expect(left == right)
        #expect(left.hashValue == right.hashValue)
    }

    @Test("Values of different types differ, also when they are the same number")
    func kinds() {
        #expect(FieldValue.int64(1) != .double(1))
        #expect(FieldValue.list(.int64([])) != .list(.double([])))
        #expect(FieldValue.string("1") != .int64(1))
        #expect(
            FieldValue.reference(Reference(recordID: RecordID(recordName: "a"), action: .none))
                != .reference(Reference(recordID: RecordID(recordName: "a"), action: .deny)))
    }

    @Test("Records are equal regardless of the order in which their fields were set")
    func fieldOrder() {
        let id = RecordID(recordName: "a")
        var left = Record(recordType: "Items", recordID: id)
        var right = Record(recordType: "Items", recordID: id)
        for key in ["a", "b", "c"] { left[key] = key }
        for key in ["c", "x", "b", "a"] { right[key] = key }
        #expect(left != right)
        right["x"] = nil
        #expect(left == right)
        #expect(left.hashValue == right.hashValue)
        right.setParent(RecordID(recordName: "p"))
        #expect(left != right)
    }

    @Test("A part of a record is not the record")
    func parts() {
        let whole = FieldValues(names: FieldNames(["a"]), values: [.int64(1)])
        #expect(whole != whole.selecting(["a"]))
        #expect(whole.selecting(["a", "b"]) == whole.selecting(["a"]))
    }

    @Test("Fields that are built alike share their list of names")
    func sharedNames() {
        // A separate root: other tests may have used up the limit of the list without a name.
        let root = FieldNames([])
        let fields = (0..<3).map { index in
            var fields = FieldValues(names: root, values: [])
            for key in ["name", "number", "list"] { fields[key] = .int64(Int64(index)) }
            return fields
        }
        #expect(fields[0].names === fields[1].names)
        #expect(fields[1].names === fields[2].names)
        var longer = fields[0]
        longer["more"] = .int64(1)
        #expect(fields[1].keys == ["name", "number", "list"])
        #expect(longer.keys == ["name", "number", "list", "more"])
    }

    @Test("Fields with invented names are kept nevertheless")
    func manyNames() {
        let root = FieldNames([])
        for index in 0..<300 {
            var fields = FieldValues(names: root, values: [])
            fields["made_up_\(index)"] = .int64(Int64(index))
            #expect(fields["made_up_\(index)"] == .int64(Int64(index)))
        }
        var wide = FieldValues(names: root, values: [])
        for index in 0..<600 { wide["f\(index)"] = .int64(Int64(index)) }
        #expect(wide.keys.count == 600)
        #expect(wide["f599"] == .int64(599))
    }
}
