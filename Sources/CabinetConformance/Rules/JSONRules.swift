import Cabinet
import CabinetTesting
import Foundation

extension ConformanceRule {
    /// Filters and orders by values in the JSON of a text.
    static let json: [ConformanceRule] = [
        ConformanceRule(
            .filters, "a path leads to a value of JSON",
            law:
                "A path reads the member as its type; a missing one, null, another type and a text that is not JSON are nil.",
            source: .cabinet("FieldPath.JSON")
        ) { world in
            let database = try await world.documents()
            let all = ["a", "b", "c", "d", "e", "f", "g"]
            try await database.expectFound(formats: [
                ("data.@string.city == 'Rome'", ["a", "f"]), ("data.@string.city == NIL", ["c", "d", "e", "g"]),
                ("data.@string.city != 'Rome'", ["b", "c", "d", "e", "g"]), ("data.@string.city < 'P'", ["b"]),
                ("NOT data.@string.city > 'A'", ["c", "d", "e", "g"]), ("data.@string.city BEGINSWITH 'O'", ["b"]),
                ("data.@string.city ==[c] 'ROME'", ["a", "f"]),
                ("data.@string.city IN {'Rome', 'Oslo'}", ["a", "b", "f"]),
                ("data.@string.city LIKE '*o'", ["b"]), ("data.@string.city MATCHES 'R.*'", ["a", "f"]),
                ("data.@string.city SEARCH 'ro'", ["a", "f"]), ("data.@string.city == name", ["a", "d", "e"]),
                ("data.@string.floor == '3'", ["c"]), ("data.@string.isOpen == NIL", all),
                ("data.@string.City == NIL", all), ("data.@string == 'text'", ["g"]),
                ("data.@string.tags.1 == 'y'", ["a"]), ("data.@string.tags.2 == NIL", all),
                ("data.@string.tags == '[\"x\",\"y\"]'", ["a"]),
                ("data.@string.geo.lat == NIL AND name == 'b'", ["b"]),
            ])
        },
        ConformanceRule(
            .filters, "numbers of JSON compare as numbers",
            law:
                "INT64 is a whole number of 64 bits, exactly, and true and false are 1 and 0; DOUBLE and TIMESTAMP are numbers.",
            source: .cabinet("FieldPath.JSON")
        ) { world in
            let database = try await world.documents()
            let date = Date(timeIntervalSinceReferenceDate: 0.5)
            try await database.expectFound(formats: [
                ("data.@int64.floor == 3", ["a"]), ("data.@int64.floor == 3.0", ["a"]),
                ("data.@int64.floor > 3", ["f"]),
                ("data.@int64.floor == 9007199254740993", ["f"]), ("data.@int64.floor == 9007199254740992", []),
                ("data.@int64.floor == NIL", ["b", "c", "d", "e", "g"]), ("data.@int64.floor + 1 == 4", ["a"]),
                ("data.@double.floor == 2.5", ["b"]), ("data.@double.floor >= 2.5", ["a", "b", "f"]),
                ("data.@double.floor BETWEEN {2, 3}", ["a", "b"]),
                ("data.@double.floor == data.@int64.floor", ["a", "c", "d", "e", "g"]),
                ("data.@int64.isOpen == YES", ["a"]), ("data.@int64.isOpen == NO", ["b"]),
                ("data.@double.isOpen == 1", ["a"]), ("data.@double.geo.lat > 42", ["b"]),
                ("data.@double.geo.1 == 2", ["c"]), ("data.@int64.geo.0 == 1", ["c"]),
                ("data.@string.geo.@double.lat > 42", ["b"]), ("data.@int64.since == 1000", ["b"]),
                ("data.@timestamp.isOpen == NIL", ["a", "b", "c", "d", "e", "f", "g"]),
            ])
            try await database.expectFound([
                (try Filter("data.@timestamp.since == %@", date), ["a"]),
                (try Filter("data.@timestamp.since > %@", date), ["b"]),
            ])
        },
        ConformanceRule(
            .filters, "JSON is read as it is written",
            law:
                "Escapes stand for their characters, the first of several members with one name counts, and a part in error makes all nil.",
            source: .cabinet("FieldPath.JSON")
        ) { world in
            let database = try await world.documents()
            try await database.expectFound(formats: [
                ("#'data.@int64.a~1b' == 1", ["f"]), ("#'data.@int64.~2c' == 2", ["f"]),
                ("#'data.@int64.~0d' == 3", ["f"]),
                ("#'data.@string.my name' == 'a\\\\/\"\\té🛒'", ["f"]),
                ("data.@string.half == NIL AND name == 'f'", ["f"]),
                ("data.@string.#size == 'big'", ["f"]),
            ])
            for text in [
                #"{"city":"Rome"} x"#, #"{"city":"Rome",}"#, #"{"city":"Rome","a":01}"#, #"{"city":"Rome","a":"\q"}"#,
                #"{"city":"Rome""#, #"{'city':'Rome'}"#, #"{"city":"Rome","a":.5}"#, #"{"city":"Rome","a":[1,]}"#,
                "{\"city\":\"Rome\",\"a\":\"\u{1}\"}", #"{"city":"Rome","a":tru}"#, "",
            ] {
                try await database.update(.named("g")) { $0["data"] = text }
                try await database.expectFound(formats: [("data.@string.city == 'Rome'", ["a", "f"])])
            }
            let deep = String(repeating: "[", count: 600) + String(repeating: "]", count: 600)
            try await database.update(.named("g")) { $0["data"] = #"{"city":"Rome","a":\#(deep)}"# }
            try await database.expectFound(formats: [("data.@string.city == 'Rome'", ["a", "f"])])
            try await database.update(.named("g")) { $0["data"] = #" [ { "city" : "Rome" } ] "# }
            try await database.expectFound(formats: [("data.@string.0.city == 'Rome'", ["g"])])
        },
        ConformanceRule(
            .filters, "the name of a member may have any characters",
            law: "Quotation marks, dots and wildcards count by themselves, also beside marks that combine with them.",
            source: .cabinet("FieldPath.JSON")
        ) { world in
            let database = try await world.documents()
            for (name, step) in [
                ("it's", "it's"), ("a\u{600}') OR 1=1 --", "a\u{600}') OR 1=1 --"), ("'\u{301}", "'\u{301}"),
                ("\u{600}\"\u{301}", "\u{600}\"\u{301}"), ("a.\u{301}b", "a~1\u{301}b"), ("\u{301}", "\u{301}"),
            ] {
                let member = String(name.unicodeScalars.replacing("\"".unicodeScalars, with: "\\\"".unicodeScalars))
                try await database.update(.named("g")) { $0["data"] = "{\"\(member)\":\"here\"}" }
                let key = "data.@string.\(step)"
                try await database.expectFound([
                    (Filter.field(key) == "here", ["g"]), (Filter.field(key) == nil, ["a", "b", "c", "d", "e", "f"]),
                ])
                try await database.expectOrder([.descending(key), Sort("name")], ["g", "d", "e", "a", "b", "c", "f"])
            }
            try await database.update(.named("g")) { $0["data"] = "{\"\u{E9}\":\"one\",\"e\u{301}\":\"two\"}" }
            let (composed, decomposed) = (Filter.field("data.@string.\u{E9}"), Filter.field("data.@string.e\u{301}"))
            try await database.expectFound([
                (composed == "two" || decomposed == "two", ["g"]), (composed == "one" && decomposed == "one", []),
                // One after the other, the statements differ in the member alone.
                (composed == "one", ["g"]), (decomposed == "one", []), (decomposed == "two", ["g"]),
            ])
        },
        ConformanceRule(
            .filters, "JSON is read at the end of a path and from each text of a list",
            law: "References, SUBQUERY and lists of texts lead to JSON, as they lead to other values.",
            source: .cabinet("FieldPath.JSON")
        ) { world in
            let database = try await world.documents()
            try await database.saveAll([
                Record("Samples", "h", ["to": Reference("a"), "list": [#"{"n":1}"#, #"{"n":2}"#, "x"]]),
                Record("Samples", "i", ["to": Reference("b"), "list": [#"{"n":7}"#]]),
            ])
            try await database.expectFound(formats: [
                ("to.data.@string.city == 'Rome'", ["h"]), ("to.data.@double.geo.lat > 42", ["i"]),
                ("SUBQUERY(Samples.to, $x, $x.list.@sum.@int64.n > 3).@count == 1", ["b"]),
                ("SUBQUERY(Samples.to, $x, $x.to.data.@int64.floor == 3).@count == 1", ["a"]),
                ("ANY list.@int64.n == 2", ["h"]), ("list.@int64.n == {1, 2, NIL}", ["h"]),
                ("list.@sum.@int64.n == 3", ["h"]), ("list[0].@int64.n == 7", ["i"]),
            ])
        },
        ConformanceRule(
            .order, "records are ordered and grouped by values of JSON",
            law:
                "A sort key, a group and an aggregate may be a path to a value of JSON; a cursor continues such an order.",
            source: .cabinet("Sort")
        ) { world in
            let database = try await world.documents()
            try await database.expectOrder([Sort("data.@int64.floor")], ["b", "c", "d", "e", "g", "a", "f"])
            try await database.expectOrder([.descending("data.@double.floor")], ["f", "a", "b", "c", "d", "e", "g"])
            try await database.expectOrder(
                [Sort("data.@string.city"), .descending("name")], ["g", "c", "d", "e", "b", "f", "a"])
            try await database.expectOrder([.descending("data.@timestamp.since")], ["b", "a", "c", "d", "e", "f", "g"])
            try await database.expectOrder([Sort("data.@int64.isOpen")], ["c", "d", "e", "f", "g", "b", "a"])
            let all = Query(recordType: "Samples")
            let sum = try await database.sum(of: "data.@int64.since", matching: all, as: Int.self)
            try expect("The sum", sum, equals: 1000)
            let least = try await database.minimum(of: "data.@string.city", matching: all)?.fieldValue
            try expect("The minimum", least, equals: .string("Oslo"))
            let counts = try await database.counts(by: "data.@string.city", matching: all)
            let groups = counts.map { "\($0.value as? String ?? "-") \($0.count)" }
            try expect("The groups", groups.sorted(), equals: ["- 4", "Oslo 1", "Rome 2"])
        },
        ConformanceRule(
            .observation, "an observed query and count follow values of JSON",
            law: "A change of a value in JSON is reported if it changes the result, its order or the count.",
            source: .cabinet("live queries")
        ) { world in
            let database = try await world.documents()
            let query = Query(
                recordType: "Samples", filter: .field("data.@int64.isOpen") != nil, sortedBy: Sort("data.@string.city"))
            var states = try ObservationProbe(database, query)
            try await states.expectNext(["b", "a"])
            try await database.update(.named("b")) { $0["data"] = #"{"city":"Sofia","isOpen":true}"# }
            try await states.expectNext(["a", "b"])
            try await database.update(.named("a")) { $0["data"] = #"{"city":"Rome","isOpen":"no"}"# }
            try await states.expectNext(["b"])
            try await database.update(.named("c")) { $0["data"] = #"{"isOpen":false}"# }
            try await states.expectNext(["c", "b"])
            // A transaction knows which of its reads a value of JSON changes.
            try await database.transaction { t in
                try t.save(Record("Samples", "j", ["data": #"{"isOpen":true,"city":"Bern"}"#]))
                let found = try await t.allRecords(matching: query).map(\.recordID.recordName)
                try expect("The records with the transaction's own", found, equals: ["c", "j", "b"])
            }
        },
        ConformanceRule(
            .filters, "a path to JSON that is invalid for its types is refused",
            law:
                "JSON is read from a STRING; another type, an unknown operator and a malformed member are refused naming the path.",
            source: .cabinet("Filter.validate")
        ) { world in
            let database = try await world.documents()
            let names = try await database.names("Samples")
            for _ in 1...2 {
                for path in [
                    "number.@string.x", "to.@string.x", "data.@bytes.x", "data.@json.x", "@string.x", "data.@string..x",
                    "data.@string.", "data.@string.a~b", "data.@string.x.@count", "data.@int64.x.@string.y", "data.x",
                ] {
                    try await expectError(.invalidArguments, naming: [path], in: path) {
                        try await database.names("Samples", where: .compare(path, .equal, 1))
                    }
                    try await expectError(.invalidArguments, naming: [path], in: path) {
                        try await database.names("Samples", by: [Sort(path)])
                    }
                }
                try await expectError(.invalidArguments, naming: ["data.@int64.x"]) {
                    try await database.names("Samples", where: Filter("data.@int64.x BEGINSWITH 'a'"))
                }
                try await database.deleteAll(names)
            }
        },
        ConformanceRule(
            .schema, "a renamed field keeps its JSON paths",
            law:
                "After a rename, a path begins with the new name; a strict schema and a subscription's filter take it.",
            source: .cabinet("Schemas")
        ) { world in
            let container = try world.container()
            let database = container.privateDatabase
            try await database.save(Record("Samples", "a", ["data": #"{"city":"Rome"}"#]))
            let filter = try Filter("data.@string.city == 'Rome'")
            try await database.save(
                QuerySubscription(
                    recordType: "Samples", filter: filter, subscriptionID: "rome", options: [.firesOnRecordCreation]))
            try expect(
                try await container.renameField("data", to: "address", of: "Samples"), "The field was not found.")
            try await expectError(.invalidArguments, naming: ["address"]) {
                try await database.names("Samples", where: filter)
            }
            let renamed = try Filter("address.@string.city == 'Rome'")
            try expect("The records", try await database.names("Samples", where: renamed), equals: ["a"])
            let subscription = try await database.subscription(for: "rome")
            let stored: Filter? = if case .query(let query) = subscription { query.filter } else { nil }
            try expect("The subscription", stored, equals: renamed)
            var schema = Schema()
            schema["Samples"]["address"] = Schema.Field(.string)
            let strict = try world.container(schema: .strict(schema))
            try expect("Strict", try await strict.privateDatabase.names("Samples", where: renamed), equals: ["a"])
            try await expectError(.invalidArguments, naming: ["'adress'"]) {
                try await strict.privateDatabase.names("Samples", where: Filter("adress.@string.city == 'Rome'"))
            }
        },
    ]
}

extension ConformanceWorld {
    /// Creates a database with records whose `data` is JSON, or is not.
    func documents() async throws -> Database {
        let database = try privateDatabase()
        let texts: [(String, String?)] = [
            (
                "a", #"{"city":"Rome","floor":3,"geo":{"lat":41.9},"isOpen":true,"since":0.5,"tags":["x","y"]}"#
            ),
            ("b", #"{"city":"Oslo","floor":2.5,"geo":{"lat":59},"isOpen":false,"since":1e3,"tags":[]}"#),
            ("c", #"{"city":null,"floor":"3","geo":[1,2.0],"tags":"y"}"#), ("d", "Rome"), ("e", nil),
            (
                "f",
                #" { "city" : "R\u006fme", "floor":9007199254740993, "city":"Oslo", "a.b":1, "@c":2, "~d":3,"#
                    + #" "my\u0020name":"a\\\/\"\t\u00e9\ud83d\uDED2", "half":"\ud83d", "size":"big" } "#
            ), ("g", #""text""#),
        ]
        for (name, text) in texts {
            try await database.save(Record("Samples", name, ["data": text, "number": 1, "name": name]))
        }
        try await database.update(.named("a")) { $0["name"] = "Rome" }
        try await database.update(.named("d")) { $0["name"] = nil }
        try await database.update(.named("e")) { record in
            record["name"] = nil
            record["to"] = Reference("d")
        }
        return database
    }
}
