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
        }
    ]
}

extension StoredRecord {
    /// A sample with a number and a text.
    fileprivate static func indexed(_ name: String, _ x: Int, _ y: String) -> StoredRecord {
        var record = sample(name)
        record.fields = FieldValues(names: FieldNames(["x", "y"]), values: [.int64(Int64(x)), .string(y)])
        return record
    }
}
