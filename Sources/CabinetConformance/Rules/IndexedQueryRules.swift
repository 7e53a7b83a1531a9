import Cabinet

extension ConformanceRule {
    /// The rules about a backend's indexes, queried with plans.
    static let indexedQueries: [ConformanceRule] = [
        ConformanceRule(
            .storage, "an index of numbers accepts integers and doubles",
            law:
                "With an index of an INT64 or DOUBLE field, a constant of either type finds the records that the evaluator finds.",
            source: .storage("StorageMutation.setIndexes(_:of:)")
        ) { world in
            let whole: [Int64?] = [.min, -2, -1, 0, 1, 2, 3, 9_007_199_254_740_992, 9_007_199_254_740_993, .max, nil]
            let fractions: [Double?] = [
                -.infinity, -1.5, -1, -0.0, 0.5, 1, 2, 9_007_199_254_740_992, 1e300, .infinity, nil,
            ]
            let records = zip(whole, fractions).enumerated().map { number, pair in
                var record = StoredRecord.sample("r\(number)")
                record.fields = FieldValues(
                    names: FieldNames(["x", "y"]),
                    values: [pair.0.map(FieldValue.int64), pair.1.map(FieldValue.double)])
                return record
            }
            try await world.backend.insert(
                records, fields: [StoredField(name: "x", type: .int64), StoredField(name: "y", type: .double)])
            let constants: [FieldValue] = [
                .double(-.infinity), .double(-1e300), .double(-1.5), .double(-0.5), .double(0.5), .double(1),
                .double(1.5), .double(9_007_199_254_740_992), .double(9.3e18), .double(.infinity), .int64(.min),
                .int64(-1), .int64(1), .int64(9_007_199_254_740_993), .int64(.max),
            ]
            var filters: [Filter] = []
            for key in ["x", "y"] {
                for constant in constants {
                    filters += [.equal, .notEqual, .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual].map {
                        .comparison(Filter.Comparison(.field(key), $0, .constant(constant)))
                    }
                }
                filters.append(.compare(key, .in, list: [0.5, 1, 2.0, 9_007_199_254_740_993]))
                filters.append(.compare(key, .between, list: [-1.5, 1]))
                filters.append(.compare(key, .between, list: [-1, 1.5]))
            }
            for indexes in [
                Set([StoredIndex.queryable("x"), .sortable("y")]), [.compound(["x", "y"]), .sortable("x")],
            ] {
                try await world.backend.write(.public) { try await $0.setIndexes(indexes, of: "Samples") }
                for filter in filters {
                    let plan = try QueryPlan(
                        recordType: "Samples", filter: filter, order: [Sort("x")], limit: 4,
                        fields: ["x": .int64, "y": .double])
                    try await world.backend.expectPage(of: plan, among: records)
                }
            }
        },
        ConformanceRule(
            .storage, "records of other zones do not count against a page's limit",
            law: "A page of one zone that an index orders counts no record of another zone against its limit.",
            source: .storage("StorageSnapshot.records(matching:)")
        ) { world in
            let zones = ["A", "B", "C"].map { RecordZone.ID(zoneName: $0) }
            var records: [StoredRecord] = []
            for (position, (zone, count)) in zip(zones, [30, 6, 30]).enumerated() {
                for number in 0..<count {
                    var record = StoredRecord.sample("r\(position)\(number)")
                    record.recordID = RecordID(recordName: record.recordID.recordName, zoneID: zone)
                    // The small zone lies in the middle of the order.
                    record.fields = FieldValues(
                        names: FieldNames(["x", "y"]),
                        values: [.int64(Int64(position * 100 + number)), .string(number % 2 == 0 ? "even" : "odd")])
                    records.append(record)
                }
            }
            try await world.backend.insert(
                records, fields: [StoredField(name: "x", type: .int64), StoredField(name: "y", type: .string)])
            try await world.backend.write(.public) {
                try await $0.setIndexes([.sortable("x"), .queryable("y"), .compound(["y", "x"])], of: "Samples")
            }
            let filters: [Filter] = [.constant(true), .compare("y", .equal, "even"), .compare("x", .greaterThan, 2)]
            for zone in zones {
                for filter in filters {
                    for isAscending in [true, false] {
                        for limit in [1, 3, 6, 7] {
                            let plan = try QueryPlan(
                                recordType: "Samples", zoneID: zone, filter: filter,
                                order: [Sort("x", ascending: isAscending)], limit: limit,
                                fields: ["x": .int64, "y": .string])
                            try await world.backend.expectPage(of: plan, among: records)
                        }
                    }
                }
            }
        },
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
                        try await world.backend.expectPage(of: plan, among: records)
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
    ]
}

extension StorageBackend {
    /// Throws unless the page of a plan holds the records that the evaluator selects.
    fileprivate func expectPage(
        of plan: QueryPlan, among records: [StoredRecord], fileID: String = #fileID, line: Int = #line
    ) async throws {
        let found = try await read(.public) { try await $0.records(matching: plan) }
        let expected = try plan.page(of: records)
        try expect(
            "The page", [QueryAnswer(plan, found)], equal: [QueryAnswer(plan, expected)], fileID: fileID, line: line)
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
