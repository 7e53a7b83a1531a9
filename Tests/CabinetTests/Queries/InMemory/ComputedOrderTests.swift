import CabinetTesting
import Foundation
import Testing

@testable import Cabinet

@Suite("Orders that are computed: options, distances and paths, against a sort of everything")
struct ComputedOrderTests {
    private static let fields = FieldTypes(
        of: "Items",
        in: StoredSchema(recordTypes: [
            "Items": ["s": .string, "place": .location, "ref": .reference],
            "Targets": ["s": .string, "next": .reference, "t": .string], "Others": ["t": .int64],
        ]))

    private static let targets: [RecordID: StoredRecord] = {
        var targets: [RecordID: StoredRecord] = [:]
        for (index, text) in ["b", "B", "é", "e", "file 9", "file 10", nil].enumerated() {
            let next = Reference(recordID: RecordID(recordName: "t\(index * 3 % 8)"), action: .none)
            let record = stored(
                "Targets", "t\(index)", ["s": text.map { .string($0) }, "next": .reference(next)])
            targets[record.recordID] = record
        }
        return targets
    }()

    private static func stored(
        _ type: Record.RecordType, _ name: String, _ fields: KeyValuePairs<Record.FieldKey, FieldValue?>
    ) -> StoredRecord {
        StoredRecord(
            recordID: RecordID(recordName: name), recordType: type, sequenceNumber: 1, creationDate: .distantPast,
            creatorName: "u", modificationDate: .distantPast, lastModifierName: "u",
            fields: FieldValues(names: FieldNames(fields.map(\.key)), values: fields.map(\.value)))
    }

    private static let records: [StoredRecord] = {
        var generator = SeededGenerator(seed: 11)
        let texts = ["a1", "A1", "a01", "a10", "a2", "é", "E", "e\u{301}", "", "z"]
        return (0..<200).map { index in
            let place = Location(
                latitude: Double(Int.random(in: -2...2, using: &generator)) * 45,
                longitude: Double(Int.random(in: -4...4, using: &generator)) * 45)
            let target = Reference(
                recordID: RecordID(recordName: "t\(Int.random(in: 0...8, using: &generator))"), action: .none)
            var record = stored(
                "Items", "i\(index)",
                [
                    "s": index % 9 == 0 ? nil : texts.randomElement(using: &generator).map { .string($0) },
                    "place": index % 7 == 0 ? nil : .location(place), "ref": index % 11 == 0 ? nil : .reference(target),
                ])
            record.insertionNumber = Int64(index * 37 % 200)
            return record
        }
    }()

    /// The sort value of a record, computed in the simplest way.
    private static func value(_ sort: Sort, of record: StoredRecord) -> FieldValue? {
        var value: FieldValue?
        if let origin = sort.origin {
            if case .location(let place)? = record.fields["place"] { return .double(place.distance(to: origin)) }
            return nil
        }
        var current: StoredRecord? = record
        for step in sort.key.split(separator: ".") where step != "recordID" {
            value = current?.value(forKey: String(step))
            if case .reference(let reference)? = value { current = targets[reference.recordID] } else { current = nil }
        }
        if case .string(let text)? = value { return .string(sort.options.key(of: text)) }
        return value
    }

    private static let orders: [[Sort]] = [
        [Sort("s", options: .caseInsensitive)], [Sort("s", ascending: false, options: .numeric)],
        [Sort("s", options: [.caseInsensitive, .diacriticInsensitive, .numeric]), Sort("s", ascending: false)],
        [Sort("place", distanceFrom: Location(latitude: 10, longitude: -170))],
        [Sort("place", distanceFrom: Location(latitude: 90, longitude: 0), ascending: false), Sort("s")],
        [Sort("ref.s")], [Sort("ref.s", ascending: false, options: [.numeric, .caseInsensitive]), Sort("ref")],
        [Sort("ref.next.s"), Sort("ref.next.next.s", ascending: false), Sort("s")], [Sort("ref.creationDate")],
        [Sort("ref.missing"), Sort("recordID.s", ascending: false)],
    ]

