import Cabinet
import CabinetTesting
import Foundation

extension ConformanceRule {
    /// Filters and orders by the number of the records that refer to a record.
    static let referring: [ConformanceRule] = [
        ConformanceRule(
            .filters, "the records that refer to a record are counted",
            law:
                "SUBQUERY(…).@count is the number of the records of the type that refer to the record and match the filter.",
            source: .cabinet("Filter.Expression.referring")
        ) { world in
            let database = try await world.households()
            let all = ["a", "b", "c"]
            func items(_ filter: String, _ comparison: String) -> String {
                "SUBQUERY(Items.sample, $item, \(filter)).@count \(comparison)"
            }
            try await database.expectFound(formats: [
                (items("TRUEPREDICATE", "== 0"), ["c"]), (items("TRUEPREDICATE", "> 0"), ["a", "b"]),
                (items("TRUEPREDICATE", "!= 0"), ["a", "b"]), (items("TRUEPREDICATE", ">= 1"), ["a", "b"]),
                (items("TRUEPREDICATE", "< 1"), ["c"]), (items("TRUEPREDICATE", "<= 0"), ["c"]),
                (items("TRUEPREDICATE", "== 2"), ["a"]), (items("TRUEPREDICATE", "BETWEEN {1, 2}"), ["a", "b"]),
                (items("TRUEPREDICATE", "IN {0, 1}"), ["b", "c"]), (items("TRUEPREDICATE", "* 2 == 4"), ["a"]),
                (items("TRUEPREDICATE", "== size"), ["a", "c"]), (items("FALSEPREDICATE", "== 0"), all),
                (items("FALSEPREDICATE", "> 0"), []), (items("TRUEPREDICATE", "== NIL"), []),
                (items("TRUEPREDICATE", "> 0.5"), ["a", "b"]), (items("TRUEPREDICATE", "< 0"), []),
                ("1 == " + items("TRUEPREDICATE", ""), ["b"]), ("NOT " + items("TRUEPREDICATE", "> 1"), ["b", "c"]),
                (items("TRUEPREDICATE", "> 0 AND name == 'b'"), ["b"]),
            ])
            try await database.expectFound(formats: [
                (items("$item.isBought == NO", "> 0"), ["a"]), (items("$item.isBought == YES", "> 0"), ["a", "b"]),
                (items("$item.isBought == NIL", "> 0"), []), (items("NOT $item.number > 1", "== 1"), ["a", "b"]),
                (items("$item.number > 1 AND $item.isBought == YES", "== 1"), ["a"]),
                (items("$item.number > 1 OR $item.number < 0", "== 0"), ["b", "c"]),
                (items("$item.name MATCHES 'm.*' OR $item.name LIKE[c] '*AW'", "== 1"), ["a", "b"]),
                (items("$item.sample.name == 'b'", "== 1"), ["b"]), (items("$item == 'milk'", "== 0"), all),
                (items("ANY $item.tags == 'x'", "> 0"), ["b"]), (items("$item.tags[0] == 'x'", "> 0"), ["b"]),
                (items("$item CONTAINS 'milk'", "== 1"), ["a"]),
                (items("$item SEARCH 'mil'", "== 1"), ["a"]), (items("$item.name SEARCH 'sa'", "> 0"), ["b"]),
            ])
            let milk = try Filter("SUBQUERY(Items.sample, $item, $item == %@).@count == 1", Reference("milk"))
            try await database.expectFound([(milk, ["a"])])
            // Before the first save of a type or a field, nothing refers.
            try await database.expectFound(formats: [
                ("SUBQUERY(Unknown.sample, $x, TRUEPREDICATE).@count == 0", all),
                ("SUBQUERY(Items.unknown, $x, TRUEPREDICATE).@count == 0", all),
                ("SUBQUERY(Items.sample, $x, $x.unknown == NIL).@count > 0", ["a", "b"]),
            ])
        },
        ConformanceRule(
            .filters, "records that refer by a parent, by a list, or to their own type are counted",
            law: "The field may be parent, a list of references, which counts once, or a field of the same type.",
            source: .cabinet("Filter.Expression.referring")
        ) { world in
            let database = try await world.households()
            var child = Record("Items", "child")
            child.setParent(.named("b"))
            try await database.saveAll([
                child, Record("Notes", "one", ["samples": [Reference("a"), Reference("b"), Reference("a")], "n": 1]),
                Record("Notes", "two", ["samples": [Reference("b", .nullify)], "n": 2]), Record("Notes", "three"),
            ])
            try await database.update(.named("a")) { $0["next"] = Reference("b") }
            try await database.update(.named("b")) { $0["next"] = Reference("b") }
            try await database.expectFound(formats: [
                ("SUBQUERY(Items.parent, $x, TRUEPREDICATE).@count == 1", ["b"]),
                ("SUBQUERY(Notes.samples, $x, TRUEPREDICATE).@count == 0", ["c"]),
                ("SUBQUERY(Notes.samples, $x, TRUEPREDICATE).@count == 1", ["a"]),
                ("SUBQUERY(Notes.samples, $x, TRUEPREDICATE).@count == 2", ["b"]),
                ("SUBQUERY(Notes.samples, $x, $x.n > 1).@count > 0", ["b"]),
                ("SUBQUERY(Samples.next, $x, TRUEPREDICATE).@count == 2", ["b"]),
                ("SUBQUERY(Samples.next, $x, $x.name == 'a').@count == 1", ["b"]),
                // The inner number is that of the records which refer to each counted record.
                (
                    "SUBQUERY(Samples.next, $x, SUBQUERY(Items.sample, $y, $y.isBought == NO).@count > 0).@count == 1",
                    ["b"]
                ),
                ("SUBQUERY(Samples.next, $x, SUBQUERY(Notes.samples, $x, $x.n == 2).@count > 0).@count == 1", ["b"]),
            ])
            try await database.expectOrder(
                [Sort(countOf: "Notes", referringBy: "samples", ascending: false)], ["b", "a", "c"])
        },
        ConformanceRule(
            .filters, "records of other zones do not refer",
            law: "A reference leads to a record of its own zone, also if another zone has a record of the same name.",
            source: .cabinet("Filter.Expression.referring")
        ) { world in
            let database = try world.privateDatabase()
            let zone = RecordZone.ID(zoneName: "Z")
            try await database.save(RecordZone(zoneID: zone))
            for id in [RecordZone.ID.default, zone] {
                try await database.saveAll([
                    Record(recordType: "Samples", recordID: RecordID(recordName: "a", zoneID: id))
                ])
            }
            let target = Reference(recordID: RecordID(recordName: "a", zoneID: zone), action: .none)
            var item = Record(recordType: "Items", recordID: RecordID(recordName: "i", zoneID: zone))
            item["sample"] = target
            item["samples"] = [target]
            try await database.save(item)
            for field in ["sample", "samples"] {
                let filter = try Filter("SUBQUERY(Items.\(field), $x, TRUEPREDICATE).@count == 1")
                let query = Query(recordType: "Samples", filter: filter)
                let ids = try await database.allRecords(matching: query).map(\.recordID.zoneID)
                try expect("The zones", ids, equals: [zone])
                let order = [Sort(countOf: "Items", referringBy: field)]
                let sorted = try await database.allRecords(matching: Query(recordType: "Samples", sortedBy: order))
                try expect("The order of zones", sorted.map(\.recordID.zoneID), equals: [.default, zone])
            }
        },
        ConformanceRule(
            .filters, "a count of referring records is current",
            law: "A save, a change or a deletion of a referring record takes effect at once.",
            source: .cabinet("Consistency")
        ) { world in
            let database = try await world.households()
            let filter = try Filter("SUBQUERY(Items.sample, $item, $item.isBought == NO).@count > 0")
            try await database.expectFound([(filter, ["a"])])
            try await database.update(.named("milk")) { $0["isBought"] = true }
            try await database.expectFound([(filter, [])])
            try await database.save(Record("Items", "nail", ["sample": Reference("c"), "isBought": false]))
            try await database.expectFound([(filter, ["c"])])
            try await database.update(.named("nail")) { $0["sample"] = Reference("b") }
            try await database.expectFound([(filter, ["b"])])
            try await database.deleteRecord(withID: .named("nail"))
            try await database.expectFound([(filter, [])])
        },
        ConformanceRule(
            .order, "records are ordered by the number of those that refer to them",
            law: "A sort key may be a SUBQUERY's count; a cursor continues such an order.",
            source: .cabinet("Sort")
        ) { world in
            let database = try await world.households()
            try await database.save(Record("Samples", "d", ["name": "d"]))
            let count = Sort(countOf: "Items", referringBy: "sample")
            let bought = Sort(
                countOf: "Items", referringBy: "sample", where: .field("isBought") == true, ascending: false)
            try await database.expectOrder([count], ["c", "d", "b", "a"])
            try await database.expectOrder([count, .descending("name")], ["d", "c", "b", "a"])
            try await database.expectOrder([bought], ["a", "b", "c", "d"])
            try await database.expectOrder(
                [Sort("SUBQUERY(Items.sample, $i, $i.number > 1).@count", ascending: false)], ["a", "b", "c", "d"])
            for order in [[count], [bought, .descending("name")]] {
                let all = try await database.names("Samples", by: order)
                var names: [String] = []
                var page = try await database.records(
                    matching: Query(recordType: "Samples", sortedBy: order), resultsLimit: 1)
                while true {
                    names += page.matchResults.map(\.0.recordName)
                    guard let cursor = page.queryCursor else { break }
                    page = try await database.records(continuingMatchFrom: cursor, resultsLimit: 1)
                }
                try expect("The pages", names, equals: all)
            }
            for key in [
                "SUBQUERY(Items.name, $i, TRUEPREDICATE).@count", "SUBQUERY(Items.sample)",
                "SUBQUERY(Items.sample, $i, TRUEPREDICATE).@count + 1",
            ] {
                try await expectError(.invalidArguments, in: key) {
                    try await database.names("Samples", by: [Sort(key)])
                }
            }
        },
        ConformanceRule(
            .filters, "a count by a field without references is refused",
            law:
                "A field of another type, a filter that does not fit the counted records, and names that a strict schema does not "
                + "declare are refused, naming them.",
            source: .cabinet("Filter.validate")
        ) { world in
            let database = try await world.households()
            for (filter, name) in [
                (Filter.Expression.referring("Items", by: "name"), "name"),
                (.referring("Items", by: "creatorUserRecordID"), "creator"),
                (.referring("Items", by: "sample.name"), "sample.name"),
                (.referring("Items", by: "sample", where: .field("number").beginsWith("a")), "number"),
                (.referring("Items", by: "sample", where: .field("name.x") == 1), "name.x"),
                (.referring("Items", by: "sample", where: try Filter("number == $n")), "$n"),
            ] {
                try await expectError(.invalidArguments, naming: [name]) {
                    try await database.names("Samples", where: filter == 0)
                }
            }
            let subscription = QuerySubscription(
                recordType: "Samples", filter: .referring("Items", by: "sample") == 0, subscriptionID: "empty",
                options: [.firesOnRecordUpdate])
            try await expectError(.invalidArguments, naming: ["SUBQUERY"]) { try await database.save(subscription) }
            // A strict container knows all types and fields.
            let strict = try world.container(schema: .strict(.everything)).privateDatabase
            for (records, name) in [
                ("Itmes.list, $x, TRUEPREDICATE", "'Itmes'"), ("Items.lits, $x, TRUEPREDICATE", "'lits'"),
                ("Items.list, $x, $x.nmae == 'a'", "'nmae'"), ("Items.list, $x, $x.number == 'a'", "'number'"),
                ("Items.list, $x, SUBQUERY(Lists.parent, $y, $y.nmae == 'a').@count == 0", "'nmae'"),
            ] {
                let count = "SUBQUERY(\(records)).@count"
                try await expectError(.invalidArguments, naming: [name]) {
                    try await strict.names("Lists", where: Filter("\(count) == 0"))
                }
                try await expectError(.invalidArguments, naming: [name]) {
                    try await strict.names("Lists", by: [Sort(count)])
                }
            }
        },
        ConformanceRule(
            .observation, "an observed query follows the records that it counts",
            law: "A change of a record that refers to another one is reported if it changes the result.",
            source: .cabinet("live queries")
        ) { world in
            let database = try await world.households()
            let filter = try Filter("SUBQUERY(Items.sample, $item, $item.isBought == NO).@count == 0")
            var states = try ObservationProbe(
                database,
                Query(recordType: "Samples", filter: filter, sortedBy: [Sort(countOf: "Items", referringBy: "sample")]))
            try await states.expectNext(["c", "b"])
            try await database.save(Record("Items", "nail", ["sample": Reference("c"), "isBought": false]))
            try await states.expectNext(["b"])
            try await database.update(.named("nail")) { $0["isBought"] = true }
            try await states.expectNext(["b", "c"])
            try await database.deleteRecord(withID: .named("nail"))
            try await states.expectNext(["c", "b"])
        },
        ConformanceRule(
            .accounts, "no count reads records that the user's roles may not read",
            law: "A filter or sort key that counts records of a type without READ for all is refused.",
            source: .cabinet("Roles and unique values")
        ) { world in
            let users = try await world.users(grants: ["_icloud": [.create], "Editor": [.read]])
            for (name, database) in [("ben", users.ben), ("eva", users.editor)] {
                try await database.save(Record("Notes", name, ["text": "x"]))
            }
            try await users.editor.save(Record("Items", "milk", ["note": Reference("ben")]))
            let filter = Filter.Expression.referring("Items", by: "note") > 0
            let nested = Filter.Expression.referring("Notes", by: "next", where: filter) == 0
            for filter in [filter, nested] {
                try await expectError(.permissionFailure, naming: ["READ on Items", "counts"]) {
                    try await users.ben.names("Notes", where: filter)
                }
            }
            try await expectError(.permissionFailure, naming: ["READ on Items"]) {
                try await users.ben.names("Notes", by: [Sort(countOf: "Items", referringBy: "note")])
            }
            try expect("The notes", try await users.editor.names("Notes", where: filter), equals: ["ben"])
        },
    ]
}

extension ConformanceWorld {
    /// Creates a database with items of two samples.
    fileprivate func households() async throws -> Database {
        let database = try privateDatabase()
        try await database.saveAll([Record("Samples", "a", ["name": "a", "size": 2])])
        try await database.saveAll([Record("Samples", "b", ["name": "b", "size": 7])])
        try await database.saveAll([Record("Samples", "c", ["name": "c", "size": 0])])
        try await database.saveAll([
            Record("Items", "milk", ["sample": Reference("a"), "isBought": false, "number": 1, "name": "milk"]),
            Record("Items", "bread", ["sample": Reference("a"), "isBought": true, "number": 2, "name": "bread"]),
            Record(
                "Items", "saw",
                [
                    "sample": Reference("b", .deleteSelf), "isBought": true, "number": 1, "name": "saw",
                    "tags": ["x", "y"],
                ]),
            Record("Items", "stray", ["sample": Reference("gone"), "isBought": false, "number": 5]),
            Record("Items", "none", ["isBought": false, "number": 5]),
        ])
        return database
    }
}
