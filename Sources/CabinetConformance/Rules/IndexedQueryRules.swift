import Cabinet

extension ConformanceRule {
    /// The rules about a backend's indexes, queried with plans.
    static let indexedQueries: [ConformanceRule] = [
        ConformanceRule(
            .storage, "an index that is set again has the changes made without it",
            law: "Records saved, changed and deleted after an index was dropped are found by it when it is set again.",
            source: .storage("StorageMutation.setIndexes(_:of:)")
        ) { world in
            let indexes: Set<StoredIndex> = [.queryable("x"), .sortable("x"), .searchable("y"), .compound(["y", "x"])]
            var records = (0..<12).map { StoredRecord.indexed("r\($0)", $0 % 4, "word\($0 % 3)") }
            func expectPages() async throws {
                var filters: [Filter] = (0..<5).map { .compare("y", .equal, "word\($0)") }
                filters += (-1..<6).map { .compare("x", .equal, $0) }
                filters += ["word1", "word4"].map { word in
                    .comparison(Filter.Comparison(.field("y"), .tokenMatches, .constant(.string(word))))
                }
                for filter in filters + [.constant(true)] {
                    for order in [[], [Sort("x")], [Sort("x", ascending: false)]] {
                        let plan = try QueryPlan(
                            recordType: "Samples", filter: filter, order: order, limit: 5,
                            fields: ["x": .int64, "y": .string])
                        let found = try await world.backend.read(.public) { try await $0.records(matching: plan) }
                        let expected = try plan.page(of: records).map(\.recordID)
                        try expect("The page of \(plan)", found.map(\.recordID), equals: expected)
                    }
                }
            }
            try await world.backend.insert(
                records, fields: [StoredField(name: "x", type: .int64), StoredField(name: "y", type: .string)])
            for round in 0..<2 {
                try await world.backend.write(.public) { try await $0.setIndexes(indexes, of: "Samples") }
                try await expectPages()
                try await world.backend.write(.public) { try await $0.setIndexes([], of: "Samples") }
                let new = StoredRecord.indexed("new\(round)", 5, "word4")
                let (old, deleted) = (records[3], records[1])
                var changed = StoredRecord.indexed(old.recordID.recordName, -1, "word\(3 + round)")
                changed.insertionNumber = old.insertionNumber
                let update = StorageMutation.update(changed, replacing: old)
                try await world.backend.write(.public) {
                    try await $0.apply([.insert(new), update, .deletion(of: deleted)])
                }
                records = records.filter { ![old.recordID, deleted.recordID].contains($0.recordID) } + [changed, new]
                try await expectPages()
            }
            try await world.backend.write(.public) { try await $0.setIndexes(indexes, of: "Samples") }
            try await expectPages()
        },
        ConformanceRule(
            .storage, "an index of words has what its reader sees",
            law:
                "A search finds what a snapshot or a transaction sees, after changes, deletions, renames and erased zones.",
            source: .storage("StorageSnapshot.records(matching:)")
        ) { world in
            let (backend, zone) = (world.backend, RecordZone.ID(zoneName: "Notes"))
            var records = [("a", "Anvil"), ("b", "rope, anvil"), ("c", "Ropes")].map {
                StoredRecord.sample($0, .string($1), field: "y")
            }
            records.append(.sample("zoned", .string("anvil"), field: "y", in: zone))
            try await backend.insert(records, fields: [StoredField(name: "y", type: .string)])
            try await backend.write(.public) { try await $0.setIndexes([.searchable("y")], of: "Samples") }
            @Sendable func expectFound(_ texts: [String: [String]], in key: Record.FieldKey = "y") async throws {
                try await backend.read(.public) { try await $0.expectFound(texts, in: key) }
            }
            try await expectFound(["anvil ": ["a", "b", "zoned"], "rop": ["b", "c"], "anvil ro": ["b"]])
            var changed = StoredRecord.sample("a", .string("a rope"), field: "y")
            changed.insertionNumber = records[0].insertionNumber
            try await backend.write(.public) { [records, changed] transaction in
                try await transaction.apply([.update(changed, replacing: records[0]), .deletion(of: records[1])])
            }
            try await expectFound(["anvil ": ["zoned"], "rop": ["a", "c"], "a": ["a", "zoned"], "anvil ro": []])
            // An earlier state and a later one are searched in turn, and then a state that is rolled back.
            try await backend.read(.public) { snapshot in
                // A store may begin a read again until its first answer.
                try await snapshot.expectFound(["rop": ["a", "c"]])
                try await backend.insert([.sample("d", .string("a rope"), field: "y")])
                for _ in 0..<2 {
                    try await snapshot.expectFound(["rop": ["a", "c"]])
                    try await expectFound(["rop": ["a", "c", "d"]])
                }
            }
            struct Failure: Error {}
            do {
                try await backend.write(.public) { [changed] transaction in
                    let new = StoredRecord.sample("e", .string("unsaved"), field: "y")
                    try await transaction.apply([.insert(new), .deletion(of: changed)])
                    try await transaction.expectFound(["unsaved ": ["e"], "rope ": ["d"]])
                    throw Failure()
                }
            } catch is Failure {}
            try await expectFound(["unsaved ": [], "rope ": ["a", "d"]])
            try await backend.write(.public) { try await $0.apply([.eraseZone(zone)]) }
            try await expectFound(["anvil ": [], "rope ": ["a", "d"]])
            try await backend.write(.public) { transaction in
                try await transaction.apply([
                    .rename(SchemaPart("Samples", "y"), to: "z"),
                    .addFields([StoredField(name: "y", type: .string)], to: "Samples"),
                ])
            }
            try await backend.insert([.sample("zoned", .string("rope"), field: "y", in: zone)], fields: [])
            try await expectFound(["anvil ": [], "rope ": ["a", "d"]], in: "z")
            try await expectFound(["anvil ": [], "rope ": ["zoned"]])
        },
    ]
}

extension StorageSnapshot {
    /// Throws unless searches find these records.
    fileprivate func expectFound(_ texts: [String: [String]], in key: Record.FieldKey = "y") async throws {
        for (text, expected) in texts {
            var filters = [Filter.field(key).search(text)]
            if text.hasSuffix(" ") { filters.append(Filter.field(key).matchesTokens(text)) }
            for filter in filters {
                let plan = try QueryPlan(
                    recordType: "Samples", filter: filter, fields: ["y": .string, "z": .string])
                let found = try await records(matching: plan).map(\.recordID.recordName).sorted()
                try expect("The records where \(filter)", found, equals: expected)
            }
        }
    }
}

extension StoredRecord {
    /// A sample with a number and a text.
    fileprivate static func indexed(_ name: String, _ x: Int, _ y: String) -> StoredRecord {
        var record = sample(name)
        record.fields = FieldValues(names: FieldNames(["x", "y"]), values: [.int64(Int64(x)), .string(y)])
        return record
    }
}