    @Test("Pages of any size, one after the other, are the sorted records", arguments: orders)
    func pages(order: [Sort]) throws {
        let expected = Self.records.sorted { left, right in
            for sort in order {
                let ordering = FieldValue.sortOrder(Self.value(sort, of: left), Self.value(sort, of: right))
                if ordering != .same { return sort.ascending == (ordering == .before) }
            }
            return left.insertionNumber < right.insertionNumber
        }
        for limit in [3, 50, .max] {
            var plan = try QueryPlan(
                recordType: "Items", filter: .constant(true), order: order, limit: limit, fields: Self.fields)
            var found: [StoredRecord] = []
            repeat {
                let page = try plan.page(of: Self.records.reversed(), resolving: .init { Self.targets[$0] })
                found += page
                guard let last = page.last else { break }
                plan = try plan.continued(after: last, resolving: .init { Self.targets[$0] })
                // A cursor holds what the fields hold, and comes back from its code.
                let data = try JSONEncoder().encode(plan.position)
                #expect(try JSONDecoder().decode(QueryPosition?.self, from: data) == plan.position)
            } while found.count <= expected.count
            #expect(found.map(\.recordID) == expected.map(\.recordID))
        }
    }

    @Test("Only the first field of a key path is fetched for an order")
    func keys() throws {
        let plan = try QueryPlan(
            recordType: "Items", filter: .constant(true),
            order: [
                Sort("ref.next.s"), Sort("place", distanceFrom: Location(latitude: 0, longitude: 0)), Sort("parent.s"),
                Sort("recordID.s"),
            ], fields: Self.fields)
        #expect(plan.keysToFetch(for: ["x"]) == ["x", "ref", "place", "s"])
    }

    @Test("A position holds the values that fields hold, and distances")
    func positions() throws {
        let record = Self.stored(
            "Items", "i",
            [
                "s": .string("É 9"), "place": .location(Location(latitude: 0, longitude: 0)),
                "ref": .reference(Reference(recordID: RecordID(recordName: "t2"), action: .deny)),
            ])
        let plan = try QueryPlan(
            recordType: "Items", filter: .constant(true),
            order: [
                Sort("s", options: [.caseInsensitive, .numeric]),
                Sort("place", distanceFrom: Location(latitude: 0, longitude: 180)), Sort("ref.s"),
            ], fields: Self.fields)
        let position = try plan.position(after: record, resolving: .init { Self.targets[$0] })
        #expect(position.values[0] == .string("É 9"))
        #expect(position.values[1] == .double(Double.pi * 6_371_008.8))
        #expect(position.values[2] == .string("é"))
        expectInvalidArguments { try plan.position(after: record) }
        #expect(try plan.continued(after: record, resolving: .init { Self.targets[$0] }).position == position)
        for (index, value) in [
            (0, FieldValue.int64(1)), (1, .location(Location(latitude: 0, longitude: 0))), (2, .double(1)),
        ] {
            var wrong = position
            wrong.values[index] = value
            expectInvalidArguments { try plan.with { $0.position = wrong } }
        }
    }

    @Test(
        "Orders that are refused",
        arguments: [
            (Sort("s", distanceFrom: Location(latitude: 0, longitude: 0)), "of type STRING"),
            (Sort("ref.place", distanceFrom: Location(latitude: 0, longitude: 0)), "is a key path"),
            (Sort("place", distanceFrom: Location(latitude: -91, longitude: 0)), "latitude from -90 to 90"),
            (Sort("place", distanceFrom: Location(latitude: 0, longitude: .infinity)), "longitude from -180 to 180"),
            (Sort("place"), "LOCATION values have no order"), (Sort("ref.t"), "may be of the types INT64, STRING"),
            (Sort("s.t"), "which is not a REFERENCE"), (Sort("ref..s"), "is not a key path"),
            (Sort("s", options: Sort.Options(rawValue: 8)), "options that this version does not know"),
        ])
    func refused(sort: Sort, expectedMessage: String) {
        let error = expectInvalidArguments { try sort.validate(fields: Self.fields) }
        #expect(error?.message.contains(expectedMessage) == true)
        #expect(error?.fieldKey == sort.key)
    }
}
