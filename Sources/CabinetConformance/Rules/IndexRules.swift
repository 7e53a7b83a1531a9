import Cabinet
import CabinetTesting
import Foundation

extension ConformanceRule {
    /// Indexes, which change nothing but the time that a query takes.
    static let indexes: [ConformanceRule] = [
        ConformanceRule(
            .schema, "an index changes no answer",
            law:
                "A query finds the same records in the same order, page by page, with and without every kind of index.",
            source: .storage("StorageMutation.setIndexes(_:of:)")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveAll([Record("Lists", "l0"), Record("Lists", "l1")])
            try await database.saveAll((0..<40).map(Record.indexSample))
            let answers = try await database.indexAnswers()
            for (number, schema) in Schema.indexVariants.enumerated() {
                try await database.apply(schema)
                try expect("With indexes (variant \(number))", try await database.indexAnswers(), equal: answers)
            }
        },
        ConformanceRule(
            .schema, "an index follows the records",
            law: "Records that are saved, changed and deleted after an index was created are found as without it.",
            source: .storage("StorageMutation.setIndexes(_:of:)")
        ) { world in
            let plain = try world.privateDatabase()
            let indexed = try world.container(account: Account(userRecordName: "_ben")).privateDatabase
            try await indexed.apply(.everything)
            for database in [plain, indexed] {
                try await database.saveAll([Record("Lists", "l0"), Record("Lists", "l1")])
                let saved = try await database.saveAll((0..<40).map(Record.indexSample))
                world.clock.advance()
                let changed = saved.enumerated().filter { $0.offset % 3 == 0 }.map { offset, record in
                    var other = Record.indexSample(offset + 7)
                    for key in record.allKeys() where other[key] == nil { other[key] = nil }
                    var record = record
                    for key in ["name", "note", "number", "place", "list"] { record[key] = other[key] }
                    return record
                }
                try await database.saveAll(changed)
                try await database.deleteAll((0..<8).map { "r\($0 * 5)" })
            }
            let answers = try await plain.indexAnswers()
            try expect("With indexes", try await indexed.indexAnswers(), equal: answers)
            // A record that a cascade deletes is not found either.
            for database in [plain, indexed] { try await database.deleteAll(["l1"]) }
            let fewer = try await plain.indexAnswers()
            try expect("With indexes, after a cascade", try await indexed.indexAnswers(), equal: fewer)
            try expect(fewer != answers, "The cascade changed nothing.")
        },
        ConformanceRule(
            .schema, "words are searched in the searchable fields",
            law:
                "A search for words uses the searchable fields of a record type. A type without such a field is searched in all "
                + "its text fields.",
            source: .cloudKit("CKQuery")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveAll([
                Record("Items", "a", ["name": "fresh Milk", "note": "cold"]),
                Record("Items", "b", ["name": "bread", "note": "with MILK", "tags": ["milk"]]),
                Record("Items", "c", ["name": "milky"]),
            ])
            let schema = try await database.schema()
            for (fields, expected) in [
                ([], ["a", "b"]), (["name"], ["a"]), (["note"], ["b"]), (["name", "note"], ["a", "b"]),
                ([], ["a", "b"]),
            ] {
                var changed = schema
                for key in fields { changed["Items"][key]?.options = .searchable }
                try await database.apply(changed)
                let found = try await database.names(where: .words("mílk"))
                try expect("The records with \(fields) searchable", found, equals: expected)
                let other = try await database.names(where: .words("milk", in: "note"))
                try expect("The records with the word in a field", other, equals: ["b"])
            }
        },
        ConformanceRule(
            .storage, "indexes are exactly those that were set",
            law:
                "After setIndexes, schema() returns exactly these indexes of the type, and new fields change none of them.",
            source: .storage("StorageMutation.setIndexes(_:of:)")
        ) { world in
            let backend = world.backend
            let fields = [StoredField(name: "x", type: .string), StoredField(name: "y", type: .int64)]
            let sets: [Set<StoredIndex>] = [
                [.queryable("x")], [.sortable("x"), .queryable("x")], [.sortable("x")],
                [.searchable("x"), .compound(["x", "y"]), .queryable("creationDate")], [.compound(["y", "x"])], [],
                [.searchable("x")],
            ]
            try await backend.write(.public) { try await $0.add(fields, to: "Samples") }
            for (number, indexes) in sets.enumerated() {
                let inside = try await backend.write(.public) { transaction in
                    try await transaction.setIndexes(indexes, of: "Samples")
                    try await transaction.add([StoredField(name: "new\(number)", type: .string)], to: "Samples")
                    return try await transaction.schema().indexes
                }
                let expected = indexes.isEmpty ? [:] : ["Samples": indexes]
                try expect("The indexes in the transaction", inside, equals: expected)
                let after = try await backend.read(.public) { try await $0.schema().indexes }
                try expect("The indexes afterwards", after, equals: expected)
            }
            struct Failure: Error {}
            try? await backend.write(.public) { transaction in
                try await transaction.setIndexes([.queryable("y")], of: "Samples")
                throw Failure()
            }
            let after = try await backend.read(.public) { try await $0.schema().indexes }
            try expect("The indexes after a failure", after, equals: ["Samples": [.searchable("x")]])
        },
        ConformanceRule(
            .durability, "indexes survive a restart",
            law: "After the store was reopened, schema and query results are the same as before.",
            source: .storage("StorageMutation.setIndexes(_:of:)"), needsReopening: true
        ) { world in
            let database = try world.privateDatabase()
            try await database.apply(.everything)
            try await database.saveAll([Record("Lists", "l0"), Record("Lists", "l1")])
            try await database.saveAll((0..<20).map(Record.indexSample))
            let answers = try await database.indexAnswers()
            let schema = try await database.schema()
            try await world.reopened { world in
                let database = try world.privateDatabase()
                try expect("The schema", try await database.schema(), equals: schema)
                try expect("After reopening", try await database.indexAnswers(), equal: answers)
                try await database.saveAll((20..<40).map(Record.indexSample))
                let indexed = try await database.indexAnswers()
                try await database.apply(Schema(recordTypes: ["Items": .init()]))
                try expect("With the reopened indexes", indexed, equal: try await database.indexAnswers())
            }
        },
    ]
}

