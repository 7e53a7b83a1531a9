import Cabinet
import Foundation
import Testing

@Suite("Untyped numbers are NSNumbers, as in CloudKit")
struct UntypedNumberTests {
    private func saved(_ fields: [String: any RecordValue]) async throws -> Record {
        let database = try Container(identifier: "com.example.numbers", backend: MemoryBackend()).privateDatabase
        var record = Record(recordType: "Samples")
        for (key, value) in fields { record[key] = value }
        return try await database.save(record)
    }

    @Test("A boolean reads as Bool")
    func booleans() async throws {
        let record = try await saved(["yes": true, "no": false, "two": 2])
        #expect(record["yes"] as? Bool == true)
        #expect(record["no"] as? Bool == false)
        #expect(record["two"] as? Bool == nil)
        #expect(record["yes"] as? Int == 1)
    }

    @Test("A whole number reads as every number type that can hold it")
    func wholeNumbers() async throws {
        let record = try await saved(["small": 5, "large": 300, "double": 2.0])
        #expect(record["small"] as? Int == 5)
        #expect(record["small"] as? Int64 == 5)
        #expect(record["small"] as? Double == 5)
        #expect(record["small"] as? Float == 5)
        #expect(record["small"] as? UInt8 == 5)
        #expect(record["small"] as? NSNumber == 5)
        #expect(record["small"] as? String == nil)
        #expect(record["large"] as? UInt8 == nil)
        #expect(record["double"] as? Int == 2)
        #expect(record["double"] as? Int64 == 2)
        #expect(record["double"] as? Double == 2)
    }

    @Test("A fraction reads as Double alone")
    func fractions() async throws {
        let record = try await saved(["price": 2.5])
        #expect(record["price"] as? Double == 2.5)
        #expect(record["price"] as? Int == nil)
        #expect(record["price"] as? NSNumber == 2.5)
    }

    @Test("The greatest and the least whole numbers read exactly", arguments: [Int64.max, .min, .max - 1])
    func greatNumbers(_ number: Int64) async throws {
        let record = try await saved(["number": number])
        #expect(record["number"] as? Int64 == number)
        #expect(record["number"]?.fieldValue == .int64(number))
    }

    @Test("A list of numbers reads as an array of every number type that can hold its elements")
    func lists() async throws {
        let record = try await saved(["whole": [1, 2], "halves": [1, 2.5], "flags": [true, false]])
        #expect(record["whole"] as? [Int] == [1, 2])
        #expect(record["whole"] as? [Int64] == [1, 2])
        #expect(record["whole"] as? [Double] == [1, 2])
        #expect(record["whole"] as? [NSNumber] == [1, 2])
        #expect(record["whole"] as? [String] == nil)
        #expect(record["halves"] as? [Double] == [1, 2.5])
        #expect(record["halves"] as? [Int] == nil)
        #expect(record["flags"] as? [Bool] == [true, false])
    }

    @Test(
        "A value that was read can be set again, and keeps its type",
        arguments: [
            FieldValue.int64(5), .double(2), .double(2.5), .double(-0.0), .double(.infinity), .double(.nan),
            .int64(.min),
            .list(.int64([1, 2])), .list(.double([1, 2])), .list(.int64([])), .list(.double([])), .list(.string([])),
            .string("a"), .list(.string(["a"])),
        ])
    func roundTrip(_ value: FieldValue) {
        #expect(value.recordValue.fieldValue == value)
    }

    @Test("An NSNumber is stored by its own type")
    func storing() {
        #expect((5 as NSNumber).fieldValue == .int64(5))
        #expect((true as NSNumber).fieldValue == .int64(1))
        #expect(NSNumber(value: 2.0).fieldValue == .double(2))
        #expect(NSNumber(value: Float(2.5)).fieldValue == .double(2.5))
        #expect(NSNumber(value: UInt32.max).fieldValue == .int64(4_294_967_295))
        #expect(NSNumber(value: UInt64.max).fieldValue == nil)
        #expect(NSDecimalNumber(string: "2.5").fieldValue == .double(2.5))
        #expect(([1, 2] as [NSNumber]).fieldValue == .list(.int64([1, 2])))
        #expect(([1, 2.5] as [NSNumber]).fieldValue == .list(.double([1, 2.5])))
        #expect([NSNumber(value: Int64.max), 2.5].fieldValue == nil)
        #expect(([] as [NSNumber]).fieldValue == .list(.double([])))
    }

    @Test("A generic read gives an NSNumber, and of text none")
    func genericReading() {
        var record = Record(recordType: "Samples")
        record["number"] = NSNumber(value: 5)
        record["name"] = "Milk"
        let number: NSNumber? = record["number"]
        let name: NSNumber? = record["name"]
        let decimal: NSDecimalNumber? = record["number"]
        #expect(number == 5)
        #expect(name == nil && decimal == nil)
    }

    @Test("A number that no field holds is refused by its value")
    func misfit() async throws {
        let error = await #expect(throws: CabinetError.self) {
            _ = try await saved(["number": NSNumber(value: UInt64.max)])
        }
        #expect(error?.code == .invalidArguments)
        #expect(error?.message.contains("18446744073709551615") == true)
    }

    @Test("A filter takes an NSNumber")
    func filter() throws {
        #expect(try Filter("number == %@", NSNumber(value: 5)) == Filter("number == 5"))
    }

    @Test("A merge keeps the types of numbers")
    func merge() async throws {
        let database = try Container(identifier: "com.example.numbers", backend: MemoryBackend()).privateDatabase
        var record = try await database.save(Record(recordType: "Samples"))
        try await database.update(record.recordID) { $0["other"] = 1 }
        (record["whole"], record["double"]) = (5, 2.0)
        let merged = try await database.save(record, resolvingConflictsWith: .fieldwise(whenBothChanged: .fail))
        #expect(merged["whole"]?.fieldValue == .int64(5))
        #expect(merged["double"]?.fieldValue == .double(2))
    }
}
