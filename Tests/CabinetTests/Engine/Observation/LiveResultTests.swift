import Foundation
import Testing

@testable import Cabinet

@Suite("A live result has the records that the query finds")
struct LiveResultTests {
    private struct Random: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (state >> 33) ^ (state << 31)
        }
    }

    private static let zones = [RecordZone.ID.default, RecordZone.ID(zoneName: "A"), RecordZone.ID(zoneName: "B")]

    private static func record(_ id: RecordID, number: Int64, using random: inout Random) -> StoredRecord {
        var fields = FieldValues.empty
        if Int.random(in: 0..<5, using: &random) > 0 { fields["x"] = .int64(Int64.random(in: -3...3, using: &random)) }
        fields["name"] = .string(["a", "B", "b", "C"].randomElement(using: &random) ?? "")
        return StoredRecord(
            recordID: id, recordType: Int.random(in: 0..<6, using: &random) == 0 ? "Lists" : "Items",
            sequenceNumber: number, creationDate: Date(timeIntervalSinceReferenceDate: 0), creatorName: "_a",
            modificationDate: Date(timeIntervalSinceReferenceDate: Double(number)), lastModifierName: "_a",
            fields: fields)
    }

    @Test(arguments: 0..<40)
    func followsRandomChanges(seed: Int) throws {
        var random = Random(state: UInt64(seed) &* 77 &+ 5)
        let filters = [try Filter("x >= 0"), try Filter("TRUEPREDICATE"), try Filter("NOT x == 1 AND name !=[c] 'c'")]
        let orders: [[Sort]] = [
            [], [Sort("x")], [Sort("x", ascending: false), Sort("name", options: .caseInsensitive)],
            [Sort("modificationDate", ascending: false)],
        ]
        let plan = try QueryPlan(
            recordType: "Items", filter: filters[seed % 3], order: orders[seed % 4],
            fields: ["x": .int64, "name": .string])
        var store: [RecordID: StoredRecord] = [:]
        var result = LiveResult(plan, records: [], basis: LiveBasis())
        var number: Int64 = 0
        for _ in 0..<60 {
            var changes: [RecordID: StoredChange] = [:]
            let old = result.records
            var isOther = false
            if Int.random(in: 0..<12, using: &random) == 0, let zone = Self.zones.randomElement(using: &random) {
                store = store.filter { $0.key.zoneID != zone }
                isOther = result.removeAll { $0 == zone }
            }
            for _ in 0..<Int.random(in: 0...12, using: &random) {
                number += 1
                let zone = Self.zones.randomElement(using: &random) ?? .default
                let id = RecordID(recordName: "r\(Int.random(in: 0..<15, using: &random))", zoneID: zone)
                if let old = store[id], Int.random(in: 0..<3, using: &random) == 0 {
                    store[id] = nil
                    changes[id] = .deleted(
                        StoredDeletion(recordID: id, recordType: old.recordType, sequenceNumber: number, date: Date()))
                } else {
                    let record = Self.record(id, number: number, using: &random)
                    store[id] = record
                    changes[id] = .saved(record)
                }
            }
            if try result.apply(changes.values.map { ($0.recordID, $0.record) }) { isOther = true }
            let expected = try plan.page(of: store.values)
            #expect(result.records == expected, "seed \(seed)")
            #expect(isOther || old == expected, "seed \(seed): a change was not reported")
            // Applying it twice changes nothing.
            let isOtherAgain = try result.apply(changes.values.map { ($0.recordID, $0.record) })
            #expect(!isOtherAgain, "seed \(seed)")
        }
    }

    @Test("The changes of a server that sorts in another order are merged, too")
    func otherOrder() throws {
        let plan = try QueryPlan(
            recordType: "Items", filter: .constant(true), order: [Sort("x")], fields: ["x": .int64])
        let date = Date(timeIntervalSinceReferenceDate: 0)
        let records = (1...7).map { number in
            var fields = FieldValues.empty
            fields["x"] = .int64(Int64(number))
            return StoredRecord(
                recordID: RecordID(recordName: "r\(number)"), recordType: "Items", sequenceNumber: Int64(number),
                creationDate: date, creatorName: "_a", modificationDate: date, lastModifierName: "_a", fields: fields)
        }
        var result = LiveResult(plan, records: records.reversed(), basis: LiveBasis())
        // In the order of the query, none of these is where it is found.
        #expect(try result.apply(records.prefix(3).map { ($0.recordID, StoredRecord?.none) }))
        #expect(result.records == records.dropFirst(3).reversed())
    }

    @Test("The minimum number of records has moved")
    func moves() {
        #expect(RecordDifference.outOfOrder([1, 2, 3, 0]) == [3])
        #expect(RecordDifference.outOfOrder([]) == [])
        var random = Random(state: 7)
        for _ in 0..<300 {
            let numbers = Array(0..<Int.random(in: 0...12, using: &random)).shuffled(using: &random)
            let moved = Set(RecordDifference.outOfOrder(numbers))
            let others = numbers.indices.filter { !moved.contains($0) }.map { numbers[$0] }
            #expect(others == others.sorted())
            #expect(moved.count == numbers.difference(from: numbers.sorted()).insertions.count, "\(numbers)")
        }
    }
}