extension Record {
    /// A record of the type `Items` whose values follow from its number: repeated ones, extreme ones and none.
    static func indexSample(_ number: Int) -> Record {
        let words = ["Milk", "milk", "Émile", "", "bread and milk", "Σοφός 東京", "zz", "\u{10FFFF}"]
        var record = Record("Items", "r\(number)")
        if number % 7 != 3 { record["name"] = words[number % words.count] }
        if number % 5 != 2 { record["note"] = words[number * 3 % words.count] }
        if number % 4 != 1 { record["number"] = number % 6 - 2 }
        if number % 6 != 4 { record["price"] = Double(number % 9) / 4 - 1 }
        if number % 3 != 2 { record["due"] = Date(timeIntervalSinceReferenceDate: Double(number % 11) + 0.5) }
        if number % 5 == 1 { record["data"] = Data([UInt8(number), 255]) }
        if number % 3 != 0 { record["list"] = Reference("l\(number % 2)", .deleteSelf) }
        if number % 2 == 0 {
            record["place"] = Location(
                latitude: Double(number * 37 % 181 - 90), longitude: Double(number * 53 % 361 - 180))
        }
        if number % 4 == 0 { record["tags"] = ["a", "b\(number % 3)"] }
        return record
    }
}

extension Filter {
    /// A search for words in one field, or in all searched fields.
    fileprivate static func words(_ words: String, in key: Record.FieldKey? = nil) -> Filter {
        .comparison(
            Comparison(key.map { .field($0) } ?? .searchableText, .tokenMatches, .constant(.string(words))))
    }

    /// A search around a location.
    fileprivate static func nearby(_ place: Location, _ metres: Double) -> Filter {
        .comparison(
            Comparison(.distance(.field("place"), .constant(.location(place))), .lessThan, .constant(.double(metres))))
    }
}

extension Schema {
    /// Schemas for the sample records, each with other indexes.
    fileprivate static var indexVariants: [Schema] {
        var variants: [Schema] = [.everything]
        for indexes in [
            [["list", "name"]], [["name", "number"], ["list", "price", "name"]], [["creationDate", "name"]],
        ] {
            variants.append(Schema(recordTypes: ["Items": .init(indexes: Set(indexes))]))
        }
        for options in [Field.Options.queryable, .sortable, .searchable, []] {
            var schema = Schema()
            for (key, field) in everything["Items"].fields where field.options.contains(options) {
                schema["Items"][key] = Field(field.type, options)
            }
            variants.append(schema)
        }
        return variants
    }
}

extension Database {
    /// The results of queries that indexes could serve, page by page.
    fileprivate func indexAnswers() async throws -> [QueryAnswer] {
        let filters: [Filter] = [
            .constant(true), .compare("list", .equal, Reference("l1")),
            .and([.compare("list", .equal, Reference("l0")), .compare("name", .greaterThan, "a")]),
            .compare("name", .equal, "milk"), .compare("name", .beginsWith, "M"), .compare("name", .notEqual, "milk"),
            .compare("number", .equal, 1), .compare("number", .lessThan, 1), .compare("number", .equal, nil),
            .or([.compare("number", .equal, 3), .compare("name", .equal, "zz")]),
            .and([.compare("price", .greaterThanOrEqual, 0), .compare("price", .lessThan, 0.75)]),
            .compare("price", .in, list: [0, 0.5, 1]), .not(.compare("due", .greaterThan, Date.distantPast)),
            .compare("data", .greaterThan, Data([16])),
            .compare("recordID", .in, list: [Reference("r1"), Reference("r9")]),
            .words("milk, BREAD"), .words("bread", in: "name"), .not(.words("emile", in: "note")), .words("-"),
            .nearby(Location(latitude: 10, longitude: 20), 3_000_000),
            .nearby(Location(latitude: -15, longitude: 179), 4_000_000),
            .nearby(Location(latitude: 88, longitude: 0), 2_000_000),
            .and([.nearby(Location(latitude: 0, longitude: 0), 9_000_000), .words("milk", in: "name")]),
        ]
        let orders: [[Sort]] = [
            [], [Sort("name")], [Sort("name", ascending: false)], [Sort("number", ascending: false), Sort("name")],
            [Sort("list"), Sort("price", ascending: false)], [Sort("modificationDate", ascending: false)],
        ]
        var answers: [QueryAnswer] = []
        for filter in filters {
            for order in orders {
                let query = Query(recordType: "Items", filter: filter, sortedBy: order)
                var page = try await records(matching: query, resultsLimit: 6)
                var names = page.matchResults.map(\.0.recordName)
                while let cursor = page.queryCursor {
                    page = try await records(continuingMatchFrom: cursor, resultsLimit: 6)
                    names += page.matchResults.map(\.0.recordName)
                }
                answers.append(QueryAnswer(query, inPagesOf: 6, names))
            }
            let query = Query(recordType: "Items", filter: filter)
            answers.append(QueryAnswer(countOf: query, try await count(matching: query)))
        }
        return answers
    }
}
