import Cabinet
import Foundation

extension ConformanceRule {
    /// The additions of an applied schema, and its refusals.
    static let schemaExtensions: [ConformanceRule] = [
        ConformanceRule(
            .schema, "a schema is reported as it was applied",
            law:
                "A container reports the schema that was applied to it, and applying that schema again changes nothing.",
            source: .cabinet("Schema")
        ) { world in
            let container = try world.container()
            try expect("The schema of an empty container", try await container.schema(), equals: Schema())
            for _ in 0..<2 {
                try await container.apply(.everything)
                try expect("The schema", try await container.schema(), equals: .everything)
            }
            for database in [container.publicDatabase, container.privateDatabase] {
                try expect("The schema of \(database)", try await database.schema(), equals: .everything)
            }
            try expect("The schema of another device", try await world.container().schema(), equals: .everything)
        },
        ConformanceRule(
            .schema, "an applied schema adds types and fields",
            law: "The fields of an applied schema have their types before a record is saved; fields that existed "
                + "stay.",
            source: .cabinet("Schema")
        ) { world in
            let database = try world.privateDatabase()
            try await database.save(Record("Items", "old", ["number": 1]))
            let schema = Schema(recordTypes: [
                "Items": .init(fields: ["price": .init(.double), "tags": .init(.list(of: .string))]), "Lists": .init(),
            ])
            try await database.apply(schema)
            var expected = schema
            expected["Items"]["number"] = .init(.int64)
            try expect("The schema", try await database.schema(), equals: expected)
            try await expectError(.invalidArguments, naming: ["DOUBLE", "STRING"], in: "price") {
                try await database.save(Record("Items", "new", ["price": "text"]))
            }
            try await database.save(Record("Items", "new", ["price": 2, "tags": [String]()]))
            let saved = try await database.fetch("new")
            try expect("The price", saved.fieldValue("price"), equals: .double(2))
            try expect("The tags", saved.fieldValue("tags"), equals: .list(.string([])))
            try expect("The old record", try await database.fetch("old").fieldValue("number"), equals: .int64(1))
            try expect("The lists", try await database.names("Lists"), equals: [])
        },
        ConformanceRule(
            .schema, "an option that is left out drops the index",
            law:
                "In each record type that it contains, an applied schema sets exactly the indexes; other types keep theirs.",
            source: .cloudKit("the schema language")
        ) { world in
            let database = try world.privateDatabase()
            try await database.apply(.everything)
            let change = Schema(recordTypes: [
                "Items": .init(
                    fields: ["name": .init(.string, .sortable), "number": .init(.int64), "new": .init(.string)],
                    indexes: [["name", "number"]])
            ])
            try await database.apply(change)
            var expected = Schema.everything
            for key in expected["Items"].fields.keys { expected["Items"][key]?.options = [] }
            for key in [SystemField.modificationDate, .recordID] { expected["Items"][key.rawValue] = nil }
            expected["Items"]["name"] = .init(.string, .sortable)
            expected["Items"]["new"] = .init(.string)
            expected["Items"].indexes = [["name", "number"]]
            try expect("The schema", try await database.schema(), equals: expected)
            try await database.apply(Schema(recordTypes: ["Items": .init()]))
            for key in expected["Items"].fields.keys { expected["Items"][key]?.options = [] }
            expected["Items"].indexes = []
            try expect("The schema without indexes", try await database.schema(), equals: expected)
        },
        ConformanceRule(
            .schema, "an applied schema changes no field's type",
            law: "A schema with another type for a field is refused with both types named, and nothing is changed.",
            source: .cabinet("Schema")
        ) { world in
            let container = try world.container()
            let database = container.privateDatabase
            try await database.save(Record("Items", "a", ["name": "Milk"]))
            let before = try await container.schema()
            for type in [FieldType.int64, .list(of: .string), .bytes] {
                let schema = Schema(recordTypes: [
                    "Items": .init(fields: ["name": .init(type), "new": .init(.string, .queryable)]),
                    "Aisles": .init(fields: ["name": .init(.string, .queryable)]),
                ])
                try await expectError(
                    .invalidArguments, naming: ["'name'", "Items", "STRING", type.description], in: "name"
                ) { try await container.apply(schema) }
                try await expectError(.invalidArguments, in: "name") { try await database.apply(schema) }
            }
            try expect("The schema", try await container.schema(), equals: before)
        },
        ConformanceRule(
            .schema, "a compound index consists of existing fields",
            law:
                "A compound index may use fields of the record type, old or new, or system fields; others are refused.",
            source: .cabinet("Schema")
        ) { world in
            let database = try world.privateDatabase()
            try await database.save(Record("Items", "a", ["name": "Milk", "tags": ["cold"]]))
            for (index, word) in [(["name", "none"], "'none'"), (["tags", "name"], "LIST<STRING>")] {
                try await expectError(.invalidArguments, naming: [word]) {
                    try await database.apply(Schema(recordTypes: ["Items": .init(indexes: [index])]))
                }
            }
            try await database.apply(
                Schema(recordTypes: [
                    "Items": .init(
                        fields: ["list": .init(.reference)],
                        indexes: [["list", "name"], ["parent", "creationDate", "recordID"]])
                ]))
            let schema = try await database.schema()
            try expect(
                "The indexes", schema["Items"].indexes,
                equals: [["list", "name"], ["parent", "creationDate", "recordID"]])
            try expect("The fields", schema["Items"].fields.keys.sorted(), equals: ["list", "name", "tags"])
        },
        ConformanceRule(
            .schema, "a malformed schema is refused",
            law: "Names must be those that records can have, options must fit their fields' types, and indexes have 2 "
                + "to 8 fields.",
            source: .cabinet("Schema")
        ) { world in
            let container = try world.container()
            let cases: [(type: String, content: Schema.RecordType, words: [String])] = [
                ("_Items", .init(), ["'_'"]), ("Users", .init(fields: ["x": .init(.string, .queryable)]), ["Users"]),
                ("Items", .init(fields: ["a b": .init(.string)]), ["a b"]),
                ("Items", .init(fields: ["recordType": .init(.string)]), ["recordType"]),
                ("Items", .init(fields: ["creationDate": .init(.string)]), ["creationDate", "TIMESTAMP", "STRING"]),
                ("Items", .init(fields: ["x": .init(.asset, .queryable)]), ["QUERYABLE", "ASSET"]),
                ("Items", .init(fields: ["x": .init(.list(of: .asset), .queryable)]), ["QUERYABLE", "LIST<ASSET>"]),
                ("Items", .init(fields: ["x": .init(.list(of: .int64), .sortable)]), ["SORTABLE", "LIST<INT64>"]),
                ("Items", .init(fields: ["x": .init(.location, .sortable)]), ["SORTABLE", "LOCATION"]),
                ("Items", .init(fields: ["x": .init(.int64, .searchable)]), ["SEARCHABLE", "INT64"]),
                ("Items", .init(fields: ["x": .init(.list(of: .string), .searchable)]), ["SEARCHABLE"]),
                ("Items", .init(indexes: [[]]), ["0 fields"]), ("Items", .init(indexes: [["parent"]]), ["1 field;"]),
                ("Items", .init(indexes: [["parent", "parent"]]), ["twice"]),
                ("Items", .init(indexes: [(1...9).map { "f\($0)" }]), ["9 fields"]),
            ]
            for (type, content, words) in cases {
                try await expectError(.invalidArguments, naming: words) {
                    try await container.apply(Schema(recordTypes: [type: content, "A": .init()]))
                }
            }
            try expect("The schema", try await container.schema(), equals: Schema())
        },
        ConformanceRule(
            .schema, "each database has a schema of its own",
            law:
                "A container's schema is the union of its databases' schemas; a database's schema is applied to it alone.",
            source: .cabinet("Schema")
        ) { world in
            let container = try world.container()
            let indexed = Schema(recordTypes: ["Items": .init(fields: ["x": .init(.string, .queryable)])])
            try await container.publicDatabase.apply(indexed)
            try await container.publicDatabase.save(Record("Items", "a", ["y": 1]))
            try await container.privateDatabase.save(Record("Items", "a", ["y": "text", "z": 1]))
            try expect(
                "The private fields", try await container.privateDatabase.schema()["Items"].fields.count, equals: 2)
            let schema = try await container.schema()
            try expect(
                "The fields", schema["Items"].fields,
                equals: ["x": .init(.string, .queryable), "y": .init(.string), "z": .init(.int64)])
            let anonymous = try world.container(account: nil)
            try expect(
                "The schema without an account", try await anonymous.schema(),
                equals: try await container.publicDatabase.schema())
            try expect("The shared schema", try await container.sharedDatabase.schema(), equals: Schema())
        },
        ConformanceRule(
            .schema, "a schema is applied on behalf of an account",
            law: "Without an account a schema cannot be applied, and it can never be applied to the shared database.",
            source: .cabinet("Schema")
        ) { world in
            let anonymous = try world.container(account: nil)
            try await expectError(.notAuthenticated) { try await anonymous.apply(Schema()) }
            try await expectError(.notAuthenticated) { try await anonymous.publicDatabase.apply(Schema()) }
            try await expectError(.notAuthenticated) { try await anonymous.privateDatabase.schema() }
            try await expectError(.invalidArguments) { try await world.container().sharedDatabase.apply(Schema()) }
        },
        ConformanceRule(
            .schema, "concurrently applied schemas are not mixed",
            law: "Of concurrently applied schemas, the last one takes effect whole; saves succeed during the calls.",
            source: .storage("StorageBackend.write(_:_:)")
        ) { world in
            func schema(_ options: Schema.Field.Options) -> Schema {
                let type = Schema.RecordType(fields: ["name": .init(.string, options), "note": .init(.string, options)])
                return Schema(recordTypes: ["Items": type, "Lists": type])
            }
            let schemas = [schema(.queryable), schema([.sortable, .searchable])]
            for round in 0..<4 {
                try await withThrowingTaskGroup { group in
                    for number in 0..<8 {
                        let database = try world.privateDatabase()
                        group.addTask { try await database.apply(schemas[number % 2]) }
                        group.addTask {
                            let name = "\(round)-\(number)"
                            try await database.save(Record("Items", name, ["name": name, "new\(number)": number]))
                        }
                    }
                    try await group.waitForAll()
                }
                var found = try await world.privateDatabase().schema()
                for number in 0..<8 { found["Items"]["new\(number)"] = nil }
                try expect(schemas.contains(found), "The schema is neither of the two: \(found)")
            }
            try expect("The number of records", try await world.privateDatabase().names().count, equals: 32)
        },
    ]
}

extension Schema {
    /// A schema with every kind of field and index.
    static var everything: Schema {
        let items = RecordType(
            fields: [
                "name": .init(.string, [.queryable, .sortable, .searchable]), "note": .init(.string, .searchable),
                "number": .init(.int64, .queryable), "price": .init(.double, .sortable),
                "due": .init(.timestamp, [.queryable, .sortable]), "data": .init(.bytes, [.queryable, .sortable]),
                "list": .init(.reference, [.queryable, .sortable]), "place": .init(.location, .queryable),
                "photo": .init(.asset), "tags": .init(.list(of: .string), .queryable),
                "modificationDate": .init(.timestamp, [.queryable, .sortable]),
                "recordID": .init(.reference, .queryable),
            ],
            indexes: [["list", "name"], ["list", "number", "name"], ["parent", "creationDate"]])
        return Schema(recordTypes: ["Items": items, "Lists": .init(fields: ["name": .init(.string, .sortable)])])
    }
}
