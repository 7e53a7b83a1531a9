import Cabinet
import Foundation

extension ConformanceRule {
    /// The rules about strict containers: the types that they create, and the requests that they refuse.
    static let strictSchemas: [ConformanceRule] = [
        ConformanceRule(
            .schema, "a strict container creates the types of its schema",
            law: "The first request to a database, of any kind, creates its container's types, fields and indexes.",
            source: .cabinet("Schema")
        ) { world in
            let requests: [@Sendable (Database) async throws -> Void] = [
                { database in try await expectEmpty("The items", of: database.names()) },
                { database in try await expectEmpty("The item", of: database.existing(["none"])) },
                { database in try await database.save(Record("Lists", "a", ["name": "Groceries"])) },
                { database in try await database.save(DatabaseSubscription(subscriptionID: "a")) },
                { database in
                    for try await items in database.observe(Query(recordType: "Items")) {
                        return try expect("The observed items", items.count, equals: 0)
                    }
                },
            ]
            for (number, request) in requests.enumerated() {
                let account = Account(userRecordName: "_user\(number)")
                let database = try world.container(account: account, schema: .strict(.everything)).privateDatabase
                try await request(database)
                try expect("The schema after request \(number)", try await database.schema(), equals: .everything)
            }
            let database = try world.container(account: Account(userRecordName: "_user0")).privateDatabase
            try await database.save(Record("Items", "new", ["price": 2]))
            try expect("The price", try await database.fetch("new").fieldValue("price"), equals: .double(2))
        },
        ConformanceRule(
            .schema, "a strict container removes nothing",
            law: "Types, fields, indexes and records that a strict schema does not declare stay.",
            source: .cabinet("Schema")
        ) { world in
            let growing = try world.privateDatabase()
            var before = Schema.everything
            before["Items"]["old"] = .init(.string, [.queryable, .searchable])
            before["Others"]["x"] = .init(.int64, .sortable)
            try await growing.apply(before)
            try await growing.save(Record("Items", "a", ["name": "Milk", "old": "value"]))
            try await growing.save(Record("Others", "b", ["x": 1]))
            let declared = Schema(recordTypes: [
                "Items": .init(fields: ["name": .init(.string), "new": .init(.string, .queryable)]), "Lists": .init(),
            ])
            let strict = try world.container(schema: .strict(declared)).privateDatabase
            try expect("The items", try await strict.names(), equals: ["a"])
            before["Items"]["new"] = .init(.string, .queryable)
            try expect("The schema", try await growing.schema(), equals: before)
            try expect("The old value", try await strict.fetch("a")["old"], equals: "value")
            try expect("The other value", try await strict.fetch("b")["x"], equals: 1)
            try await strict.deleteRecord(withID: .named("b"))
            try expect("The others", try await growing.names("Others"), equals: [])
        },
        ConformanceRule(
            .schema, "a strict container refuses a store with a field of another type",
            law: "If a declared field has another type in a database, each request to it is refused with both types "
                + "named, and nothing is changed.",
            source: .cabinet("Schema")
        ) { world in
            let growing = try world.privateDatabase()
            try await growing.save(Record("Items", "a", ["price": 1]))
            let before = try await growing.schema()
            let declared = Schema(recordTypes: [
                "Items": .init(fields: ["price": .init(.double), "name": .init(.string, .queryable)])
            ])
            let strict = try world.container(schema: .strict(declared)).privateDatabase
            let words = ["'price'", "Items", "INT64", "DOUBLE"]
            for _ in 0..<2 {
                try await expectError(.invalidArguments, naming: words, in: "price") { try await strict.names() }
                try await expectError(.invalidArguments, naming: words) { try await strict.fetch("a") }
                try await expectError(.invalidArguments, naming: words) {
                    try await strict.save(Record("Items", "b", ["name": "Milk"]))
                }
                try await expectError(.invalidArguments, naming: words) {
                    try await strict.recordZoneChanges(inZoneWith: .default, since: nil)
                }
            }
            try expect("The schema", try await growing.schema(), equals: before)
            try expect("The items", try await growing.names(), equals: ["a"])
            let other = try world.container(
                account: Account(userRecordName: "_ben"), schema: .strict(declared)
            ).privateDatabase
            try await other.save(Record("Items", "b", ["price": 1]))
            try expect("The price elsewhere", try await other.fetch("b").fieldValue("price"), equals: .double(1))
        },
        ConformanceRule(
            .schema, "a strict container refuses unknown types and fields",
            law: "Saves of undeclared types or fields fail, each record by itself, and add nothing to the store.",
            source: .cloudKit("the production environment")
        ) { world in
            let database = try world.container(schema: .strict(.everything)).privateDatabase
            let results = try await database.modifyRecords(
                saving: [
                    Record("Items", "right", ["name": "Milk"]), Record("Items", "typo", ["nmae": "Milk"]),
                    Record("Itmes", "type", ["name": "Milk"]), Record("Items", "kind", ["price": "text"]),
                    Record("Items", "fraction", ["number": 2.5]),
                    Record("Items", "whole", ["price": 2, "number": 2.0]),
                ], deleting: [], atomically: false
            ).saveResults
            let typo = try await expectFailure(
                results[.named("typo")], .invalidArguments, naming: ["'nmae'", "'name'"])
            try expect("The field", typo.fieldKey, equals: "nmae")
            try expect("The record", typo.recordID, equals: .named("typo"))
            try await expectFailure(results[.named("type")], .invalidArguments, naming: ["'Itmes'", "'Items'"])
            try await expectFailure(results[.named("kind")], .invalidArguments, naming: ["DOUBLE", "STRING"])
            try await expectFailure(results[.named("fraction")], .invalidArguments, naming: ["INT64", "DOUBLE"])
            try expect("The items", try await database.names(), equals: ["right", "whole"])
            let whole = try await database.fetch("whole")
            try expect("The price", whole.fieldValue("price"), equals: .double(2))
            try expect("The number", whole.fieldValue("number"), equals: .int64(2))
            try expect("The schema", try await database.schema(), equals: .everything)
        },
        ConformanceRule(
            .schema, "a strict container keeps the unknown fields of a record",
            law: "A record with fields that the schema does not declare is fetched whole and can be saved, as long "
                + "as they are unchanged.",
            source: .cabinet("Schema")
        ) { world in
            let growing = try world.privateDatabase()
            let container = try world.container(schema: .strict(.everything))
            let strict = container.privateDatabase
            try await growing.save(Record("Items", "a", ["name": "Milk", "color": "white"]))
            var record = try await strict.fetch("a")
            try expect("The unknown field", record["color"], equals: "white")
            record = try await strict.save(record.with(["name": "Cream"]))
            try expect("The unknown field after the save", record["color"], equals: "white")
            let stored = try await strict.fetch("a")
            try expect("The stored field", stored["color"], equals: "white")
            for policy in RecordSavePolicy.allCases {
                for color in ["red", nil] {
                    let changed = try await strict.fetch("a").with(["color": color])
                    try await expectError(.invalidArguments, naming: ["'color'"], about: .named("a")) {
                        try await strict.save(changed, savePolicy: policy)
                    }
                }
            }
            // The new field of a third container is kept, too.
            try await growing.save(stored.with(["size": 2]))
            let saved = try await strict.save(stored.with(["name": "Butter"]), savePolicy: .allKeys)
            try expect("The name", saved["name"], equals: "Butter")
            try expect("The new field", saved["size"], equals: 2)
            // If no record has the field, it is not added.
            try await expectError(.invalidArguments, naming: ["'color'"], about: .named("a")) {
                try await container.publicDatabase.save(stored, savePolicy: .allKeys)
            }
            try expect("The public schema", try await container.publicDatabase.schema(), equals: .everything)
        },
        ConformanceRule(
            .schema, "a deployment reaches a running container",
            law:
                "A container with a database's schema takes a later deployment by another container, for all databases.",
            source: .cabinet("SchemaMode"), abilities: [.signals]
        ) { world in
            let admin = try world.container().publicDatabase
            var schema = Schema(recordTypes: ["Items": .init(fields: ["name": .init(.string)])])
            try await admin.deploy(schema)
            let running = try world.container(
                account: Account(userRecordName: "_ben"), schema: .deployed(in: .public))
            try await running.privateDatabase.save(Record("Items", "a", ["name": "Milk"]))
            for database in [running.publicDatabase, running.privateDatabase] {
                try await expectError(.invalidArguments, naming: ["'price'"]) {
                    try await database.save(Record("Items", "b", ["price": 1.5]))
                }
            }
            for key in ["price", "weight"] {
                schema["Items"][key] = .init(.double, .queryable)
                try await admin.deploy(schema)
                while true {
                    do {
                        try await running.publicDatabase.save(Record("Items", key, [key: 1]))
                        break
                    } catch CabinetError.Code.invalidArguments {
                        // The signal is on its way; the limit of the rule ends the wait.
                        try await Task.sleep(for: .milliseconds(10))
                    }
                }
            }
            try await running.privateDatabase.save(Record("Items", "b", ["price": 1]))
            try expect("The private schema", try await running.privateDatabase.schema(), equals: schema)
            // The container itself deploys to this database too, and sees that at once.
            schema["Items"]["note"] = .init(.string)
            try await running.publicDatabase.deploy(schema)
            try await running.privateDatabase.save(Record("Items", "c", ["note": "Oats"]))
            schema["Items"]["other"] = .init(.string)
            try await expectError(.invalidArguments, naming: ["'other'"]) { [schema] in
                try await running.privateDatabase.deploy(schema)
            }
        },
        ConformanceRule(
            .schema, "concurrently started strict containers agree",
            law: "Strict containers that create one schema concurrently, during other saves, all succeed.",
            source: .storage("StorageBackend.write(_:_:)")
        ) { world in
            for round in 0..<4 {
                let account = Account(userRecordName: "_user\(round)")
                let growing = try world.container(account: account).privateDatabase
                try await withThrowingTaskGroup { group in
                    for number in 0..<6 {
                        let strict = try world.container(account: account, schema: .strict(.everything)).privateDatabase
                        group.addTask { try await strict.save(Record("Items", "strict\(number)", ["price": number])) }
                        group.addTask {
                            try await growing.save(Record("Items", "growing\(number)", ["new\(number)": "text"]))
                        }
                    }
                    try await group.waitForAll()
                }
                var schema = try await growing.schema()
                for number in 0..<6 { schema["Items"]["new\(number)"] = nil }
                try expect("The schema", schema, equals: .everything)
                try expect("The number of items", try await growing.names().count, equals: 12)
                let item = try await growing.fetch("strict1")
                try expect("The price", item.fieldValue("price"), equals: .double(1))
            }
        },
        ConformanceRule(
            .schema, "a schema declares the fields of Users records",
            law: "The type Users is always known; its fields are those of the schema.", source: .cabinet("Schema")
        ) { world in
            var schema = Schema.everything
            schema["Users"]["nickname"] = .init(.string)
            let container = try world.container(schema: .strict(schema))
            let database = container.publicDatabase
            let user = try await database.record(for: container.userRecordID())
            let saved = try await database.save(user.with(["nickname": "Anna"]))
            try expect("The nickname", saved["nickname"], equals: "Anna")
            try await expectError(.invalidArguments, naming: ["'nikname'", "'nickname'"], in: "nikname") {
                try await database.save(saved.with(["nikname": "Anna"]))
            }
            try await database.save(Record("Items", "a", ["name": "Milk"]))
            let mine = try Filter("creatorUserRecordID.nickname == 'Anna'")
            try expect("The user's items", try await database.names(where: mine), equals: ["a"])
            try expect("The schema", try await database.schema(), equals: schema)
        },
        ConformanceRule(
            .schema, "a strict container refuses references with another action",
            law:
                "A new reference has the action that the schema declares for its field. Stored references with another one stay.",
            source: .cabinet("Schema")
        ) { world in
            var schema = Schema.everything
            schema["Items"]["list"] = .init(.reference, onDelete: .deleteSelf)
            schema["Items"]["others"] = .init(.list(of: .reference), onDelete: .nullify)
            func reference(_ name: String, _ action: Reference.Action) -> Reference {
                Reference(recordID: .named(name), action: action)
            }
            let growing = try world.privateDatabase()
            let old = [reference("l", .deny), reference("m", .none)]
            for name in ["l", "m", "n"] { try await growing.save(Record("Lists", name, ["name": name])) }
            try await growing.save(Record("Items", "old", ["list": reference("l", .none), "others": old]))
            let strict = try world.container(schema: .strict(schema)).privateDatabase
            let results = try await strict.modifyRecords(
                saving: [
                    Record("Items", "right", ["list": reference("n", .deleteSelf)]),
                    Record("Items", "wrong", ["list": reference("n", .nullify)]),
                    Record("Items", "list", ["others": [reference("l", .nullify), reference("m", .deny)]]),
                ], deleting: [], atomically: false
            ).saveResults
            let wrong = try await expectFailure(
                results[.named("wrong")], .invalidArguments, naming: ["'list'", "Items", "deleteSelf", "nullify"])
            try expect("The field", wrong.fieldKey, equals: "list")
            try expect("The record", wrong.recordID, equals: .named("wrong"))
            try await expectFailure(
                results[.named("list")], .invalidArguments, naming: ["'others'", "nullify", "deny"])
            // The stored references stay, and a new one beside them has the declared action.
            let record = try await strict.fetch("old").with(["name": "Milk"])
            for action in Reference.Action.allCases where action != .nullify {
                let changed = record.with(["others": old + [reference("n", action)]])
                try await expectError(.invalidArguments, in: "others") { try await strict.save(changed) }
            }
            try await strict.save(record.with(["others": old + [reference("n", .nullify)]]))
            let saved = try await strict.fetch("old")
            try expect("The old reference", saved["list"], equals: reference("l", .none))
            try expect("The references", saved["others"], equals: old + [reference("n", .nullify)])
            try await strict.deleteRecord(withID: .named("n"))
            try expect("The items", try await strict.names(), equals: ["old"])
            try expect("The references after the deletion", try await strict.fetch("old")["others"], equals: old)
        },
    ]
}

private func expectEmpty(_ subject: String, of names: [String]) throws {
    try expect(subject, names, equals: [])
}
