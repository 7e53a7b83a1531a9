import Cabinet

extension ConformanceRule {
    /// The records that a query sees, apart from filter, order and pages.
    static let queries: [ConformanceRule] = [
        ConformanceRule(
            .filters, "a query sees every save that was completed",
            law: "A query that begins after a save, change or deletion returned sees it.",
            source: .cabinet("Consistency")
        ) { world in
            let database = try world.privateDatabase()
            let otherDevice = try world.privateDatabase()
            for number in 1...20 {
                try await database.save(Record("Samples", "item \(number)", ["x": number]))
                let found = try await otherDevice.names("Samples", where: .compare("x", .equal, number))
                try expect("The saved record", found, equals: ["item \(number)"])
                try await otherDevice.update(.named("item \(number)")) { $0["x"] = -number }
                let stale = try await database.names("Samples", where: .compare("x", .equal, number))
                try expect("The changed record", stale, equals: [])
                if number % 2 == 0 { try await database.deleteRecord(withID: .named("item \(number)")) }
                let count = try await otherDevice.count(matching: Query(recordType: "Samples"))
                try expect("The count", count, equals: (number + 1) / 2)
            }
        },
        ConformanceRule(
            .filters, "an unknown type has no records",
            law: "A query for a record type that was never saved finds nothing, with any filter and order.",
            source: .cabinet("Query")
        ) { world in
            let database = try world.privateDatabase()
            let query = Query(recordType: "Nothing", filter: .compare("x", .lessThan, 1), sortedBy: [Sort("y")])
            try expect("The records", try await database.allRecords(matching: query), equals: [])
            try expect("The count", try await database.count(matching: query), equals: 0)
        },
        ConformanceRule(
            .filters, "a query finds one type",
            law: "A query finds the records of its type and no others, even if their names and fields are the same.",
            source: .cloudKit("CKQuery, recordType")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveAll([
                Record("Items", "a", ["name": "x"]), Record("Lists", "b", ["name": "x"]),
                Record("Items", "c", ["name": "x"]),
            ])
            let filter = Filter.compare("name", .equal, "x")
            try expect("The items", try await database.names("Items", where: filter), equals: ["a", "c"])
            try expect("The lists", try await database.names("Lists", where: filter), equals: ["b"])
        },
        ConformanceRule(
            .filters, "a query searches one zone or all",
            law:
                "A query with a zone searches that zone, and one without searches every zone; an unknown zone is zoneNotFound.",
            source: .cloudKit("CKDatabase, recordsMatchingQuery")
        ) { world in
            let database = try await world.samples(["a": 1, "b": 2])
            let query = Query(recordType: "Samples")
            for zone in [RecordZone.ID?.none, .default] {
                let found = try await database.allRecords(matching: query, inZoneWith: zone)
                try expect("The number of records", found.count, equals: 2)
                try expect("The count", try await database.count(matching: query, inZoneWith: zone), equals: 2)
            }
            let unknown = RecordZone.ID(zoneName: "Elsewhere")
            try await expectError(.zoneNotFound, naming: ["Elsewhere"]) {
                try await database.allRecords(matching: query, inZoneWith: unknown)
            }
            try await expectError(.zoneNotFound) { try await database.count(matching: query, inZoneWith: unknown) }
            let id = RecordID(recordName: "a", zoneID: unknown)
            try await expectError(.zoneNotFound, about: id) { try await database.record(for: id) }
            try await expectError(.zoneNotFound, about: id) {
                try await database.save(Record(recordType: "Samples", recordID: id))
            }
            try await expectError(.zoneNotFound, about: id) { try await database.deleteRecord(withID: id) }
        },
        ConformanceRule(
            .filters, "a batch of saves is seen whole or not at all",
            law: "A query during a save of a batch sees all of its records or none.",
            source: .cabinet("Consistency")
        ) { world in
            let database = try world.privateDatabase()
            let reader = try world.privateDatabase()
            try await database.saveAll((0..<10).map { Record("Samples", "item \($0)", ["round": 0]) })
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for round in 1...10 {
                        let records = try await database.allRecords(matching: Query(recordType: "Samples"))
                        try await database.saveAll(records.map { $0.with(["round": round]) })
                    }
                }
                group.addTask {
                    for _ in 1...20 {
                        let records = try await reader.allRecords(matching: Query(recordType: "Samples"))
                        let rounds = Set(records.map { $0["round"] as? Int })
                        try expect(rounds.count == 1, "One query saw the rounds \(rounds).")
                        try expect("The number of records", records.count, equals: 10)
                    }
                }
                try await group.waitForAll()
            }
        },
    ]
}
