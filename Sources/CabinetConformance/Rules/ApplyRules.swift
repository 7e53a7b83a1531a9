import Cabinet
import Foundation

extension ConformanceRule {
    /// The rules about several mutations in one call of `apply`.
    static let applying: [ConformanceRule] = [
        ConformanceRule(
            .transactions, "mutations are applied in order",
            law: "Each mutation of an apply, of any kind, sees the effect of the mutations before it.",
            source: .storage("StorageTransaction.apply(_:)")
        ) { world in
            try await world.backend.insert([.sample("replaced", .int64(1)), .sample("deleted", .int64(1))])
            try await world.backend.write(.public) { transaction in
                let mutations = try await transaction.everyMutation()
                try await transaction.apply(mutations.list)
                try await transaction.expectContent(mutations.expected, "in the transaction")
            }
            let expected = Mutations.names
            try await world.backend.read(.public) { try await $0.expectContent(expected, "afterwards") }
        },
        ConformanceRule(
            .transactions, "one apply has the effect of several",
            law: "Mutations that are applied one by one have the same effect as when they are applied together.",
            source: .storage("StorageTransaction.apply(_:)")
        ) { world in
            for (number, size) in [1, 2, 3, 100].enumerated() {
                let database = DatabaseKey.private(owner: "user\(number)")
                try await world.backend.insert(
                    [.sample("replaced", .int64(1)), .sample("deleted", .int64(1))], in: database)
                try await world.backend.write(database) { transaction in
                    for part in try await transaction.everyMutation().list.parts(of: size) {
                        try await transaction.apply(Array(part))
                    }
                }
                try await world.backend.read(database) {
                    try await $0.expectContent(Mutations.names, "after parts of \(size)")
                }
            }
        },
        ConformanceRule(
            .transactions, "an empty apply changes nothing",
            law: "A transaction that applies no mutation, or none at all, leaves everything unchanged.",
            source: .storage("StorageTransaction.apply(_:)")
        ) { world in
            try await world.backend.insert([.sample("a", .int64(1))])
            let before = try await world.backend.read(.public) { try await $0.content() }
            try await world.backend.write(.public) { try await $0.apply([]) }
            try await world.backend.write(.public) { _ in }
            try await world.backend.write(.private(owner: "new")) { try await $0.apply([]) }
            try expect("The content", try await world.backend.read(.public) { try await $0.content() }, equals: before)
        },
        ConformanceRule(
            .transactions, "each mutation is rolled back",
            law: "If the closure of a write throws after a mutation, of any kind, the earlier state is restored.",
            source: .storage("StorageBackend.write(_:_:)")
        ) { world in
            struct Refusal: Error {}
            let zone = RecordZone.ID(zoneName: "Notes")
            let records = [
                StoredRecord.sample("a", .int64(1)), .sample("b", .int64(2), in: zone), .sample("gone", .int64(3)),
            ]
            try await world.backend.insert(records)
            try await world.backend.write(.public) {
                try await $0.apply([
                    .deletion(of: records[2]), .setEntry(StorageKey("sample/a"), "text"),
                    .setIndexes([.queryable("x")], of: "Samples"),
                ])
            }
            let before = try await world.backend.read(.public) { try await $0.content() }
            let mutations: [StorageMutation] = [
                .rename(SchemaPart("Samples", "x"), to: "z"), .rename(SchemaPart("Samples"), to: "Renamed"),
                .insert(.sample("new", .int64(4))), .insert(.sample("gone", .int64(4))),
                .update(.sample("a", .int64(9)), replacing: records[0]), .deletion(of: records[0]),
                .forgetDeletions(in: .default, through: .max), .eraseZone(zone), .eraseZone(.default),
                .addFields([StoredField(name: "y", type: .string)], to: "Samples"), .addFields([], to: "Others"),
                .setIndexes([.sortable("x")], of: "Samples"), .setIndexes([], of: "Samples"),
                .setEntry(StorageKey("sample/a"), "other"), .setEntry(StorageKey("sample/a"), nil),
                .setEntry(StorageKey("sample/b"), "new"),
            ]
            for (number, mutation) in mutations.enumerated() {
                do {
                    try await world.backend.write(.public) { transaction in
                        try await transaction.apply([mutation])
                        try expect(try await transaction.content() != before, "Mutation \(number) changed nothing.")
                        throw Refusal()
                    }
                    try expect(false, "The write succeeded.")
                } catch is Refusal {}
                let after = try await world.backend.read(.public) { try await $0.content() }
                try expect("The content after mutation \(number)", after, equals: before)
            }
            // They can still be applied afterwards.
            for mutation in mutations.suffix(8) {
                try await world.backend.write(.public) { try await $0.apply([mutation]) }
            }
        },
    ]
}

