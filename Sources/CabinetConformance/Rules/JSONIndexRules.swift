import Cabinet
import Foundation

extension ConformanceRule {
    /// Indexes of values in the JSON of a text.
    static let jsonIndexes: [ConformanceRule] = [
        ConformanceRule(
            .schema, "an index of JSON changes no answer",
            law: "Filters, orders, pages, groups and aggregates of JSON are the same with and without indexes of it.",
            source: .cabinet("IndexedPath")
        ) { world in
            let database = try await world.documents()
            let before = try await database.answers()
            let states: [Set<[Record.FieldKey]>] = [Schema.indexesOfJSON, [["data.@string.city"]], []]
            for indexes in states {
                try await database.setIndexes(indexes)
                try expect("The answers with \(indexes)", try await database.answers(), equals: before)
                try expect("The indexes", try await database.schema()["Samples"].indexes, equals: indexes)
            }
        },
        ConformanceRule(
            .schema, "an index of JSON follows the records",
            law: "A record that any save, transaction or deletion has changed is found by its present values in JSON.",
            source: .cabinet("IndexedPath")
        ) { world in
            let database = try await world.documents()
            let other = try world.container().privateDatabase
            let a = try await database.fetch("a")
            try await database.setIndexes(Schema.indexesOfJSON)
            // Clients that fetched before the index send changed keys, all keys, and text that is not JSON.
            try await other.save(a.with(["name": "Roma"]))
            try await database.expectFound(formats: [("data.@string.city == 'Rome'", ["a", "f"])])
            _ = try await database.modifyRecords(
                saving: [a.with(["data": #"{"city":"Bari","floor":1}"#])], deleting: [], savePolicy: .changedKeys)
            try await database.update(.named("b")) { $0["data"] = #"{"city":"Bari"}"# }
            try await database.update(.named("f")) { $0["data"] = nil }
            try await database.update(.named("d")) { $0["data"] = "{" }
            try await database.expectFound(formats: [
                ("data.@string.city == 'Bari'", ["a", "b"]), ("data.@string.city == 'Rome'", []),
                ("data.@string.city != NIL", ["a", "b"]), ("data.@int64.floor == 1", ["a"]),
                ("data.@int64.floor != NIL", ["a"]),
            ])
            let new = Record("Samples", "h", ["data": #"{"city":"Bari"}"#])
            _ = try await database.modifyRecords(saving: [a, new], deleting: [.named("b")], savePolicy: .allKeys)
            try await database.transaction { t in
                var g = try await t.record(for: .named("g"))
                g["data"] = #"{"city":"Bari"}"#
                try t.save(g)
                let found = try await t.allRecords(
                    matching: Query(recordType: "Samples", filter: try Filter("data.@string.city == 'Bari'")))
                try expect("The transaction's own", found.map(\.recordID.recordName).sorted(), equals: ["g", "h"])
            }
            try await database.expectFound(formats: [
                ("data.@string.city == 'Bari'", ["g", "h"]), ("data.@string.city == 'Rome'", ["a"]),
                ("data.@double.floor == 3", ["a"]), ("data.@timestamp.since != NIL", ["a"]),
            ])
            let part = try await database.records(for: [.named("h")], desiredKeys: ["name"])[.named("h")]
            try await database.save(try require(part, "The record h").get().with(["name": "h"]))
            try await database.expectFound(formats: [("data.@string.city == 'Bari'", ["g", "h"])])
        },
        ConformanceRule(
            .schema, "an index of JSON adds nothing that clients see",
            law:
                "Records, changes, tags, schemas and searches for words are the same with an index of JSON as without.",
            source: .cabinet("IndexedPath")
        ) { world in
            let database = try await world.documents()
            let before = try await database.records(for: ["a", "b", "c"].map { .named($0) })
            let token = try await database.recordZoneChanges(inZoneWith: .default, since: nil).changeToken
            let fields = try await database.schema()["Samples"].fields
            try await database.setIndexes(Schema.indexesOfJSON)
            try expect("The fields", try await database.schema()["Samples"].fields, equals: fields)
            let changes = try await database.recordZoneChanges(inZoneWith: .default, since: token)
            try expect("The changes", changes.modificationResultsByID.count, equals: 0)
            try await database.save(try await database.fetch("c").with(["data": #"{"city":"Bari"}"#]))
            let all = try await database.recordZoneChanges(inZoneWith: .default, since: nil).modificationResultsByID
            let found = try await database.allRecords(
                matching: Query(recordType: "Samples", filter: .constant(true), sortedBy: [Sort("data.@string.city")]))
            for record in try found + all.values.map({ try $0.get().record }) {
                let keys = Set(record.allKeys())
                try expect(keys.isSubset(of: fields.keys), "\(record.recordID) has the keys \(keys.sorted()).")
                guard let old = try before[record.recordID]?.get(), record.recordID != .named("c") else { continue }
                try expect("The tag", record.recordChangeTag, equals: old.recordChangeTag)
                try expect("The keys", keys, equals: Set(old.allKeys()))
            }
            // The words of the JSON, not once more those of a value in it.
            try await database.expectFound([(.text("rome"), ["a", "d"]), (.search("bari"), ["c"])])
            try await expectError(.serverRecordChanged) { try await database.save(Record("Samples", "a")) }
            for strict in [SchemaMode.growing, .strict(try await database.schema())] {
                let database = try world.container(schema: strict).privateDatabase
                try await expectError(.invalidArguments, naming: ["'dat'"]) {
                    try await database.validate(Query(recordType: "Samples", filter: .field("dat") == "x"))
                }
            }
        },
        ConformanceRule(
            .schema, "an index of JSON follows a rename, and ends with its field",
            law:
                "A renamed field or type keeps the indexes of its JSON, and a drop removes them: the name begins empty.",
            source: .cabinet("IndexedPath")
        ) { world in
            let database = try await world.documents()
            try await database.setIndexes(Schema.indexesOfJSON)
            try await database.rename(SchemaPart("Samples", "data"), to: "text_1")
            let renamed = Set(
                Schema.indexesOfJSON.map { $0.map { $0.replacingOccurrences(of: "data.", with: "text_1.") } })
            try expect("The indexes", try await database.schema()["Samples"].indexes, equals: renamed)
            try await database.save(Record("Samples", "h", ["text_1": #"{"city":"Rome"}"#]))
            try await database.expectFound(formats: [("text_1.@string.city == 'Rome'", ["a", "f", "h"])])
            try await expectError(.invalidArguments, naming: ["'text_1'"]) {
                try await database.names("Samples", where: Filter("data.@string.city == 'Rome'"))
            }
            try await expectError(.invalidArguments, naming: ["too long"]) {
                try await database.rename(SchemaPart("Samples", "text_1"), to: String(repeating: "x", count: 250))
            }
            try await database.rename(SchemaPart("Samples"), to: "Things")
            let things = Query(recordType: "Things", filter: try Filter("text_1.@string.city == 'Rome'"))
            try expect("The records", try await database.count(matching: things), equals: 3)
            try await database.rename(SchemaPart("Things"), to: "Samples")
            try expect(
                "The losses", try await database.drop(SchemaPart("Samples", "text_1"), losingAtMost: .max), equals: 7)
            try expect("No index", try await database.schema()["Samples"].indexes, equals: [])
            try await database.save(Record("Samples", "i", ["text_1": #"{"city":"Rome"}"#]))
            try await database.expectFound(formats: [("text_1.@string.city == 'Rome'", ["i"])])
        },
        ConformanceRule(
            .schema, "a strict container creates its indexes of JSON",
            law: "The first request fills declared indexes; containers that know of none keep them up to date.",
            source: .cabinet("SchemaMode")
        ) { world in
            let database = try await world.documents()
            var schema = try await database.schema()
            let older = try world.container(schema: .strict(schema)).privateDatabase
            try await older.expectFound(formats: [("data.@string.city == 'Rome'", ["a", "f"])])
            schema["Samples"].indexes = Schema.indexesOfJSON
            let strict = try world.container(schema: .strict(schema)).privateDatabase
            try await strict.expectFound(formats: [("data.@string.city == 'Rome'", ["a", "f"])])
            try expect("The schema", try await database.schema(), equals: schema)
            for (name, database) in [("h", older), ("i", strict), ("j", database)] {
                try await database.save(Record("Samples", name, ["data": #"{"city":"Rome"}"#]))
            }
            for database in [older, strict, database] {
                try await database.expectFound(formats: [
                    ("data.@string.city == 'Rome'", ["a", "f", "h", "i", "j"])
                ])
            }
            try await database.deploy(schema)
            var without = schema
            without["Samples"].indexes = [["data.@string.city"]]
            try await database.deploy(without)
            try expect("The deployed schema", try await database.schema(), equals: without)
        },
        ConformanceRule(
            .schema, "an index of JSON must name a value in a text",
            law: "The path begins at a STRING of the type; UNIQUE, too many and too long paths are refused.",
            source: .cabinet("Schema.validate")
        ) { world in
            let database = try await world.documents()
            let before = try await database.schema()
            let long = "data.@string." + String(repeating: "x", count: 250)
            let cases: [(Set<[Record.FieldKey]>, [String])] = [
                ([["number.@string.x"]], ["'number'", "STRING"]), ([["none.@string.x"]], ["'none'", "STRING"]),
                ([["to.name"]], ["to.name"]), ([["data.@json.x", "name"]], ["data.@json.x"]),
                ([["data.@string.x", "data.@string.x"]], ["twice"]),
                ([["data.@string.a~2b", "data.@string.a@b"]], ["twice"]),
                ([[long]], ["too long"]),
                ([["data.@string.a\"b"]], ["quotation mark"]), ([["name"]], ["QUERYABLE"]),
                (Set((0...16).map { ["data.@string.x\($0)"] }), ["17", "16"]),
            ]
            for (indexes, words) in cases {
                try await expectError(.invalidArguments, naming: ["Samples"] + words) {
                    try await database.setIndexes(indexes)
                }
            }
            var unique = before
            unique["Samples"].uniqueKeys = [["data.@string.city"]]
            try await expectError(.invalidArguments, naming: ["UNIQUE", "data.@string.city"]) {
                try await database.apply(unique)
            }
            try expect("The schema", try await database.schema(), equals: before)
            try await database.setIndexes(Set((1...16).map { ["data.@string.x\($0)"] }))
            try await database.save(Record("Samples", "h", ["data": #"{"x16":"y"}"#]))
            try await database.expectFound(formats: [("data.@string.x16 == 'y'", ["h"])])
        },
    ]
}

extension Schema {
    /// Indexes of the documents.
    fileprivate static let indexesOfJSON: Set<[Record.FieldKey]> = [
        ["data.@string.city"], ["data.@int64.floor"], ["data.@double.floor", "name"], ["name", "data.@double.geo.lat"],
        ["data.@timestamp.since"], ["data.@string.geo.@double.lat"], ["data.@string.tags"], ["data.@int64.isOpen"],
        ["data.@int64.a~1b", "data.@string.city"], ["data.@string"],
    ]
}

extension Database {
    /// Replaces the compound indexes of the documents.
    fileprivate func setIndexes(_ indexes: Set<[Record.FieldKey]>) async throws {
        var schema = Schema()
        schema["Samples"] = try await self.schema()["Samples"]
        schema["Samples"].indexes = indexes
        try await apply(schema)
    }

    /// The answers to queries of the documents.
    fileprivate func answers() async throws -> [String] {
        var answers: [String] = []
        for format in [
            "data.@string.city == 'Rome'", "data.@string.city == NIL", "data.@string.city != 'Rome'",
            "data.@string.city < 'P'", "NOT data.@string.city > 'A'", "data.@string.city BEGINSWITH 'O'",
            "data.@string.city ==[c] 'ROME'", "data.@string.city IN {'Rome', 'Oslo'}", "data.@string.city LIKE '*o'",
            "data.@string.city == name", "data.@string == 'text'", "data.@string.tags == '[\"x\",\"y\"]'",
            "data.@int64.floor == 3", "data.@int64.floor == 3.0", "data.@int64.floor == 9007199254740993",
            "data.@int64.floor == 9007199254740992", "data.@double.floor BETWEEN {2, 3}", "data.@int64.floor == NIL",
            "data.@double.floor == data.@int64.floor", "data.@double.geo.lat > 42", "data.@string.geo.@double.lat > 42",
            "data.@int64.isOpen == NO", "#'data.@int64.a~1b' == 1", "name == 'a' AND data.@double.geo.lat > 1",
            "to.data.@string.city == 'Rome' OR data.@string.city BEGINSWITH[c] 'r'",
            "SUBQUERY(Samples.to, $x, $x.data.@string.city == NIL).@count == 1",
        ] {
            let filter = try Filter(format)
            let names = try await names("Samples", where: filter).sorted()
            let count = try await count(matching: Query(recordType: "Samples", filter: filter))
            answers.append("\(format): \(names), \(count)")
        }
        for order in [
            [Sort("data.@int64.floor")], [.descending("data.@double.floor")], [.descending("data.@timestamp.since")],
            [Sort("data.@string.city"), .descending("name")], [Sort("data.@int64.isOpen"), Sort("data.@string.city")],
        ] {
            let query = Query(recordType: "Samples", filter: .constant(true), sortedBy: order)
            for limit in 1...3 {
                var page = try await records(matching: query, desiredKeys: ["name"], resultsLimit: limit)
                var names = page.matchResults.map(\.0.recordName)
                while let cursor = page.queryCursor {
                    page = try await records(continuingMatchFrom: cursor, desiredKeys: ["name"], resultsLimit: limit)
                    names += page.matchResults.map(\.0.recordName)
                }
                answers.append("\(order), \(limit): \(names)")
            }
        }
        let all = Query(recordType: "Samples")
        answers.append("\(try await sum(of: "data.@int64.since", matching: all, as: Int.self))")
        answers.append("\(String(describing: try await minimum(of: "data.@string.city", matching: all)?.fieldValue))")
        for group in try await counts(by: "data.@string.city", matching: all) {
            answers.append("\(String(describing: group.value?.fieldValue)): \(group.count)")
        }
        return answers
    }
}
