import Cabinet

extension ConformanceRule {
    /// Conveniences on top of CloudKit's calls.
    static let conveniences: [ConformanceRule] = [
        ConformanceRule(
            .conveniences, "an update retries after a conflict",
            law: "Twenty concurrent increments, each of them an update, add up to twenty.",
            source: .cabinet("Database.update")
        ) { world in
            let database = try world.privateDatabase()
            try await database.save(Record("Items", "milk", ["number": 0]))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        try await database.update(.named("milk")) { $0["number"] = ($0["number"] ?? 0) + 1 }
                    }
                }
                try await group.waitForAll()
            }
            try expect("The number", try await database.fetch("milk")["number"], equals: 20)
        },
        ConformanceRule(
            .conveniences, "an update applies the given change",
            law: "An update fetches the record, changes it, saves it, and returns the server's version.",
            source: .cabinet("Database.update")
        ) { world in
            let database = try world.privateDatabase()
            try await database.save(Record("Items", "milk", ["number": 1, "name": "Milk", "note": "x"]))
            let answer = try await database.update(.named("milk")) { record in
                record["number"] = 2
                record["note"] = nil
            }
            let record = try await database.fetch("milk")
            try expect("The answer", answer, equals: record)
            try expect("The keys", Set(record.allKeys()), equals: ["number", "name"])
            try expect("The number", record["number"], equals: 2)
        },
        ConformanceRule(
            .conveniences, "an update that throws saves nothing",
            law: "An update whose closure throws rethrows the error and does not change the record.",
            source: .cabinet("Database.update")
        ) { world in
            struct Refusal: Error {}
            let database = try world.privateDatabase()
            let record = try await database.save(Record("Items", "milk", ["number": 1]))
            do {
                try await database.update(.named("milk")) { record in
                    record["number"] = 2
                    throw Refusal()
                }
                try expect(false, "The update succeeded.")
            } catch is Refusal {
                try expect("The record", try await database.fetch("milk"), equals: record)
            }
            try await expectError(.unknownItem) { try await database.update(.named("nowhere")) { $0["number"] = 1 } }
        },
        ConformanceRule(
            .conveniences, "a record sequence pages by itself",
            law: "A record sequence yields every record of the query once and in order, for any page size.",
            source: .cabinet("Database.recordSequence")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveAll(
                (10..<41).map { Record("Items", "item \($0)", ["number": 100 - $0, "name": "x"]) })
            let query = Query(recordType: "Items", sortedBy: [Sort("number")])
            for size in [1, 7, 30, 31, 32, Query.defaultPageSize] {
                var found: [String] = []
                for try await record in database.recordSequence(matching: query, desiredKeys: ["name"], pageSize: size)
                {
                    try expect("The keys", record.allKeys(), equals: ["name"])
                    found.append(record.recordID.recordName)
                    try expect(found.count < 100, "The sequence does not end.")
                }
                try expect("The records in pages of \(size)", found, equals: (10..<41).reversed().map { "item \($0)" })
            }
        },
        ConformanceRule(
            .conveniences, "allRecords returns every record",
            law: "allRecords returns every record of a query, on any number of pages.",
            source: .cabinet("Database.allRecords")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveAll(
                (0..<2500).map { (number: Int) in Record("Items", "item \(number)", ["number": number]) })
            let query = Query(recordType: "Items", sortedBy: [Sort("number")])
            var count = 0
            for try await _ in database.recordSequence(matching: query, desiredKeys: [], pageSize: 1000) {
                count += 1
                try expect(count <= 2500, "The records do not end.")
            }
            let records = try await database.allRecords(matching: query)
            try expect("The numbers", records.compactMap { $0["number"] as? Int }, equals: Array(0..<2500))
        },
        ConformanceRule(
            .conveniences, "the count is the number of all records",
            law: "count returns the number of records that allRecords returns, for any filter.",
            source: .cabinet("Database.count")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveAll(
                (0..<300).map { (number: Int) in
                    Record("Items", "item \(number)", ["number": number % 7 == 0 ? nil : number % 10])
                })
            let filters: [Filter] = [
                .constant(true), .constant(false), .compare("number", .equal, 3), .compare("number", .notEqual, 3),
                .compare("number", .equal, nil), .not(.compare("number", .lessThan, 5)),
            ]
            for filter in filters {
                let query = Query(recordType: "Items", filter: filter, sortedBy: [Sort("number")])
                let all = try await database.allRecords(matching: query).count
                try expect("The count of \(filter)", try await database.count(matching: query), equals: all)
            }
        },
    ]
}
