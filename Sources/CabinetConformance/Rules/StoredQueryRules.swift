import Cabinet

extension ConformanceRule {
    /// What the core expects of a backend's queries.
    static let storedQueries: [ConformanceRule] = [
        ConformanceRule(
            .storage, "a page has at most its limit",
            law: "A page holds the first limit records of the order.",
            source: .storage("StorageSnapshot.records(matching:)")
        ) { world in
            try await world.backend.insert((0..<9).map { .sample("r\($0)", .int64(Int64($0 % 3))) })
            for limit in [1, 4, 9, 10, Int.max] {
                let plan = try QueryPlan(
                    recordType: "Samples", filter: .constant(true), order: [Sort("x", ascending: false)], limit: limit,
                    fields: ["x": .int64])
                let expected = ["r2", "r5", "r8", "r1", "r4", "r7", "r0", "r3", "r6"].prefix(limit)
                try expect("The page of \(limit)", try await world.backend.names(plan), equals: Array(expected))
                let count = try await world.backend.read(.public) { try await $0.count(matching: plan) }
                try expect("The count, which has no limit", count, equals: 9)
            }
        },
        ConformanceRule(
            .storage, "a page begins after its position",
            law: "A page holds records that come after the position, whether or not a record stands there.",
            source: .storage("StorageSnapshot.records(matching:)")
        ) { world in
            let values: [(name: String, value: Int64?)] = [
                ("a", nil), ("b", 1), ("c", 1), ("d", 2), ("e", nil), ("f", 3),
            ]
            let records = values.enumerated().map { index, each in
                var record = StoredRecord.sample(each.name, each.value.map(FieldValue.int64))
                record.insertionNumber = Int64(10 * (index + 1))
                return record
            }
            try await world.backend.insert(records)
            let ascending = [Sort("x")]
            let descending = [Sort("x", ascending: false)]
            let cases: [(order: [Sort], value: FieldValue?, number: Int64, expected: [String])] = [
                (ascending, nil, 10, ["e", "b", "c", "d", "f"]), (ascending, nil, 50, ["b", "c", "d", "f"]),
                (ascending, nil, 99, ["b", "c", "d", "f"]), (ascending, .int64(1), 20, ["c", "d", "f"]),
                (ascending, .int64(1), 25, ["c", "d", "f"]), (ascending, .int64(0), 70, ["b", "c", "d", "f"]),
                (ascending, .int64(3), 60, []), (descending, .int64(3), 60, ["d", "b", "c", "a", "e"]),
                (descending, .int64(1), 20, ["c", "a", "e"]), (descending, .int64(1), 99, ["a", "e"]),
                (descending, nil, 10, ["e"]), (descending, nil, 50, []), (descending, nil, -1, ["a", "e"]),
                ([], nil, 30, ["d", "e", "f"]),
            ]
            for (order, value, number, expected) in cases {
                let plan = try QueryPlan(
                    recordType: "Samples", filter: .constant(true), order: order,
                    position: QueryPosition(values: order.map { _ in value }, insertionNumber: number),
                    fields: ["x": .int64])
                let label = "The page after \(value?.description ?? "nil"), number \(number), in the order \(order)"
                try expect(label, try await world.backend.names(plan), equals: expected)
                let count = try await world.backend.read(.public) { try await $0.count(matching: plan) }
                try expect("The count, which has no position", count, equals: 6)
            }
        },
        ConformanceRule(
            .storage, "equal records are in the order of their insertion",
            law:
                "Records whose sort keys are equal are in the order of their insertion numbers, in whatever zones and directions "
                + "of the keys.",
            source: .storage("QueryPlan.order")
        ) { world in
            let zones = [
                RecordZone.ID(zoneName: "b"), RecordZone.ID(zoneName: "a"), .default,
                RecordZone.ID(zoneName: "a", ownerName: "z"),
            ]
            let records = zip(zones, [70, 20, 1 << 40, 3] as [Int64]).map { zone, number in
                var record = StoredRecord.sample("same", .int64(1))
                record.recordID = RecordID(recordName: "same", zoneID: zone)
                record.insertionNumber = number
                return record
            }
            try await world.backend.insert(records)
            for order in [[], [Sort("x")], [Sort("x", ascending: false)]] {
                func page(after number: Int64?) async throws -> [StoredRecord] {
                    let position = number.map {
                        QueryPosition(values: order.map { _ in .int64(1) }, insertionNumber: $0)
                    }
                    let plan = try QueryPlan(
                        recordType: "Samples", filter: .constant(true), order: order, position: position, limit: 1,
                        fields: ["x": .int64])
                    return try await world.backend.read(.public) { try await $0.records(matching: plan) }
                }
                var found: [Int64] = []
                for _ in 0..<4 {
                    let record = try require(try await page(after: found.last).first, "The next record")
                    found.append(record.insertionNumber)
                }
                try expect("The numbers in the order \(order)", found, equals: [3, 20, 70, 1 << 40])
                try expect("The page after the last", try await page(after: found.last), equals: [])
            }
        },
        ConformanceRule(
            .storage, "a field that no record has is nil",
            law: "A plan may filter and sort by a field that is not in the schema: it is nil in every record.",
            source: .storage("QueryPlan.fields")
        ) { world in
            try await world.backend.insert([.sample("b", .int64(1)), .sample("a", .int64(2))])
            for (filter, expected) in [
                (Filter.compare("none", .equal, nil), ["a", "b"]), (.compare("none", .greaterThan, 1), []),
                (.not(.compare("none", .in, list: [1, 2])), ["a", "b"]),
            ] {
                let plan = try QueryPlan(
                    recordType: "Samples", filter: filter, order: [Sort("none", ascending: false), Sort("recordID")],
                    fields: ["x": .int64])
                try expect("The records with \(filter)", try await world.backend.names(plan), equals: expected)
            }
        },
    ]
}

extension StorageBackend {
    /// The names of a plan's records.
    fileprivate func names(_ plan: QueryPlan) async throws -> [String] {
        try await read(.public) { try await $0.records(matching: plan).map(\.recordID.recordName) }
    }
}
