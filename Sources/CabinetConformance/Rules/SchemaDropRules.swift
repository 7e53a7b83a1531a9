import Cabinet
import Foundation

extension ConformanceRule {
    /// Drops of record types and fields, and changes of a field's type.
    static let schemaDrops: [ConformanceRule] = [
        ConformanceRule(
            .storage, "an empty field or record type is removed",
            law:
                "After the removal the schema lacks the field or type and its indexes; the name begins empty again.",
            source: .storage("StorageMutation.remove(_:)")
        ) { world in
            let fields = [
                StoredField(name: "x", type: .int64), StoredField(name: "r", type: .reference),
                StoredField(name: "s", type: .string), StoredField(name: "place", type: .location),
                StoredField(name: "lr", type: .list(of: .reference)),
            ]
            try await world.backend.write(.public) { transaction in
                for type in ["Samples", "Others"] {
                    try await transaction.add(fields, to: type)
                    try await transaction.setIndexes(
                        [
                            .sortable("x"), .searchable("s"), .queryable("place"), .compound(["x", "s"]),
                            .sortable("s"),
                        ], of: type)
                }
                try await transaction.insert([.sample("a", .int64(1)), .sample("b", .int64(2), type: "Others")])
                try await transaction.insert([.sample("gone", .int64(2), type: "Others")])
                try await transaction.remove([.named("gone")])
            }
            for key in ["r", "s", "place", "lr"] {
                var expected = try await world.backend.read(.public) { try await $0.whole([]) }
                expected.schema.remove(SchemaPart("Samples", key))
                try await world.backend.write(.public) { try await $0.apply([.remove(SchemaPart("Samples", key))]) }
                let found = try await world.backend.read(.public) { try await $0.whole([]) }
                try expect("The content without \(key)", found, equals: expected)
            }
            try await world.backend.write(.public) { transaction in
                let record = try require(
                    try await transaction.records(for: [.named("b")], keys: nil)[0], "The record b")
                try await transaction.apply([
                    .deletion(of: record), .forgetDeletions(in: .default, through: .max), .remove(SchemaPart("Others")),
                ])
            }
            let found = try await world.backend.read(.public) { try await $0.whole([]) }
            try expect("The types", Set(found.schema.recordTypes.keys), equals: ["Samples"])
            let names = Set(found.changes.values.joined().map(\.recordID.recordName))
            try expect("The changes", names, equals: ["a"])
            try await world.backend.write(.public) { transaction in
                try await transaction.add([StoredField(name: "s", type: .int64)], to: "Samples")
                try await transaction.add([StoredField(name: "x", type: .string)], to: "Others")
                try await transaction.setIndexes([.sortable("s")], of: "Samples")
                try await transaction.insert([
                    .sample("c", .int64(7), field: "s"), .sample("b", .string("text"), type: "Others"),
                ])
            }
            let records = try await world.backend.read(.public) {
                try await $0.records(for: [.named("a"), .named("b"), .named("c")], keys: nil)
            }
            try expect("The new values", records[1]?.x, equals: .string("text"))
            try expect("The new field", records[2]?.fields["s"], equals: .int64(7))
            try expect("The old record", records[0]?.fields["s"], equals: nil)
        },
        ConformanceRule(
            .schema, "a dropped field loses its values, and their number is reported",
            law: "In a growing container a drop removes the values, indexes and unique keys of a field; tags stay.",
            source: .cabinet("Schemas")
        ) { world in
            let container = try world.container()
            let database = container.privateDatabase
            try await database.apply(.slip)
            let saved = try await database.saveAll([
                Record("Items", "a", ["name": "A", "nmae": "a"]), Record("Items", "b", ["nmae": "b"]),
                Record("Items", "c", ["name": "C"]),
            ])
            let part = SchemaPart("Items", "nmae")
            try expect("The losses", try await container.lossesOfDrop(part), equals: 2)
            try await expectError(.invalidArguments, naming: ["2 records", "at most 1"]) {
                try await database.drop(part, losingAtMost: 1)
            }
            // In production nothing is lost.
            var schema = Schema()
            schema["Items"]["name"] = .init(.string)
            let strict = try world.container(schema: .strict(schema))
            try await expectError(.invalidArguments, naming: ["'nmae'", "2 records", "strict"], in: "nmae") {
                try await strict.drop(part)
            }
            let declaring = try world.container(schema: .strict(.slip))
            try await expectError(.invalidArguments, naming: ["declares"]) { try await declaring.drop(part) }
            try expect("The lost values", try await container.drop(part, losingAtMost: .max), equals: 2)
            try expect("A second time", try await container.drop(part, losingAtMost: .max), equals: 0)
            let found = try await database.fetch("a")
            try expect("The value", found.fieldValue("nmae"), equals: nil)
            try expect("The other value", found["name"], equals: "A")
            try expect("The tag", found.recordChangeTag, equals: saved[0].recordChangeTag)
            try expect("The schema", try await database.schema(), equals: schema)
            try await database.save(Record("Items", "d", ["nmae": 3]))
            try expect("The new field", try await database.schema()["Items"]["nmae"]?.type, equals: .int64)
            try expect("An empty field", try await strict.drop(SchemaPart("Items", "none")), equals: 0)
        },
        ConformanceRule(
            .schema, "a field of any type can be dropped",
            law:
                "No value survives a drop, not even an empty list: a field that is added later under the name begins empty.",
            source: .cabinet("Schemas"), abilities: [.assets]
        ) { world in
            let container = try world.container()
            let database = container.privateDatabase
            let asset = Asset(data: Data("asset".utf8))
            let values: [any RecordValue] = [
                "text", 3, 2.5, Date(timeIntervalSinceReferenceDate: 1), Data([1]), Location(latitude: 1, longitude: 2),
                Reference("a", .nullify), asset, ["a"], [String](), [1], [Reference("a", .deny)], [asset],
            ]
            let part = SchemaPart("Notes", "x")
            try await database.save(Record("Items", "a"))
            for value in values {
                let kind = value.fieldValue.map { "\($0.fieldType)" } ?? "nil"
                try await database.saveAll([Record("Notes", "old", ["x": value, "y": 1]), Record("Notes", "other")])
                try expect("The lost values of \(kind)", try await container.drop(part, losingAtMost: .max), equals: 1)
                try await database.save(Record("Notes", "new", ["x": value]))
                try expect("The value of \(kind)", try await database.fetch("old").fieldValue("x"), equals: nil)
                try expect(try await database.fetch("new").fieldValue("x") != nil, "There is no new value of \(kind).")
                try await container.drop(part, losingAtMost: .max)
                try await database.deleteAll(["old", "new", "other"])
            }
            for (type, _) in FieldType.encryptedTypes {
                let record = Record("Notes", "old", ["y": 1]).encrypting(["x": type])
                try await database.saveAll([record, Record("Notes", "other")])
                try expect("The lost values of \(type)", try await container.drop(part, losingAtMost: .max), equals: 1)
                try expect("The value of \(type)", try await database.fetch("old").fields["x"], equals: nil)
                try await database.deleteAll(["old", "other"])
            }
            try await database.deleteRecord(withID: .named("a"))
            try expect("The assets", try await world.storedAssets().count, equals: 0)
        },
        ConformanceRule(
            .schema, "a dropped record type loses its records",
            law: "A drop removes the records of a type, unless others refer to them with a delete rule; tokens expire.",
            source: .cabinet("Schemas")
        ) { world in
            let container = try world.container()
            let database = container.privateDatabase
            try await database.saveAll([
                Record("Itmes", "a"), Record("Itmes", "b", ["a": Reference("a", .deny)]), Record("Items", "c"),
            ])
            try await database.save(Record("Items", "d", ["a": Reference("b", .deleteSelf)]))
            let part = SchemaPart("Itmes")
            try await expectError(.referenceViolation, about: .named("b")) {
                try await container.drop(part, losingAtMost: .max)
            }
            try expect("The records", try await database.names("Itmes"), equals: ["a", "b"])
            try await database.deleteAll(["d"])
            var live = try ObservationProbe(database, Query(recordType: "Itmes", sortedBy: [Sort("recordID")]))
            try await live.expectNext(["a", "b"])
            // A client that knows every change does not know of the drop.
            let token = try await database.recordZoneChanges(inZoneWith: .default, since: nil).changeToken
            let databaseToken = try await database.databaseChanges(since: nil).changeToken
            try expect("The lost records", try await container.drop(part, losingAtMost: .max), equals: 2)
            try await live.expectFinally([])
            try expect("The types", try await database.schema().recordTypes["Itmes"], equals: nil)
            try expect("The rest", try await database.existing(["a", "b", "c"]), equals: ["c"])
            try await expectError(.changeTokenExpired) {
                try await database.recordZoneChanges(inZoneWith: .default, since: token)
            }
            let changed = try await database.databaseChanges(since: databaseToken).modifications.map(\.zoneID)
            try expect("The changed zones", changed, equals: [.default])
            let feed = try await database.recordZoneChanges(inZoneWith: .default, since: nil)
            try expect("The records of the feed", Set(feed.modificationResultsByID.keys), equals: [.named("c")])
            try expect("The deletions of the feed", feed.deletions.count, equals: 0)
            try await database.save(Record("Itmes", "a", ["a": "text"]))
            try await expectError(.invalidArguments) { try await container.drop(SchemaPart("Users")) }
        },
        ConformanceRule(
            .schema, "a drop or a rename is not overlooked if the name exists again",
            law:
                "After a drop or renames, a live query has no earlier values of a field, and a transaction that has queried runs again.",
            source: .cabinet("Schemas")
        ) { world in
            let container = try world.container()
            let database = container.privateDatabase
            try await database.save(Record("Items", "a", ["x": 1, "y": 2]))
            let token = try await database.recordZoneChanges(inZoneWith: .default, since: nil).changeToken
            var live = try ObservationProbe(database, Query(recordType: "Items", sortedBy: [Sort("recordID")]))
            try await live.expectNext(["a"])
            for (old, new) in [("x", "z"), ("y", "x"), ("z", "y")] {
                try await container.renameField(old, to: new, of: "Items")
            }
            try await database.save(Record("Items", "b", ["x": 5]))
            try await live.expectFinally(["a", "b"])
            try expect("The exchanged value", live.last.first?["x"], equals: 2)
            let part = SchemaPart("Items", "x")
            try await container.drop(part, losingAtMost: .max)
            try await database.save(Record("Items", "c", ["x": 7]))
            try await live.expectFinally(["a", "b", "c"])
            try expect("The dropped value", live.last.first?.fieldValue("x"), equals: nil)
            let query = Query(recordType: "Items", filter: try Filter("x == 7"))
            var attempts = 0
            try await database.transaction { t in
                attempts += 1
                let count = try await t.allRecords(matching: query).count
                if attempts == 1 { try await container.drop(part, losingAtMost: .max) }
                try t.save(Record("Sums", "sum", ["count": count]))
            }
            try expect("The attempts", attempts, equals: 2)
            try expect("The count", try await database.fetch("sum")["count"], equals: 0)
            // The token of before has lost nothing.
            let changes = try await database.recordZoneChanges(inZoneWith: .default, since: token)
            let names = Set(changes.modificationResultsByID.keys.map(\.recordName))
            try expect("The changes", names, equals: ["b", "c", "sum"])
        },
        ConformanceRule(
            .schema, "whole numbers become doubles",
            law:
                "A field of INT64 can become DOUBLE if a double equals each value; records keep their tags, and indexes stay.",
            source: .cabinet("Schemas")
        ) { world in
            let container = try world.container()
            let database = container.privateDatabase
            var schema = Schema()
            schema["Items"]["n"] = .init(.int64, [.queryable, .sortable])
            schema["Items"]["list"] = .init(.list(of: .int64))
            schema["Items"].uniqueKeys = [["n"]]
            try await database.apply(schema)
            let saved = try await database.saveAll([
                Record("Items", "a", ["n": 3, "list": [1, 2]]), Record("Items", "b", ["n": -1]), Record("Items", "c"),
            ])
            try await expectError(.invalidArguments, naming: ["INT64", "STRING"]) {
                try await container.changeField("n", of: "Items", to: .string)
            }
            try await database.save(Record("Items", "d", ["n": Int64.max]))
            try await expectError(.invalidArguments, naming: ["\(Int64.max)"], about: .named("d")) {
                try await container.changeField("n", of: "Items", to: .double)
            }
            try expect("The schema", try await database.schema(), equals: schema)
            try await database.deleteAll(["d"])
            let sorted = Query(recordType: "Items", sortedBy: [Sort("n")])
            let cursor = try require(
                try await database.records(matching: sorted, resultsLimit: 2).queryCursor, "The cursor")
            for _ in 0..<2 {
                try expect(try await container.changeField("n", of: "Items", to: .double), "There is no field.")
                try expect(
                    try await container.changeField("list", of: "Items", to: .list(of: .double)), "There is no list.")
            }
            schema["Items"]["n"]?.type = .double
            schema["Items"]["list"]?.type = .list(of: .double)
            try expect("The new schema", try await database.schema(), equals: schema)
            let found = try await database.fetch("a")
            try expect("The value", found.fieldValue("n"), equals: .double(3))
            try expect("The list", found.fieldValue("list"), equals: .list(.double([1, 2])))
            try expect("The tag", found.recordChangeTag, equals: saved[0].recordChangeTag)
            let rest = try await database.records(continuingMatchFrom: cursor).matchResults.map(\.0.recordName)
            try expect("The next page", rest, equals: ["a"])
            try await expectError(.constraintViolation) { try await database.save(Record("Items", "e", ["n": 3])) }
            try await database.save(found.with(["n": 2.5]))
            try await database.save(saved[2].with(["n": 7]))
            try expect("The order", try await database.names(by: [Sort("n")]), equals: ["b", "a", "c"])
            // The schema of production decides, too.
            let strict = try world.container(schema: .strict(schema))
            try await expectError(.invalidArguments, naming: ["DOUBLE", "INT64"]) {
                try await strict.changeField("n", of: "Items", to: .int64)
            }
            try expect(
                try await strict.changeField("n", of: "Items", to: .double), "A strict container finds no field.")
        },
    ]
}

extension Schema {
    fileprivate static let slip = Schema(recordTypes: [
        "Items": RecordType(
            fields: ["name": .init(.string), "nmae": .init(.string, [.sortable, .searchable])],
            indexes: [["nmae", "name"]], uniqueKeys: [["nmae"]])
    ])
}
