import CabinetTesting
import Foundation
import Testing

@testable import Cabinet

@Suite("Pages: the meaning of a query plan, compared with a sort of everything")
struct PageTests {
    private static let fields: FieldTypes = [
        "s": .string, "n": .int64, "d": .double, "at": .timestamp, "data": .bytes, "ref": .reference,
    ]

    private static func records(count: Int, seed: UInt64) -> [StoredRecord] {
        var generator = SeededGenerator(seed: seed)
        let names = [
            FieldNames(["s", "n", "d", "at", "data", "ref"]), FieldNames(["ref", "data", "at", "d", "n", "s"]),
        ]
        return (0..<count).map { index in
            // Few different values, so that there are many ties; and nil.
            let number = Int.random(in: 0...4, using: &generator)
            let text = ["a", "b", "é", "e\u{301}", "Z", "\u{FFFF}", "👩"].randomElement(using: &generator) ?? ""
            let all: [String: FieldValue?] = [
                "s": number == 0 ? nil : .string(text),
                "n": number == 1 ? nil : .int64(.random(in: -3...3, using: &generator)),
                "d": number == 2 ? nil : .double(.random(in: -3...3, using: &generator).rounded()),
                "at": number == 3 ? nil : .timestamp(Date(timeIntervalSinceReferenceDate: Double(number) / 4)),
                "data": number == 4 ? nil : .bytes(Data(text.utf8.prefix(number))),
                "ref": .reference(
                    Reference(recordID: RecordID(recordName: "r\(number)"), action: index % 2 == 0 ? .none : .deny)),
            ]
            let layout = names[index % 2]
            let zone = RecordZone.ID(zoneName: "zone\(index % 3)")
            return StoredRecord(
                recordID: RecordID(recordName: "record\(index / 3 * 7 % 100)-\(index / 300)", zoneID: zone),
                recordType: index % 50 == 0 ? "Others" : "Items", sequenceNumber: Int64(index),
                insertionNumber: Int64(index * 7 % count),
                creationDate: Date(timeIntervalSinceReferenceDate: Double(number)), creatorName: "u\(number % 2)",
                modificationDate: Date(timeIntervalSinceReferenceDate: Double(index)), lastModifierName: "u",
                parentName: index % 4 == 0 ? nil : "p\(index % 4)",
                fields: FieldValues(names: layout, values: layout.names.map { all[$0] ?? nil }))
        }
    }

    /// Whether a record comes before another, computed in the simplest way.
    private static func precedes(_ left: StoredRecord, _ right: StoredRecord, _ order: [Sort]) -> Bool {
        func rank(_ value: FieldValue?, _ other: FieldValue?) -> Int {
            func order<Value: Comparable>(_ left: Value, _ right: Value) -> Int {
                left < right ? -1 : left > right ? 1 : 0
            }
            func bytes(_ left: some Sequence<UInt8>, _ right: some Sequence<UInt8>) -> Int {
                left.lexicographicallyPrecedes(right) ? -1 : right.lexicographicallyPrecedes(left) ? 1 : 0
            }
            switch (value, other) {
            case (nil, nil): return 0
            case (nil, _): return -1
            case (_, nil): return 1
            case (.string(let left)?, .string(let right)?): return bytes(left.utf8, right.utf8)
            case (.int64(let left)?, .int64(let right)?): return order(left, right)
            case (.double(let left)?, .double(let right)?): return order(left, right)
            case (.timestamp(let left)?, .timestamp(let right)?): return order(left, right)
            case (.bytes(let left)?, .bytes(let right)?): return bytes(left, right)
            case (.reference(let left)?, .reference(let right)?):
                return bytes(left.recordID.recordName.utf8, right.recordID.recordName.utf8)
            default: return 0
            }
        }
        for sort in order {
            let result = rank(left.value(forKey: sort.key), right.value(forKey: sort.key))
            if result != 0 { return sort.ascending == (result < 0) }
        }
        return left.insertionNumber < right.insertionNumber
    }

