import Foundation
import Testing

@testable import Cabinet

/// Records in memory, with only the required functions of a snapshot.
private struct PlainSnapshot: StorageSnapshot {
    let all: [RecordID: StoredRecord]
    let types: [Record.RecordType: [Record.FieldKey: FieldType]]

    func load(_ keys: StorageKeys) -> StorageValues {
        StorageValues(
            records: keys.records.map { all[$0]?.trimmed(to: keys.fields) },
            existing: keys.existing.map { all[$0] != nil }, entries: keys.entries.map { _ in nil },
            entryRanges: keys.entryRanges.map { _ in [] }, schema: schema)
    }

    func entries(in range: Range<StorageKey>, limit: Int) -> [StorageEntry] { [] }

    func records(matching plan: QueryPlan) throws -> [StoredRecord] {
        try plan.page(of: all.values, resolving: plan.resolver(over: all.values))
    }

    func references(to ids: [RecordID]) -> [StoredReference] { [] }

    func changes(
        in zoneID: RecordZone.ID, after number: Int64, limit: Int, of content: ChangeContent
    ) -> [StoredChange] { [] }

    var abilities: SnapshotAbilities { SnapshotAbilities() }

    var schema: StoredSchema { StoredSchema(recordTypes: types) }
}

@Suite("Aggregates of a backend without the ability: the core computes the same from pages and in memory")
struct DefaultAggregateTests {
    private static func record(
        _ type: Record.RecordType, _ name: String, _ fields: KeyValuePairs<Record.FieldKey, FieldValue?>
    ) -> StoredRecord {
        StoredRecord(
            recordID: RecordID(recordName: name), recordType: type, sequenceNumber: 1, creationDate: .distantPast,
            creatorName: "u", modificationDate: .distantPast, lastModifierName: "u",
            fields: FieldValues(names: FieldNames(fields.map(\.key)), values: fields.map(\.value)))
    }

    private static func reference(_ name: String) -> FieldValue {
        .reference(Reference(recordID: RecordID(recordName: name), action: .none))
    }

    private static let snapshot: PlainSnapshot = {
        var records: [StoredRecord] = []
        for index in 0..<2_500 {
            records.append(
                record(
                    "Items", "item \(index)",
                    [
                        "n": index % 7 == 0 ? nil : .int64(Int64(index)), "s": .string("\(index % 3)"),
                        "list": index % 5 == 0 ? nil : reference("list \(index % 40)"),
                    ]))
        }
        for index in 0..<30 {
            records.append(
                record(
                    "Lists", "list \(index)",
                    ["name": .string("\(index % 4)"), "price": .double(Double(index) / 3), "owner": reference("owner")])
            )
        }
        records.append(record("Owners", "owner", ["age": .int64(3)]))
        for index in records.indices { records[index].insertionNumber = Int64(index) }
        return PlainSnapshot(
            all: Dictionary(uniqueKeysWithValues: records.map { ($0.recordID, $0) }),
            types: [
                "Items": ["n": .int64, "s": .string, "list": .reference],
                "Lists": ["name": .string, "price": .double, "owner": .reference], "Owners": ["age": .int64],
            ])
    }()

    private func plan(_ format: String) throws -> QueryPlan {
        try QueryPlan(
            recordType: "Items", filter: try Filter(format), order: [Sort("n")], limit: 3, keys: ["s"],
            fields: FieldTypes(of: "Items", in: Self.snapshot.schema))
    }

    @Test("Aggregates", arguments: ["TRUEPREDICATE", "n > 1000", "list.name == '2'", "FALSEPREDICATE"])
    func aggregates(format: String) async throws {
        let plan = try plan(format)
        for aggregate in Aggregate.allCases {
            for key in ["n", "list.price", "list.owner.age", "missing", "recordID.n"] {
                let found = try await Self.snapshot.value(of: aggregate, over: key, matching: plan)
                let expected = try plan.value(
                    of: aggregate, over: key, in: Self.snapshot.all.values, resolving: .init { Self.snapshot.all[$0] })
                #expect(found == expected, "\(aggregate) of \(key)")
            }
        }
        for key in ["s", "list.name", "list", "list.owner.age", "missing", "creationDate"] {
            let found = try await Self.snapshot.counts(by: key, matching: plan)
            let expected = try plan.counts(
                by: key, in: Self.snapshot.all.values, resolving: .init { Self.snapshot.all[$0] })
            #expect(found == expected, "counts by \(key)")
            let sum = found.reduce(0) { $0 + $1.count }
            #expect(try await sum == Self.snapshot.count(matching: plan))
        }
    }

    @Test("An invalid aggregate throws an error before any record is fetched")
    func refused() throws {
        let plan = try plan("FALSEPREDICATE")
        #expect(throws: CabinetError.self) { try plan.validate(.sum, over: "s") }
        #expect(throws: CabinetError.self) { try plan.validate(.minimum, over: "list") }
        #expect(throws: CabinetError.self) { try plan.validateGrouping(by: "list..name") }
    }

    @Test("An explanation of a full scan")
    func explanation() async throws {
        let explanation = try await Self.snapshot.explanation(of: plan("n > 1000"))
        #expect(
            explanation.description == """
                found: by reading every record of the type
                decided by the store: nothing
                evaluated afterwards: n > 1000
                order: sorted afterwards
                """)
        let other = QueryExplanation(
            pushedDown: try Filter("list == NIL"), evaluated: nil,
            access: [.index(name: "i", fields: ["list", "n"]), .index(name: "j", fields: []), .nothing],
            ordering: .byIndex, details: ["SEARCH"])
        #expect(
            other.description == """
                found: by the index i, with the values of list, n
                found: by going through the index j in its order
                found: without reading a record, because none can match
                decided by the store: list == NIL
                evaluated afterwards: nothing
                order: in the order found
                in the store's words:
                  SEARCH
                """)
    }
}
