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
