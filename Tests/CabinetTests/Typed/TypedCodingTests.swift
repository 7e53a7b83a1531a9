import Foundation
import Testing

@testable import Cabinet

@Suite("Codable values as typed records")
struct TypedCodingTests {
    private struct Part: Codable, Equatable {
        var width: Int
        var height: Int
    }

    private struct Value: Codable, Equatable {
        var name = "box"
        var number = 7
        var narrow: Int8 = 2
        var weight: Double? = 2.5
        var ratio: Float = 0.25
        var isOpen = true
        var colour: Colour? = .green
        var made: Date? = Date(timeIntervalSinceReferenceDate: 3)
        var bytes: Data? = Data([1])
        var uuid: UUID? = UUID()
        var url = URL(string: "https://example.com")
        var words = ["a"]
        var colours: [Colour] = [.red]
        var size: Part? = Part(width: 1, height: 2)
        var shelf: Typed<Shelves>.ID? = TypedID(recordName: "s")
        var inside: RecordID? = "b"
        var others: [RecordID] = ["c", "d"]
        var recordID: RecordID = "me"
    }

    @Test("A value of every type goes into a record and comes back")
    func everyType() throws {
        let value = Value()
        let box = try Box(encoding: value)
        #expect(box.id.recordID == "me" && box.name == "box" && box.colour == .green && box.size?.height == 2)
        #expect((box.record["shelf"] as? Reference)?.action == .deleteSelf)
        #expect((box.record["others"] as? [Reference])?.map(\.action) == [.deny, .deny])
        #expect(box.record["made"] is Date && box.record["bytes"] is Data)
        #expect(try box.decode(as: Value.self) == value)
    }

    @Test("Encoding onto a record keeps what the value does not name, and removes nil")
    func update() throws {
        struct Name: Encodable { var name: String }
        struct Weight: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Key.self)
                try container.encodeNil(forKey: .weight)
            }
            enum Key: String, CodingKey { case weight }
        }
        var box = try Box(encoding: Value())
        try box.encode(Name(name: "other"))
        #expect(box.name == "other" && box.number == 7 && box.weight == 2.5)
        try box.encode(Weight())
        #expect(box.weight == nil && box.name == "other")
    }

    @Test("Missing values have the declared default")
    func missing() throws {
        struct Few: Codable, Equatable {
            var number: Int
            var words: [String]
            var weight: Double?
        }
        let few = try Box(Record(recordType: "Boxes")).decode(as: Few.self)
        #expect(few == Few(number: 1, words: [], weight: nil))
    }

    private struct Numbers: RecordFields {
        static let recordType = "Numbers"
        let whole = Field<Int?>("whole")
        let exact = Field<Double?>("exact")
        let list = Field<[Double]>("list")
    }

    @Test("Numbers are stored as the declared type, and all keys are listed")
    func numbers() throws {
        struct Value: Codable {
            var whole = 2.0
            var exact = 3
            var list = [1, 2]
        }
        var numbers = try Typed<Numbers>(encoding: Value())
        #expect(numbers.whole == 2 && numbers.exact == 3 && numbers.list == [1, 2])
        #expect(numbers.record["exact"] is Double && numbers.record["list"] is [Double])
        #expect(numbers.record.fieldValue(forKey: "whole") == .int64(2))
        struct Fraction: Codable { var whole = 2.5 }
        #expect(message { try numbers.encode(Fraction()) }.contains("stored as INT64, found 2.5"))
        struct Large: Codable { var list = [1, 9_007_199_254_740_993] }
        #expect(message { try numbers.encode(Large()) }.contains("a value of type LIST<INT64>"))
        struct Dictionary: Decodable {
            let values: [String: Double]
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Key.self)
                values = try container.allKeys.filter { $0.stringValue != "list" }.reduce(into: [:]) {
                    $0[$1.stringValue] = try container.decode(Double.self, forKey: $1)
                }
            }
            struct Key: CodingKey {
                var stringValue: String
                var intValue: Int? { nil }
                init(stringValue: String) { self.stringValue = stringValue }
                init?(intValue: Int) { nil }
            }
        }
        #expect(try numbers.decode(as: Dictionary.self).values == ["whole": 2, "exact": 3])
    }

    private func message(_ body: () throws -> Void) -> String {
        let error = #expect(throws: CabinetError.self) { try body() }
        #expect(error?.code == .invalidArguments)
        return error?.message ?? ""
    }

    @Test("An error names the type, the field, and what was expected and found")
    func errors() throws {
        struct Misspelled: Codable { var nmae = "box" }
        struct Wrong: Codable { var number = "seven" }
        struct Large: Codable { var narrow = 300 }
        struct Unknown: Codable { var colour = "blue" }
        struct Nested: Codable { var name = Part(width: 1, height: 1) }
        struct Named: Codable { var name: String }
        struct Dated: Codable { var made: Date }
        #expect(message { _ = try Box(encoding: Misspelled()) }.contains("Misspelled has the key 'nmae'"))
        #expect(message { _ = try Box(encoding: Misspelled()) }.contains("Is it 'name'?"))
        let wrong = message { _ = try Box(encoding: Wrong()) }
        #expect(
            wrong.contains("Wrong.number, field 'number' of Boxes: expected Int, stored as INT64, found \"seven\""),
            "\(wrong)")
        #expect(message { _ = try Box(encoding: Large()) }.contains("expected Int8"))
        #expect(message { _ = try Box(encoding: Unknown()) }.contains("found \"blue\""))
        #expect(message { _ = try Box(encoding: Nested()) }.contains("found a Part, which has parts"))
        #expect(message { _ = try Box(encoding: 7) }.contains("Int is not coded with keys"))
        #expect(message { _ = try Box(encoding: [7]) }.contains("is not coded with keys"))
        let box = try Box(Record(recordType: "Boxes"))
        #expect(message { _ = try box.decode(as: Named.self) }.contains("Named.name, field 'name' of Boxes"))
        #expect(message { _ = try box.decode(as: Dated.self) }.contains("expected Date, found no value"))
        #expect(message { _ = try box.decode(as: Misspelled.self) }.contains("Is it 'name'?"))
        #expect(message { _ = try box.decode(as: Int.self) }.contains("Int is not coded with keys"))
        var record = Record(recordType: "Boxes")
        record["made"] = "today"
        let found = message { _ = try Box(record).decode(as: Dated.self) }
        #expect(found.contains("expected Date, found \"today\", a value of type STRING"), "\(found)")
    }
}
