import Cabinet

extension ConformanceRule {
    /// Fields whose values the schema declares unique.
    static let uniqueValues: [ConformanceRule] = [
        ConformanceRule(
            .schema, "unique values belong to one record",
            law:
                "A save with values that another record has in unique fields fails with constraintViolation, which names that record.",
            source: .cabinet("Roles and unique values")
        ) { world in
            let database = try await world.uniqueDatabase([["name"]], fields: ["number": .init(.double)])
            let milk = try await database.save(Record("Items", "milk", ["name": "Milk"]))
            for policy in RecordSavePolicy.allCases {
                try await expectError(
                    .constraintViolation, naming: ["milk", "name = \"Milk\"", "UNIQUE (name)"], about: .named("other"),
                    in: "name"
                ) {
                    try await database.save(Record("Items", "other", ["name": "Milk"]), savePolicy: policy)
                }
            }
            // Values are compared exactly, so these are others.
            try await database.saveAll([
                Record("Items", "a", ["name": "milk"]), Record("Items", "b", ["name": "Milk "]),
                Record("Items", "c", ["name": ""]), Record("Notes", "d", ["name": "Milk"]),
            ])
            try await expectError(.constraintViolation, about: .named("a")) {
                try await database.save(database.fetch("a").with(["name": "Milk"]))
            }
            let again = try await database.save(milk.with(["number": 2]))
            try await database.save(again.with(["name": "Cream"]))
            try await database.save(Record("Items", "other", ["name": "Milk"]))
            try await database.deleteRecord(withID: .named("other"))
            try await database.save(database.fetch("a").with(["name": "Milk"]))
        },
        ConformanceRule(
            .schema, "several fields are unique together",
            law:
                "Records that differ in one of the fields, or lack one, are not duplicates. References with different actions are equal.",
            source: .cabinet("Roles and unique values")
        ) { world in
            let database = try await world.uniqueDatabase(
                [["list", "number"], ["parent", "name"]], fields: ["number": .init(.double), "list": .init(.reference)])
            try await database.saveAll([Record("Lists", "x"), Record("Lists", "y")])
            func item(_ name: String, _ list: Reference?, _ number: (any RecordValue)?) -> Record {
                Record("Items", name, ["list": list, "number": number])
            }
            try await database.saveAll([
                item("a", Reference("x"), 1), item("b", Reference("x"), 2), item("c", Reference("y"), 1),
                item("d", Reference("x"), nil), item("e", Reference("x"), nil), item("f", nil, 1), item("g", nil, 1),
            ])
            // The field is a DOUBLE, so 1 and 1.0 are equal.
            try await expectError(.constraintViolation, naming: ["a", "list", "number = 1"]) {
                try await database.save(item("h", Reference("x", .deleteSelf), 1.0))
            }
            try await expectError(.constraintViolation, about: .named("d")) {
                try await database.save(database.fetch("d").with(["number": 2]))
            }
            func child(_ name: String, of parent: String) -> Record {
                var record = Record("Items", name, ["name": "n"])
                record.setParent(.named(parent))
                return record
            }
            try await database.saveAll([child("i", of: "x"), child("j", of: "y")])
            try await expectError(.constraintViolation, naming: ["parent"]) {
                try await database.save(child("k", of: "x"))
            }
        },
        ConformanceRule(
            .schema, "a batch is judged by its result",
            law:
                "Records of one batch can exchange unique values, and take those of deleted ones; two that would have the same fail.",
            source: .cabinet("Roles and unique values")
        ) { world in
            let database = try await world.uniqueDatabase([["name"]])
            let saved = try await database.saveAll([
                Record("Items", "a", ["name": "1"]), Record("Items", "b", ["name": "2"]),
                Record("Items", "c", ["name": "3"]),
            ])
            let swapped = try await database.saveAll([saved[0].with(["name": "2"]), saved[1].with(["name": "1"])])
            try await database.save([Record("Items", "d", ["name": "3"])], deleting: [saved[2].recordID])
            let twins = ["e", "f"].map { Record("Items", $0, ["name": "twice"]) }
            try await expectFailure(
                try await database.failures(saving: twins)[.named("f")], .constraintViolation, naming: ["e"])
            try expect("The saved ones", try await database.existing(["e", "f"]), equals: [])
            let twice = try await database.modifyRecords(saving: twins, deleting: [], atomically: false).saveResults
            try await expectFailure(twice[.named("f")], .constraintViolation, naming: ["e"])
            try expect("The saved ones", try await database.existing(["e", "f"]), equals: ["e"])
            // The first keeps its value, so the second cannot have it.
            let chain = try await database.modifyRecords(
                saving: [swapped[1].with(["name": "2"]), swapped[0].with(["name": "3"])], deleting: [],
                atomically: false
            ).saveResults
            for id in [swapped[0].recordID, swapped[1].recordID] {
                try await expectFailure(chain[id], .constraintViolation)
            }
        },
        ConformanceRule(
            .schema, "values are unique in all zones of a database",
            law: "A record of another zone is in the way as well, and one of another database is not.",
            source: .cabinet("Roles and unique values")
        ) { world in
            let database = try await world.uniqueDatabase([["name"]])
            let zone = try await database.save(RecordZone(zoneName: "zone"))
            try await database.save(Record("Items", "a", ["name": "x"]))
            var other = Record(
                recordType: "Items", recordID: RecordID(recordName: "b", zoneID: zone.zoneID))
            other["name"] = "x"
            try await expectError(.constraintViolation, naming: ["a"]) { [other] in try await database.save(other) }
            let container = try world.container()
            try await container.publicDatabase.save(Record("Items", "b", ["name": "x"]))
        },
        ConformanceRule(
            .schema, "one of many concurrent saves has a unique value",
            law: "Of several clients that save the same value at the same time, one succeeds.",
            source: .cabinet("Roles and unique values")
        ) { world in
            let database = try await world.uniqueDatabase([["name"]])
            let codes = try await withThrowingTaskGroup(of: CabinetError.Code?.self) { group in
                for index in 0..<6 {
                    group.addTask {
                        do {
                            try await database.save(Record("Items", "item \(index)", ["name": "x"]))
                            return nil
                        } catch let error as CabinetError {
                            return error.code
                        }
                    }
                }
                return try await group.reduce(into: [CabinetError.Code?]()) { $0.append($1) }
            }
            try expect("The successes", codes.count { $0 == nil }, equals: 1)
            try expect("The refusals", codes.count { $0 == .constraintViolation }, equals: 5)
            try expect("The count", try await database.count(matching: Query(recordType: "Items")), equals: 1)
        },
        ConformanceRule(
            .schema, "values in use twice cannot become unique",
            law:
                "A schema that declares fields unique in which two records are equal is refused with both named, and nothing changes.",
            source: .cabinet("Roles and unique values")
        ) { world in
            let container = try world.container()
            let database = container.privateDatabase
            try await database.saveAll(
                (0..<120).map { Record("Items", "item \($0)", ["name": $0 == 117 ? "name 3" : "name \($0)"]) })
            var schema = Schema()
            schema["Items"] = .init(fields: ["name": .init(.string)], uniqueKeys: [["name"]])
            try await expectError(.invalidArguments, naming: ["item 3", "item 117", "UNIQUE (name)"]) {
                try await container.apply(schema)
            }
            try expect("The public schema", try await container.publicDatabase.schema(), equals: Schema())
            try expect("The unique keys", try await database.schema()["Items"].uniqueKeys, equals: [])
            try await database.deleteRecord(withID: .named("item 3"))
            try await container.apply(schema)
            try expect("The schema", try await database.schema(), equals: schema)
            try await expectError(.constraintViolation, naming: ["item 117"]) {
                try await database.save(Record("Items", "new", ["name": "name 3"]))
            }
            // Many values are looked up in several queries.
            let results = try await database.modifyRecords(
                saving: (0..<250).map { Record("Items", "new \($0)", ["name": $0 == 249 ? "name 99" : "new \($0)"]) },
                deleting: [], atomically: false
            ).saveResults
            let failures = results.filter { if case .failure = $0.value { true } else { false } }
            try expect("The failures", failures.keys.map(\.recordName), equals: ["new 249"])
            schema["Items"].uniqueKeys = []
            try await container.apply(schema)
            try await database.save(Record("Items", "again", ["name": "name 99"]))
        },
    ]
}

extension ConformanceWorld {
    /// The private database, in which a text `name` and other fields of Items are unique.
    fileprivate func uniqueDatabase(
        _ keys: Set<[Record.FieldKey]>, fields: [Record.FieldKey: Schema.Field] = [:]
    ) async throws -> Database {
        var schema = Schema()
        schema["Items"] = .init(
            fields: fields.merging(["name": .init(.string)]) { first, _ in first }, uniqueKeys: keys)
        let database = try privateDatabase()
        try await database.apply(schema)
        return database
    }
}
