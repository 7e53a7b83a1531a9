import Cabinet
import CabinetTesting
import Foundation

extension ConformanceRule {
    /// The mutation that renames record types and fields.
    static let renaming: [ConformanceRule] = [
        ConformanceRule(
            .storage, "a renamed field keeps its values and indexes",
            law:
                "After the rename of a field, every requirement returns its values under the new name, and the old name is free.",
            source: .storage("StorageMutation.rename(_:to:)")
        ) { world in
            let values: [(String, FieldValue)] = [
                ("s", .string("é\0x")), ("n", .int64(.max)), ("d", .double(-0.0)), ("when", .timestamp(.distantPast)),
                ("b", .bytes(Data([0, 255]))), ("r", .reference(Reference("t", .deleteSelf))),
                ("place", .location(Location(latitude: 1, longitude: 2))), ("ls", .list(.string(["a", ""]))),
                ("lr", .list(.reference([Reference("t", .deny), Reference("u", .nullify)]))),
            ]
            let fields = values.map { StoredField(name: $0, type: $1.fieldType) }
            try await world.backend.write(.public) { transaction in
                for type in ["Samples", "Others"] {
                    try await transaction.add(fields, to: type)
                    try await transaction.setIndexes(
                        [
                            .queryable("n"), .sortable("s"), .searchable("s"), .queryable("place"),
                            .compound(["s", "n"]),
                        ],
                        of: type)
                    var record = StoredRecord.sample(type, type: type)
                    for (key, value) in values { record.fields[key] = value }
                    try await transaction.insert([record, .sample("\(type) without values", type: type)])
                }
            }
            for (old, _) in values {
                var expected = try await world.backend.read(.public) { try await $0.whole(["t", "u"]) }
                expected.rename(SchemaPart("Samples", old), to: "new_\(old)")
                try await world.backend.write(.public) { [expected] transaction in
                    try await transaction.apply([.rename(SchemaPart("Samples", old), to: "new_\(old)")])
                    try expect("In the transaction", try await transaction.whole(["t", "u"]), equals: expected)
                }
                let found = try await world.backend.read(.public) { try await $0.whole(["t", "u"]) }
                try expect("The content after the rename of \(old)", found, equals: expected)
            }
            try await world.backend.read(.public) { snapshot in
                let types = FieldTypes(try await snapshot.schema().recordTypes["Samples"] ?? [:])
                for filter in [
                    "new_n = \(Int64.max)", "new_s BEGINSWITH 'é'", "new_d = 0", "ANY new_ls = 'a'",
                    "new_when < CAST(0, 'TIMESTAMP')",
                ] {
                    let plan = try QueryPlan(
                        recordType: "Samples", filter: Filter(filter), order: [Sort("new_s")], fields: types)
                    let names = try await snapshot.records(matching: plan).map(\.recordID.recordName)
                    try expect("The records where \(filter)", names, equals: ["Samples"])
                }
            }
            // The old names are free, in the same transaction too.
            try await world.backend.write(.public) { transaction in
                try await transaction.apply(
                    [.rename(SchemaPart("Samples", "new_n"), to: "m"), .addFields(fields, to: "Samples")]
                        + [.insert(.sample("again", .string("new"), field: "s"))])
                let found = try await transaction.records(for: [.named("again"), .named("Samples")], keys: ["s", "m"])
                try expect("The new value", found[0]?.fields["s"], equals: .string("new"))
                try expect("The old record's value under the old name", found[1]?.fields["s"], equals: nil)
                try expect("The renamed value", found[1]?.fields["m"], equals: .int64(.max))
                try await transaction.setIndexes(
                    [.queryable("n"), .sortable("s"), .searchable("new_s")], of: "Samples")
                try await transaction.setIndexes([], of: "Samples")
            }
            // More records than a store might change at once.
            try await world.backend.write(.public) { transaction in
                try await transaction.add([StoredField(name: "old", type: .reference)], to: "Many")
                try await transaction.insert(
                    (0..<1200).map {
                        .sample("r\($0)", .reference(Reference("many", .deny)), type: "Many", field: "old")
                    })
            }
            try await world.backend.write(.public) {
                try await $0.apply([.rename(SchemaPart("Many", "old"), to: "new")])
            }
            try await world.backend.read(.public) { snapshot in
                let plan = try QueryPlan(
                    recordType: "Many", filter: .constant(true), fields: FieldTypes(["new": .reference]))
                let records = try await snapshot.records(matching: plan)
                try expect("The records with the field", records.count { $0.fields["new"] != nil }, equals: 1200)
                let places = try await snapshot.references(to: [.named("many")]).map(\.place)
                try expect("The number of references", places.count, equals: 1200)
                try expect("The fields of the references", Set(places), equals: [.field("new", action: .deny)])
            }
        },
        ConformanceRule(
            .storage, "a renamed record type keeps its records and deletions",
            law: "After the rename of a type, every requirement returns its records and deletions under the new name.",
            source: .storage("StorageMutation.rename(_:to:)")
        ) { world in
            let zone = RecordZone.ID(zoneName: "Notes")
            try await world.backend.write(.public) { transaction in
                try await transaction.apply([.addFields([], to: "Others"), .insert(.sample("other", type: "Others"))])
                let fields = [StoredField(name: "x", type: .string), StoredField(name: "r", type: .reference)]
                try await transaction.add(fields, to: "Samples")
                try await transaction.setIndexes(
                    [.searchable("x"), .queryable("x"), .compound(["x", "r"])], of: "Samples")
                try await transaction.insert([
                    .sample("a", .string("a")), .sample("b", .reference(Reference("t", .deny)), field: "r"),
                    .sample("zoned", .string("c"), in: zone), .sample("gone"),
                ])
                try await transaction.remove([.named("gone")])
            }
            for (old, new) in [("Samples", "Renamed"), ("Renamed", "renamed"), ("Others", "Samples")] {
                var expected = try await world.backend.read(.public) { try await $0.whole(["t"]) }
                expected.rename(SchemaPart(old), to: new)
                try await world.backend.write(.public) { try await $0.apply([.rename(SchemaPart(old), to: new)]) }
                let found = try await world.backend.read(.public) { try await $0.whole(["t"]) }
                try expect("The content after \(old) became \(new)", found, equals: expected)
            }
            // Both types are used again, and so are their old names.
            try await world.backend.write(.public) { transaction in
                try await transaction.apply([.addFields([StoredField(name: "x", type: .string)], to: "Others")])
                try await transaction.setIndexes([.queryable("x"), .searchable("x")], of: "Others")
                try await transaction.insert([
                    .sample("c", .string("new"), type: "Others"),
                    .sample("d", .string("new"), type: "renamed", in: zone),
                    .sample("gone", type: "Samples"),
                ])
                try await transaction.remove([.named("a")])
            }
            let found = try await world.backend.read(.public) { snapshot in
                let found = try await snapshot.whole([])
                return Set(found.changes.values.joined().map { "\($0.recordID.recordName) \($0.recordType)" })
            }
            try expect(
                "The changes", found,
                equals: [
                    "a renamed", "b renamed", "c Others", "d renamed", "gone Samples", "other Samples", "zoned renamed",
                ])
            // More records and deletions than a store might change at once.
            let large = RecordZone.ID(zoneName: "Large")
            let many = (0..<2400).map { StoredRecord.sample("r\($0)", type: "Many", in: large) }
            try await world.backend.write(.public) { transaction in
                try await transaction.add([], to: "Many")
                try await transaction.insert(many)
                try await transaction.apply(many.prefix(1200).map(StorageMutation.deletion))
            }
            try await world.backend.write(.public) { try await $0.apply([.rename(SchemaPart("Many"), to: "Lots")]) }
            try await world.backend.read(.public) { snapshot in
                let changes = try await snapshot.changes(in: large, after: 0, limit: 5000, of: .all(fields: []))
                try expect("The number of changes of Lots", changes.count { $0.recordType == "Lots" }, equals: 2400)
                let plan = try QueryPlan(recordType: "Lots", filter: .constant(true), fields: [:])
                let records = try await snapshot.records(matching: plan)
                try expect("The number of Lots", records.count { $0.recordType == "Lots" }, equals: 1200)
            }
        },
        ConformanceRule(
            .storage, "random schema changes lose nothing",
            law:
                "After any sequence of new fields, renames, removals and changes of records and indexes, the store has what they leave.",
            source: .storage("StorageMutation.rename(_:to:)")
        ) { world in
            var random = SeededGenerator(seed: 31)
            var model = SchemaModel()
            for step in 0..<80 {
                let mutations = model.mutations(using: &random)
                try await world.backend.write(.public) { try await $0.apply(mutations) }
                let found = try await world.backend.read(.public) { try await $0.whole(SchemaModel.targets) }
                try expect("The content after step \(step)", found, equals: model.whole)
            }
        },
    ]
}