/// Mutations of all kinds that depend on each other.
private struct Mutations {
    /// The names and values of the remaining records, and the entries.
    static let names = [
        "added +y", "inserted 3", "replaced of Others", "sample/changed 2", "sample/kept 1", "zoned 2 in Notes",
        "-deleted",
    ]

    let list: [StorageMutation]
    var expected: [String] { Self.names }
}

/// The content of a view, read in several ways.
private struct Content: Equatable, Sendable {
    let schema: StoredSchema
    let changes: [RecordZone.ID: [StoredChange]]
    let entries: [StorageEntry]
    var records: Set<StoredRecord> = []
}

extension StorageSnapshot {
    /// Everything in the default zone and the zone `Notes`, the schema, and the entries of samples.
    fileprivate func content() async throws -> Content {
        var content = Content(
            schema: try await schema(), changes: try await changes(in: [.default, RecordZone.ID(zoneName: "Notes")]),
            entries: try await entries(in: .samples, limit: 100))
        for (type, fields) in content.schema.recordTypes {
            let plan = try QueryPlan(recordType: type, filter: .constant(true), fields: FieldTypes(fields))
            content.records.formUnion(try await records(matching: plan))
        }
        return content
    }

    /// Throws unless the records and entries are exactly those that mutations of all kinds leave.
    fileprivate func expectContent(_ expected: [String], _ label: String) async throws {
        let notes = RecordZone.ID(zoneName: "Notes")
        var found: [String] = try await entries(in: .samples, limit: 100).map { "\($0.key) \($0.text)" }
        for (zone, changes) in try await changes(in: [.default, notes, RecordZone.ID(zoneName: "Erased")]) {
            for change in changes {
                switch change {
                case .saved(let record):
                    let x = if case .int64(let x)? = record.x { " \(x)" } else { "" }
                    found.append(
                        record.recordID.recordName + x + (record.fields["y"] == nil ? "" : " +y")
                            + (record.recordType == "Samples" ? "" : " of \(record.recordType)")
                            + (zone == .default ? "" : " in \(zone.zoneName)"))
                case .deleted(let deletion): found.append("-" + deletion.recordID.recordName)
                }
            }
        }
        try expect("What is left \(label)", found.sorted(), equals: expected.sorted())
        let schema = try await schema()
        try expect("The types \(label)", Set(schema.recordTypes.keys), equals: ["Samples", "Others"])
        try expect("The indexes \(label)", schema.indexes, equals: ["Samples": [.queryable("y")]])
        let plan = try QueryPlan(
            recordType: "Samples", filter: .compare("y", .equal, "new"),
            fields: FieldTypes(schema.recordTypes["Samples"] ?? [:]))
        let names = try await records(matching: plan).map(\.recordID.recordName)
        try expect("The records found by the new field \(label)", names, equals: ["added"])
    }
}

extension StorageTransaction {
    /// Mutations of all kinds, each of which depends on those before it.
    fileprivate func everyMutation() async throws -> Mutations {
        let stored = try await load(StorageKeys(records: [.named("replaced"), .named("deleted")])).records
        let replaced = try require(stored[0], "The record to replace")
        let deleted = try require(stored[1], "The record to delete")
        let notes = RecordZone.ID(zoneName: "Notes")
        let erased = RecordZone.ID(zoneName: "Erased")
        let (first, second) = (StoredRecord.sample("inserted", .int64(2)), StoredRecord.sample("inserted", .int64(3)))
        let passing = StoredRecord.sample("passing", .int64(1))
        let zoned = [1, 2].map { StoredRecord.sample("zoned", .int64($0), in: notes) }
        let (changed, kept, removed) = (
            StorageKey("sample/changed"), StorageKey("sample/kept"), StorageKey("sample/removed")
        )
        return Mutations(list: [
            // A field is added before the record that has it, and before its index.
            .addFields([StoredField(name: "y", type: .string)], to: "Samples"),
            .insert(.sample("added", .string("new"), field: "y")),
            .setIndexes([.queryable("x")], of: "Samples"), .setIndexes([.queryable("y")], of: "Samples"),
            // A record is inserted and updated, and another one is inserted and deleted.
            .insert(first), .update(second, replacing: first),
            .insert(passing), .deletion(of: passing), .forgetDeletions(in: .default, through: .max),
            .deletion(of: deleted),
            // A record of another type is inserted under the ID of a deleted one.
            .addFields([], to: "Others"), .deletion(of: replaced), .insert(.sample("replaced", type: "Others")),
            // A zone is erased and used again, and another one is used and erased.
            .insert(zoned[0]), .eraseZone(notes), .insert(zoned[1]), .insert(.sample("gone", .int64(1), in: erased)),
            .eraseZone(erased),
            // Entries are set, replaced, removed, and set again.
            .setEntry(changed, "1"), .setEntry(changed, "2"), .setEntry(removed, "1"), .setEntry(removed, nil),
            .setEntry(kept, "0"), .setEntry(kept, nil), .setEntry(kept, "1"),
        ])
    }
}
