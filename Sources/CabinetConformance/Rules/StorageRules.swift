import Cabinet
import Foundation

extension ConformanceRule {
    /// The core's requirements for a backend's reads and writes.
    static let storage: [ConformanceRule] = [
        ConformanceRule(
            .storage, "a stored record is read whole",
            law: "Every part of a stored record is read again: ID, type, number, dates, users, parent and fields.",
            source: .storage("StorageMutation.insert(_:)")
        ) { world in
            var record = StoredRecord.sample("a", .int64(.min), parent: "p")
            record.sequenceNumber = 123_456_789_012
            try await world.backend.insert([record])
            try expect("The record", try await world.backend.record("a"), equals: record)
            var changed = StoredRecord.sample("a", .int64(5))
            changed.sequenceNumber = 123_456_789_013
            changed.creatorName = "carl"
            changed.creationDate = .distantPast
            changed.modificationDate = .distantFuture
            changed.lastModifierName = "d'Or"
            let update = changed
            try await world.backend.write(.public) { try await $0.update([update]) }
            try expect("The record after an update", try await world.backend.record("a"), equals: changed)
            // The longest names of users, and dates with fractions in the values that have dates in them.
            var other = StoredRecord.sample("b")
            other.creatorName = String(repeating: "u", count: 254) + "a"
            other.lastModifierName = String(repeating: "u", count: 254) + "b"
            let date = Date(timeIntervalSinceReferenceDate: 700_000_000.123_456_78)
            let place = Location(latitude: 0.1, longitude: -0.1, timestamp: date)
            other.fields = FieldValues(
                names: FieldNames(["place", "places"]), values: [.location(place), .list(.location([place, place]))])
            try await world.backend.insert(
                [other],
                fields: [
                    StoredField(name: "place", type: .location),
                    StoredField(name: "places", type: .list(of: .location)),
                ])
            try expect("The other record", try await world.backend.record("b"), equals: other)
        },
        ConformanceRule(
            .storage, "a zone's records are separate",
            law: "Records with one name in several zones are different records, found by their zone.",
            source: .storage("StorageSnapshot.load(_:)")
        ) { world in
            let zones = [
                RecordZone.ID.default, RecordZone.ID(zoneName: "Notes"), RecordZone.ID(zoneName: "notes"),
                RecordZone.ID(zoneName: "Notes", ownerName: "ben"),
            ]
            let records = zones.enumerated().map { index, zone in
                var record = StoredRecord.sample("same", .int64(Int64(index)), parent: "p")
                record.recordID = RecordID(recordName: "same", zoneID: zone)
                return record
            }
            try await world.backend.insert(records)
            try await world.backend.read(.public) { snapshot in
                let found = try await snapshot.records(for: records.map(\.recordID), keys: nil)
                try expect("The records by ID", found, equals: records)
                for (zone, record) in zip(zones, records) {
                    let plan = try QueryPlan(
                        recordType: "Samples", zoneID: zone, filter: .constant(true), fields: ["x": .int64])
                    try expect("The records of \(zone)", try await snapshot.records(matching: plan), equals: [record])
                    try expect("The count of \(zone)", try await snapshot.count(matching: plan), equals: 1)
                    let target = RecordID(recordName: "p", zoneID: zone)
                    let references = try await snapshot.references(to: [target])
                    try expect("The references of \(zone)", references.map(\.source), equals: [record.recordID])
                }
                let plan = try QueryPlan(recordType: "Samples", filter: .constant(true), fields: ["x": .int64])
                try expect("The count of all", try await snapshot.count(matching: plan), equals: 4)
            }
            try await world.backend.write(.public) { try await $0.remove([records[1].recordID]) }
            let left = try await world.backend.read(.public) {
                try await $0.records(for: records.map(\.recordID), keys: nil)
            }
            try expect("The records after a removal", left, equals: [records[0], nil, records[2], records[3]])
        },
        ConformanceRule(
            .storage, "records come in the order of their IDs",
            law:
                "records(for:) returns an element for each ID, in order, nil for unknown ones, including repeated IDs.",
            source: .storage("StorageSnapshot.load(_:)")
        ) { world in
            try await world.backend.insert((0..<50).map { .sample("r\($0)", .int64(Int64($0))) })
            let names = ["r7", "none", "r3", "r7", "r49", "R7", "r0", "none"]
            let found = try await world.backend.read(.public) {
                try await $0.records(for: names.map { .named($0) }, keys: nil)
            }
            try expect(
                "The records", found.map { $0?.recordID.recordName },
                equals: ["r7", nil, "r3", "r7", "r49", nil, "r0", nil])
            try expect(
                "The values", found.map { $0?.x },
                equals: [.int64(7), nil, .int64(3), .int64(7), .int64(49), nil, .int64(0), nil])
            try expect(
                "No records", try await world.backend.read(.public) { try await $0.records(for: [], keys: nil) },
                equals: [])
        },
        ConformanceRule(
            .storage, "thousands of records are fetched at once",
            law: "records(for:) accepts any number of IDs.",
            source: .storage("StorageSnapshot.load(_:)")
        ) { world in
            try await world.backend.insert((0..<5000).map { .sample("r\($0)", .int64(Int64($0))) })
            let ids = (0..<40_000).map { RecordID.named("r\($0 % 10_000)") }
            let found = try await world.backend.read(.public) { try await $0.records(for: ids, keys: []) }
            try expect("The number of elements", found.count, equals: 40_000)
            try expect("The number of records", found.count { $0 != nil }, equals: 20_000)
        },
        ConformanceRule(
            .storage, "a record fetched with keys is incomplete",
            law:
                "records(for:keys:) returns only the named fields, and a record that reports the others as not fetched.",
            source: .storage("StorageSnapshot.load(_:)")
        ) { world in
            var record = StoredRecord.sample("a")
            record.fields = FieldValues(names: FieldNames(["x", "y"]), values: [.int64(1), .string("text")])
            try await world.backend.insert(
                [record], fields: [StoredField(name: "x", type: .int64), StoredField(name: "y", type: .string)])
            try await world.backend.read(.public) { snapshot in
                let whole = try await snapshot.records(for: [.named("a")], keys: nil).first??.fields
                try expect("Whether the whole record is complete", whole?.isComplete, equals: true)
                for keys in [["y"], [], ["y", "missing"]] {
                    let byID = try await snapshot.records(for: [.named("a")], keys: keys).first??.fields
                    let plan = try QueryPlan(
                        recordType: "Samples", filter: .compare("x", .equal, 1), keys: keys,
                        fields: ["x": .int64, "y": .string])
                    let byQuery = try await snapshot.records(matching: plan).first?.fields
                    for (way, fields) in [("by ID", byID), ("by query", byQuery)] {
                        let fields = try require(fields, "The record's fields \(way)")
                        try expect("The fields \(way)", fields.keys, equals: keys.filter { $0 == "y" })
                        try expect("Whether the record \(way) is complete", fields.isComplete, equals: false)
                        try expect("Whether the others are known \(way)", fields.knows("x"), equals: false)
                        for key in keys {
                            try expect("Whether \(key) is known \(way)", fields.knows(key), equals: true)
                        }
                    }
                }
            }
        },
        ConformanceRule(
            .storage, "an update replaces the whole record",
            law: "After an update the record has exactly the new fields, and the new parent or none.",
            source: .storage("StorageMutation.update(_:replacing:)")
        ) { world in
            let backend = world.backend
            try await backend.insert(
                [.sample("a", .int64(1), parent: "p")],
                fields: [StoredField(name: "x", type: .int64), StoredField(name: "y", type: .list(of: .string))])
            let second = StoredRecord.sample("a", .list(.string(["b", "a"])), field: "y")
            try await backend.write(.public) { try await $0.update([second]) }
            try expect("The record", try await backend.record("a"), equals: second)
            let references = try await backend.read(.public) { try await $0.references(to: [.named("p")]) }
            try expect("The references to the old parent", references, equals: [])
        },
        ConformanceRule(
            .storage, "a removed record cannot be found",
            law: "After remove no read returns the record, and it can be inserted again.",
            source: .storage("StorageMutation.delete(_:replacing:)")
        ) { world in
            let backend = world.backend
            try await backend.insert([.sample("a", .int64(1), parent: "p"), .sample("b", .int64(2))])
            try await backend.write(.public) { try await $0.remove([.named("a")]) }
            try expect("The record", try await backend.record("a"), equals: nil)
            try expect("The names", try await backend.names(), equals: ["b"])
            let references = try await backend.read(.public) { try await $0.references(to: [.named("p")]) }
            try expect("The references", references, equals: [])
            try await backend.insert([.sample("a", .int64(3))])
            try expect("The value", try await backend.record("a")?.x, equals: .int64(3))
        },
        ConformanceRule(
            .storage, "records are removed and inserted in one transaction",
            law: "Within one transaction a record can be removed and another inserted under its ID, also of another "
                + "type.",
            source: .storage("StorageTransaction.apply(_:)")
        ) { world in
            let backend = world.backend
            try await backend.insert([.sample("a", .int64(1))])
            let new = StoredRecord.sample("a", .string("text"), type: "Others", field: "y")
            try await backend.write(.public) { transaction in
                try await transaction.remove([.named("a")])
                try await transaction.add([StoredField(name: "y", type: .string)], to: "Others")
                try await transaction.insert([new])
            }
            try expect("The record", try await backend.record("a"), equals: new)
            try expect("The names of the old type", try await backend.names(), equals: [])
        },
        ConformanceRule(
            .storage, "references are found from their targets",
            law:
                "references(to:) returns one element for each reference with a rule, in a field, a list or as a parent.",
            source: .storage("StorageSnapshot.references(to:)")
        ) { world in
            let backend = world.backend
            let list = FieldValue.list(
                .reference([
                    Reference("t1", .nullify), Reference("t2", .none), Reference("t2", .deny), Reference("t3", .deny),
                ]))
            try await backend.insert(
                [
                    .sample("a", .reference(Reference("t1", .deleteSelf)), field: "one", parent: "t2"),
                    .sample("b", list, field: "many"), .sample("c", .reference(Reference("t1", .none)), field: "one"),
                    .sample("d", .reference(Reference("t4", .nullify)), field: "one", parent: "t1"), .sample("t1"),
                ],
                fields: [
                    StoredField(name: "one", type: .reference), StoredField(name: "many", type: .list(of: .reference)),
                ])
            let found = try await backend.read(.public) { snapshot in
                try await snapshot.references(to: ["t1", "t2", "nobody"].map { .named($0) })
            }
            func reference(_ target: String, _ source: String, _ place: StoredReference.Place) -> StoredReference {
                StoredReference(target: .named(target), source: .named(source), place: place)
            }
            let expected: Set = [
                reference("t1", "a", .field("one", action: .deleteSelf)), reference("t2", "a", .parent),
                reference("t1", "b", .field("many", action: .nullify)),
                reference("t2", "b", .field("many", action: .deny)),
                reference("t1", "d", .parent),
            ]
            let foundWithRule = found.filter(\.hasRule)
            try expect("The references", Set(foundWithRule), equals: expected)
            try expect("The number of references without a rule", found.count - foundWithRule.count, equals: 0)
        },
        ConformanceRule(
            .storage, "references are found from thousands of targets",
            law: "references(to:) accepts any number of IDs.",
            source: .storage("StorageSnapshot.references(to:)")
        ) { world in
            let records = (0..<3000).map {
                StoredRecord.sample("s\($0)", .reference(Reference("t\($0)", .deleteSelf)), field: "r")
            }
            try await world.backend.insert(records, fields: [StoredField(name: "r", type: .reference)])
            let targets = (0..<40_000).map { RecordID.named("t\($0)") }
            let found = try await world.backend.read(.public) { try await $0.references(to: targets) }
            try expect("The number of references", found.count, equals: 3000)
            try expect("The number of sources", Set(found.map(\.source)).count, equals: 3000)
        },
        ConformanceRule(
            .storage, "the schema consists of the added fields",
            law: "schema() returns the added types and fields, with their types, and nothing else.",
            source: .storage("StorageValues.schema")
        ) { world in
            let backend = world.backend
            var fields: [String: FieldType] = [:]
            for scalar in FieldType.Scalar.allCases {
                fields["single_\(scalar.rawValue)"] = FieldType(scalar)
                fields["list_\(scalar.rawValue)"] = .list(of: scalar)
            }
            let added = fields.map { StoredField(name: $0.key, type: $0.value) }
            try await backend.write(.public) { transaction in
                try await transaction.add(added, to: "Samples")
                try await transaction.add([], to: "Empty")
            }
            try await backend.write(.public) { try await $0.add([StoredField(name: "x", type: .int64)], to: "Empty") }
            let schema = try await backend.read(.public) { try await $0.schema() }
            try expect("The schema", schema.recordTypes, equals: ["Samples": fields, "Empty": ["x": .int64]])
        },
    ]
}
