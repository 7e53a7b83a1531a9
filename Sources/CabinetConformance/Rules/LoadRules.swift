import Cabinet

extension ConformanceRule {
    /// The rules about loading the keys of a request.
    static let loads: [ConformanceRule] = [
        ConformanceRule(
            .storage, "a load returns results in the order of its keys",
            law: "Each part of a load has one element per key, in order, including repeated and unknown keys.",
            source: .storage("StorageSnapshot.load(_:)")
        ) { world in
            try await world.backend.insert([.sample("a", .int64(1)), .sample("b", .int64(2))])
            try await world.backend.write(.public) {
                try await $0.apply([.setEntry(StorageKey("sample/1"), "one"), .setEntry(StorageKey("sample/2"), "two")])
            }
            try await world.backend.read(.public) { snapshot in
                let keys = StorageKeys(
                    records: ["b", "none", "a", "b"].map { .named($0) },
                    existing: ["none", "a", "a", "b", "A"].map { .named($0) },
                    entries: ["2", "0", "1", "2"].map { StorageKey("sample/\($0)") },
                    entryRanges: [
                        StorageKey("sample/2")..<StorageKey("sample/3"),
                        StorageKey("sample/3")..<StorageKey("sample/4"),
                        .samples, .samples,
                    ])
                let found = try await snapshot.load(keys)
                let names = found.records.map { $0?.recordID.recordName }
                try expect("The records", names, equals: ["b", nil, "a", "b"])
                try expect("Which exist", found.existing, equals: [false, true, true, true, false])
                try expect("The entries", found.entries, equals: ["two", nil, "one", "two"])
                try expect(
                    "The ranges", found.entryRanges.map { $0.map(\.text) },
                    equals: [["two"], [], ["one", "two"], ["one", "two"]])
                try expect("The schema", found.schema.recordTypes, equals: ["Samples": ["x": .int64]])
                // Each part is loaded alone too.
                try expect(
                    "The records alone", try await snapshot.load(StorageKeys(records: keys.records)).records,
                    equals: found.records)
                try expect(
                    "The existing records alone",
                    try await snapshot.load(StorageKeys(existing: keys.existing)).existing,
                    equals: found.existing)
                try expect(
                    "The entries alone", try await snapshot.load(StorageKeys(entries: keys.entries)).entries,
                    equals: found.entries)
                try expect(
                    "The ranges alone", try await snapshot.load(StorageKeys(entryRanges: keys.entryRanges)).entryRanges,
                    equals: found.entryRanges)
            }
        },
        ConformanceRule(
            .storage, "an empty load returns only the schema",
            law:
                "A load without keys returns the schema, and no records, entries or ranges; the same holds for an unknown database.",
            source: .storage("StorageValues.schema")
        ) { world in
            try await world.backend.insert([.sample("a", .int64(1))])
            for (database, types) in [
                (DatabaseKey.public, ["Samples": ["x": FieldType.int64]]), (.private(owner: "new"), [:]),
            ] {
                try await world.backend.read(database) { snapshot in
                    let found = try await snapshot.load(StorageKeys())
                    try expect("The records", found.records, equals: [])
                    try expect("Which exist", found.existing, equals: [])
                    try expect("The entries", found.entries, equals: [])
                    try expect("The ranges", found.entryRanges, equals: [])
                    try expect("The schema", found.schema.recordTypes, equals: types)
                }
            }
        },
        ConformanceRule(
            .storage, "a load of some fields leaves out the others, but no record",
            law:
                "StorageKeys.fields selects fields of the loaded records; it does not affect the list of existing records.",
            source: .storage("StorageKeys.fields")
        ) { world in
            var record = StoredRecord.sample("a", parent: "p")
            record.fields = FieldValues(names: FieldNames(["x", "y"]), values: [.int64(1), .string("text")])
            let whole = record
            try await world.backend.insert(
                [whole, .sample("empty")],
                fields: [StoredField(name: "x", type: .int64), StoredField(name: "y", type: .string)])
            try await world.backend.read(.public) { snapshot in
                for fields in [nil, [], ["x"], ["y", "missing"], ["y", "x", "y"]] as [[Record.FieldKey]?] {
                    let found = try await snapshot.load(
                        StorageKeys(
                            records: [whole.recordID, .named("empty"), .named("none")], fields: fields,
                            existing: [whole.recordID, .named("none")]))
                    var expected = whole
                    if let fields { expected.fields = whole.fields.selecting(fields) }
                    let label = fields.map { "\($0)" } ?? "all fields"
                    try expect("The record with \(label)", found.records.first ?? nil, equals: expected)
                    try expect(
                        "The records with \(label)", found.records.map { $0 != nil }, equals: [true, true, false])
                    try expect("The existing records with \(label)", found.existing, equals: [true, false])
                }
            }
        },
        ConformanceRule(
            .storage, "records exist from their insertion to their deletion",
            law: "Whether a record exists follows its insertion, deletion and zone, in a transaction and after it.",
            source: .storage("StorageValues.existing")
        ) { world in
            let zones = [
                RecordZone.ID.default, RecordZone.ID(zoneName: "Notes"),
                RecordZone.ID(zoneName: "Notes", ownerName: "b"),
            ]
            let records = zones.map { zone in
                var record = StoredRecord.sample("same", .int64(1))
                record.recordID = RecordID(recordName: "same", zoneID: zone)
                return record
            }
            let ids = records.map(\.recordID)
            func expectExisting(_ expected: [Bool], _ label: String) async throws {
                let found = try await world.backend.read(.public) {
                    try await $0.load(StorageKeys(existing: ids)).existing
                }
                try expect("The existing records \(label)", found, equals: expected)
            }
            try await expectExisting([false, false, false], "at first")
            try await world.backend.insert([records[0], records[2]])
            try await expectExisting([true, false, true], "after insertions")
            try await world.backend.write(.public) { transaction in
                try await transaction.apply([.insert(records[1]), .deletion(of: records[0])])
                let found = try await transaction.load(StorageKeys(existing: ids)).existing
                try expect("The existing records in the transaction", found, equals: [false, true, true])
            }
            try await expectExisting([false, true, true], "after a deletion")
            try await world.backend.write(.public) { try await $0.apply([.eraseZone(zones[2])]) }
            try await expectExisting([false, true, false], "after a zone was erased")
        },
        ConformanceRule(
            .storage, "thousands of keys are loaded at once",
            law: "A load accepts any number of records, existing records, entries and ranges.",
            source: .storage("StorageSnapshot.load(_:)")
        ) { world in
            let count = 3000
            try await world.backend.insert((0..<count).map { .sample("r\($0)", .int64(Int64($0))) })
            try await world.backend.write(.public) { transaction in
                try await transaction.apply((0..<count).map { .setEntry(StorageKey("sample/\($0)"), "\($0)") })
            }
            let numbers = Array(0..<count * 2)
            let found = try await world.backend.read(.public) { snapshot in
                try await snapshot.load(
                    StorageKeys(
                        records: numbers.map { .named("r\($0)") }, fields: [],
                        existing: numbers.map { .named("r\($0)") },
                        entries: numbers.map { StorageKey("sample/\($0)") },
                        entryRanges: (0..<500).map { StorageKey("sample/\($0)")..<StorageKey("sample/\($0) ") }))
            }
            let expected = numbers.map { $0 < count }
            try expect(found.records.map { $0 != nil } == expected, "The loaded records differ.")
            try expect(found.existing == expected, "The existing records differ.")
            try expect(found.entries == numbers.map { $0 < count ? "\($0)" : nil }, "The loaded entries differ.")
            try expect(
                found.entryRanges.map { $0.map(\.text) } == (0..<500).map { ["\($0)"] }, "The loaded ranges differ.")
        },
        ConformanceRule(
            .storage, "a load returns every entry of a range",
            law: "A range of a load has all its entries, in a transaction and after it, however many.",
            source: .storage("StorageValues.entryRanges")
        ) { world in
            let keys = (1000..<1300).map { StorageKey("sample/\($0)") }
            let request = StorageKeys(entryRanges: [.samples, keys[10]..<keys[290], .samples])
            @Sendable func expectAll(_ snapshot: any StorageSnapshot, _ when: String) async throws {
                let found = try await snapshot.load(request).entryRanges.map { $0.map(\.key) }
                try expect("The numbers of entries \(when)", found.map(\.count), equals: [300, 280, 300])
                try expect(found == [keys, Array(keys[10..<290]), keys], "The keys \(when) differ.")
            }
            try await world.backend.write(.public) { transaction in
                try await transaction.apply(keys.map { .setEntry($0, "text") })
                try await expectAll(transaction, "in the transaction")
            }
            try await world.backend.read(.public) { try await expectAll($0, "afterwards") }
        },
    ]
}
