import CabinetTesting
import Foundation
import Testing

@testable import Cabinet

@Suite("Tables in memory: records, and columns of ranks beside them")
struct MemoryTableTests {
    private static let layouts = [
        FieldNames(["n", "s", "t"]), FieldNames(["t", "s", "n"]), FieldNames(["s"]), FieldNames([]),
        // Of a repeated name the first position counts.
        FieldNames(["n", "s", "n"]),
        FieldNames((0..<50).map { "other\($0)" } + ["n"]),
    ]

    private static func record(
        _ number: Int, type: String = "Items", using random: inout SeededGenerator
    ) -> StoredRecord {
        let layout = layouts[.random(in: layouts.indices, using: &random)]
        let values: [FieldValue?] = layout.names.map { name in
            if name == "t" {
                return ["", "a", "b", "ab", "abcdefghi"].randomElement(using: &random).map(FieldValue.string)
            }
            return switch Int.random(in: 0..<5, using: &random) {
            case 0: nil
            case 1: .double(.random(in: -2...2, using: &random).rounded())
            case 2: .string(["a", "b", "ab"].randomElement(using: &random) ?? "")
            default: .int64(.random(in: -2...2, using: &random))
            }
        }
        return StoredRecord(
            recordID: RecordID(recordName: "r\(number)"), recordType: type, sequenceNumber: 1,
            creationDate: .distantPast,
            creatorName: "u", modificationDate: .distantPast, lastModifierName: "u",
            fields: RecordFields(names: layout, values: values))
    }

    @Test(
        "After any changes it holds the records that a dictionary holds, and its ranks find all that match",
        arguments: 1...4)
    func changes(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var records = MemoryRecords()
        var model: [RecordID: StoredRecord] = [:]
        let fields: FieldTypes = ["n": .int64, "s": .string, "t": .string, "other3": .int64, "missing": .int64]
        let filters: [Filter] = try [
            "n == 1", "n == NIL", "n < 1", "n >= 0.5", "s == 'a'", "s > 'a'", "n BETWEEN {0, 1}", "n IN {1, 2, 'a'}",
            "n == 1 AND s == 'a'", "n > 0 AND s < 'b' AND n < 2", "other3 == 1", "missing == NIL", "missing == 1",
            "t BEGINSWITH 'a' AND n == 1", "t BEGINSWITH 'abcdefgh'", "t BEGINSWITH ''",
        ].map { try Filter($0) }
        for _ in 0..<400 {
            let number = Int.random(in: 0..<60, using: &random)
            let id = RecordID(recordName: "r\(number)")
            if Int.random(in: 0..<3, using: &random) == 0 {
                #expect(records.remove(id) == model.removeValue(forKey: id))
            } else {
                let type = number % 7 == 0 ? ["Items", "Lists"].randomElement(using: &random) ?? "" : "Items"
                let record = Self.record(number, type: type, using: &random)
                #expect(records.put(record) == model.updateValue(record, forKey: id))
            }
            #expect(records.count == model.count)
            for (id, record) in model { #expect(records[id] == record) }
            let table = records.table(of: "Items")
            let items = model.values.filter { $0.recordType == "Items" }
            for filter in filters {
                var compiled = try CompiledFilter(filter, fields: fields)
                let candidates = table?.candidates(within: filter.rankBounds(fields: fields)) ?? []
                let found = try Set(candidates.filter { try compiled.matches($0) }.map(\.recordID))
                #expect(try found == Set(items.filter { try compiled.matches($0) }.map(\.recordID)), "\(filter)")
            }
        }
    }

    @Test("A value is told from nearly all others by its rank")
    func selectivity() throws {
        var table = MemoryTable(recordType: "Items")
        let names = FieldNames(["n", "r"])
        for number in 0..<100 {
            let target = RecordID(recordName: "0197C1A0-0000-7000-8000-0000000000\(10 + number % 20)")
            table.append(
                StoredRecord(
                    recordID: RecordID(), recordType: "Items", sequenceNumber: 1, creationDate: .distantPast,
                    creatorName: "u",
                    modificationDate: .distantPast, lastModifierName: "u",
                    fields: RecordFields(
                        names: names,
                        values: [.int64(Int64(number)), .reference(Reference(recordID: target, action: .none))])))
        }
        let fields: FieldTypes = ["n": .int64, "r": .reference]
        func count(_ filter: Filter) -> Int { table.candidates(within: filter.rankBounds(fields: fields)).count }
        #expect(count(.field("n") == 7) == 1)
        #expect(count(.field("n") < 10) == 11)
        #expect(count(.field("n") == 7 && .field("r") == RecordID(recordName: "nobody")) == 0)
        #expect(count(.field("r") == RecordID(recordName: "0197C1A0-0000-7000-8000-000000000012")) == 5)
    }
}