extension StoredChange {
    fileprivate var recordType: Record.RecordType {
        switch self {
        case .saved(let record): record.recordType
        case .deleted(let deletion): deletion.recordType
        }
    }
}

/// Everything that names a record type or a field in a database.
struct NamedContent: Equatable {
    var schema = StoredSchema()
    var changes: [RecordZone.ID: [StoredChange]] = [:]
    /// The records that queries of each type find.
    var records: [Record.RecordType: Set<StoredRecord>] = [:]
    var references: Set<StoredReference> = []

    /// Renames a record type or a field, as the law says.
    mutating func rename(_ part: SchemaPart, to newName: String) {
        schema.rename(part, to: newName)
        changes = changes.mapValues { changes in
            changes.map { change in
                switch change {
                case .saved(let record): .saved(record.renaming(part, to: newName))
                case .deleted(let deletion): .deleted(deletion.renaming(part, to: newName))
                }
            }
        }
        let sources = Set((records[part.recordType] ?? []).map(\.recordID))
        records = records.mapValues { Set($0.map { $0.renaming(part, to: newName) }) }
        guard let old = part.fieldKey else {
            records[newName] = records.removeValue(forKey: part.recordType)
            return
        }
        references = Set(
            references.map { reference in
                guard sources.contains(reference.source), case .field(old, let action) = reference.place else {
                    return reference
                }
                return StoredReference(
                    target: reference.target, source: reference.source, place: .field(newName, action: action))
            })
    }
}

extension StorageSnapshot {
    /// Reads everything that names a record type or a field.
    func whole(_ targets: [String]) async throws -> NamedContent {
        var content = NamedContent()
        content.schema = try await schema()
        content.changes = try await changes(in: [.default, RecordZone.ID(zoneName: "Notes")])
        for (type, fields) in content.schema.recordTypes {
            let plan = try QueryPlan(recordType: type, filter: .constant(true), fields: FieldTypes(fields))
            content.records[type] = Set(try await records(matching: plan))
        }
        content.references = Set(try await references(to: targets.map { .named($0) }))
        return content
    }
}