    private static let orders: [[Sort]] = [
        [], [Sort("n")], [Sort("n", ascending: false)], [Sort("s"), Sort("d", ascending: false)],
        [Sort("data", ascending: false), Sort("at")], [Sort("ref"), Sort("n"), Sort("s", ascending: false)],
        [Sort("creationDate", ascending: false)],
        [Sort("creatorUserRecordID"), Sort("missing"), Sort("parent", ascending: false)],
        [Sort("recordID", ascending: false)], [Sort("modificationDate", ascending: false)],
    ]

    @Test("Pages of any size, one after the other, are the sorted records", arguments: orders)
    func pages(order: [Sort]) throws {
        let records = Self.records(count: 120, seed: 3)
        for (format, zone) in [("TRUEPREDICATE", nil), ("n > -2 AND s != 'b'", nil), ("d == NIL", "zone1")]
            as [(String, String?)]
        {
            let zoneID = zone.map { RecordZone.ID(zoneName: $0) }
            let plan = try QueryPlan(
                recordType: "Items", zoneID: zoneID, filter: try Filter(format), order: order, fields: Self.fields)
            let expected =
                try records
                .filter { record in
                    try record.recordType == "Items" && (zoneID == nil || record.recordID.zoneID == zoneID)
                        && plan.filter.matches(Record(record))
                }
                .sorted { Self.precedes($0, $1, order) }
            #expect(try plan.count(in: records) == expected.count)
            #expect(try plan.page(of: records) == expected)

            for limit in [3, 50] {
                var next = try plan.with { $0.limit = limit }
                var found: [StoredRecord] = []
                repeat {
                    let page = try next.page(of: records)
                    #expect(page.count <= limit)
                    #expect(try next.count(in: records) == expected.count)
                    found += page
                    guard let last = page.last else { break }
                    next = try next.continued(after: last)
                } while found.count <= expected.count
                #expect(found == expected)
            }
        }
    }

    @Test("Keys: the page has only these, but the position has the sort keys")
    func keys() throws {
        let records = Self.records(count: 40, seed: 5)
        var plan = try QueryPlan(
            recordType: "Items", filter: .constant(true), order: [Sort("n"), Sort("creationDate"), Sort("s")],
            limit: 10,
            fields: Self.fields)
        #expect(plan.keysToFetch(for: nil) == nil)
        #expect(plan.keysToFetch(for: []) == ["n", "s"])
        #expect(plan.keysToFetch(for: ["s", "d"]) == ["s", "d", "n"])

        let full = try plan.page(of: records)
        let desired = ["d", "absent"]
        plan = try plan.with { $0.keys = plan.keysToFetch(for: desired) }
        let page = try plan.page(of: records)
        #expect(page.map(\.recordID) == full.map(\.recordID))
        for (record, whole) in zip(page, full) {
            #expect(try plan.position(after: record) == plan.position(after: whole))
            let trimmed = record.trimmed(to: desired)
            #expect(trimmed.fields.names.names == desired)
            #expect(!trimmed.fields.isComplete && !trimmed.fields.knows("n"))
            #expect(trimmed.fields["d"] == whole.fields["d"])
            #expect(whole.trimmed(to: nil) == whole)
        }
    }

    @Test("A page out of many records has a page of them", .timeLimit(.minutes(15)))
    func large() throws {
        let names = FieldNames(["n"])
        let count = 50_000
        let records = (0..<count).lazy.map { index in
            StoredRecord(
                recordID: RecordID(recordName: "r\(index)"), recordType: "Items", sequenceNumber: 1,
                creationDate: .distantPast,
                creatorName: "u", modificationDate: .distantPast, lastModifierName: "u",
                fields: FieldValues(names: names, values: [.int64(Int64(index * 7919 % count))]))
        }
        let plan = try QueryPlan(
            recordType: "Items", filter: .field("n") >= 10, order: [Sort("n")], limit: 3, fields: ["n": .int64])
        #expect(try plan.page(of: records).map { $0.fields["n"] } == [.int64(10), .int64(11), .int64(12)])
        #expect(try plan.count(in: records) == count - 10)
    }
}
