import Cabinet
import CabinetTesting

extension ConformanceRule {
    /// Filters on the values of other records.
    static let pathFilters: [ConformanceRule] = [
        ConformanceRule(
            .filters, "a path leads through a reference",
            law: "A key path is the value in the referenced record; a step without a target is nil.",
            source: .cabinet("Filter.Expression.field")
        ) { world in
            let database = try await world.relatives()
            let all = ["a", "b", "c", "d", "e"]
            try await database.expectFound(formats: [
                ("list.name == 'Groceries'", ["a"]), ("list.name == NIL", ["b", "c", "d"]),
                ("list.name != 'Groceries'", ["b", "c", "d", "e"]),
                ("NOT list.name == 'Groceries'", ["b", "c", "d", "e"]),
                ("list.name BEGINSWITH 'O'", ["e"]), ("list.name IN {'Orphan', 'Groceries'}", ["a", "e"]),
                ("list.name ==[c] 'GROCERIES'", ["a"]), ("list.name < 'H'", ["a"]), ("'r' IN list.name", ["a", "e"]),
                ("list.name == name", ["a", "c"]), ("list.missing == NIL", all), ("missing.name == NIL", all),
                ("list.name == 'Groceries' OR list.name == 'Orphan'", ["a", "e"]),
                ("recordID.name == 'Groceries'", ["a"]),
                ("list.recordID.name == 'Groceries'", ["a"]), ("list.city == NIL", all),
                ("NOT list.name > 'A'", ["b", "c", "d"]),
            ])
        },
        ConformanceRule(
            .filters, "a path leads through several references",
            law: "Each step of a key path continues from the record that the previous step leads to.",
            source: .cabinet("Filter.Expression.field")
        ) { world in
            let database = try await world.relatives()
            try await database.expectFound(formats: [
                ("list.owner.city == 'Berlin'", ["a"]), ("list.owner.city IN {'Rome', 'Berlin'}", ["a"]),
                ("list.owner.city == NIL", ["b", "c", "d", "e"]), ("list.owner.age + 1 == 31", ["a"]),
                ("list.owner.age > 35", ["b"]), ("list.owner.friend.city == 'Berlin'", ["b"]),
                ("list.owner.friend.friend.age == 40", ["b"]), ("list.owner.friend.friend.friend.age == 50", ["b"]),
                ("list.owner.city == 'Berlin' AND list.name == 'Groceries'", ["a"]),
                ("list.owner.tags CONTAINS 'x'", ["a"]), ("ANY list.owner.tags == 'y'", ["a"]),
                ("list.owner.tags.@count == 2", ["a"]), ("list.owner.tags[LAST] == 'y'", ["a"]),
            ])
        },
        ConformanceRule(
            .filters, "a path leads to and through system fields",
            law: "System fields are steps of a key path like any other, of the record and of those that it leads to.",
            source: .cabinet("SystemField")
        ) { world in
            let database = try await world.relatives()
            var child = Record("Samples", "child")
            child.setParent(.named("a"))
            try await database.save(child)
            let date = world.clock.now()
            try await database.expectFound([
                (try Filter("parent.name == 'Groceries'"), ["child"]),
                (try Filter("parent.list.owner.city == 'Berlin'"), ["child"]),
                (try Filter("list.recordID == %@", Reference("food")), ["a"]),
                (try Filter("list.owner == %@", Reference("anna")), ["a"]),
                (try Filter("list.owner.recordID IN %@", [Reference("anna"), Reference("ben")]), ["a", "b"]),
                (try Filter("list.creationDate == %@", date), ["a", "b", "e"]),
                (try Filter("list.creationDate == NIL"), ["c", "child", "d"]),
                (try Filter("list.creatorUserRecordID.nickname == 'Anna'"), []),
            ])
            var user = try await database.record(for: RecordID(recordName: "_anna"))
            user["nickname"] = "Anna"
            try await database.save(user)
            try await database.expectFound(formats: [
                ("creatorUserRecordID.nickname == 'Anna'", ["a", "b", "c", "child", "d", "e"]),
                ("list.creatorUserRecordID.nickname == 'Anna'", ["a", "b", "e"]),
            ])
        },
        ConformanceRule(
            .filters, "a path sees the current state of its records",
            law:
                "A change of a record that a path leads to takes effect at once, and so do its deletion and its return, of any type.",
            source: .cabinet("Consistency")
        ) { world in
            let database = try await world.relatives()
            let filter = try Filter("list.name == 'Groceries'")
            try await database.update(.named("tools")) { $0["name"] = "Groceries" }
            try await database.expectFound([(filter, ["a", "b"])])
            try await database.deleteRecord(withID: .named("food"))
            try await database.expectFound([(filter, ["b"]), (.not(filter), ["a", "c", "d", "e"])])
            try await database.save(Record("Projects", "food", ["name": "Groceries"]))
            try await database.expectFound([(filter, ["a", "b"])])
            try await database.save(Record("Lists", "gone", ["name": "Groceries"]))
            try await database.expectFound([(filter, ["a", "b", "d"])])
            try await database.update(.named("food")) { $0["name"] = nil }
            try await database.expectFound([(filter, ["b", "d"])])
            try await database.update(.named("a")) { $0["list"] = Reference("tools") }
            try await database.expectFound([(filter, ["a", "b", "d"])])
        },
        ConformanceRule(
            .filters, "a path through a list is a list",
            law:
                "A key path through a list of references is the list of the values, nil for references without a target.",
            source: .cabinet("predicates, section 3")
        ) { world in
            let database = try await world.relatives()
            let friends = [Reference("anna"), Reference("ben"), Reference("gone")]
            try await database.saveAll([
                Record("Samples", "f", ["friends": friends]), Record("Samples", "g", ["friends": [Reference("ben")]]),
                Record("Samples", "h", ["friends": [Reference]()]),
            ])
            let friendless = ["a", "b", "c", "d", "e"]
            try await database.expectFound(formats: [
                ("friends.city == {'Berlin', NIL, NIL}", ["f"]), ("friends.city == {NIL}", ["g"]),
                ("friends.city == {}", ["h"]), ("friends.city == NIL", friendless),
                ("friends.city CONTAINS 'Berlin'", ["f"]),
                ("ANY friends.city == 'Berlin'", ["f"]), ("ANY friends.city == NIL", ["f", "g"]),
                ("ANY friends.age > 35", ["f", "g"]), ("ALL friends.age > 35", friendless + ["g", "h"]),
                ("NONE friends.age > 35", friendless + ["h"]), ("ANY friends.age BETWEEN {1, 35}", ["f"]),
                ("ANY friends.friend.city == 'Berlin'", ["f", "g"]), ("friends[0].city == 'Berlin'", ["f"]),
                ("friends[LAST].age == 40", ["g"]), ("friends.age[1] == 40", ["f"]), ("friends.@count == 3", ["f"]),
                ("friends.city.@count == 3", ["f"]), ("friends.@sum.age == 70", ["f"]),
                ("friends.@avg.age == 35", ["f"]),
                ("friends.@min.age == 30", ["f"]), ("friends.@max.age == 40", ["f", "g"]),
                ("friends.@sum.age == 0", ["h"]),
                ("friends.@max.age == NIL", friendless + ["h"]), ("friends.@max.city == 'Berlin'", ["f"]),
                ("friends.@sum.friend.age == 50", ["f", "g"]), ("friends.age.@sum == 70", ["f"]),
            ])
        },
        ConformanceRule(
            .filters, "a path to fields of several types is decided record by record",
            law:
                "If record types disagree on a field's type, values are compared without conversion; an invalid comparison is an error.",
            source: .cabinet("FieldTypes")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveAll([
                Record("Numbers", "number", ["code": 5]), Record("Texts", "text", ["code": "five"]),
                Record("Samples", "a", ["x": Reference("number"), "y": 1]),
                Record("Samples", "b", ["x": Reference("text"), "y": 2]), Record("Samples", "c"),
            ])
            try await database.expectFound(formats: [
                ("x.code == 5", ["a"]), ("x.code == 'five'", ["b"]), ("x.code == NIL", ["c"]), ("x.code > 4", ["a"]),
                ("x.code > 'a'", ["b"]), ("x.code IN {5, 'five'}", ["a", "b"]),
                ("y == 2 AND x.code BEGINSWITH 'f'", ["b"]),
                ("y == 1 AND x.code + 1 == 6", ["a"]),
            ])
            for format in ["x.code BEGINSWITH 'f'", "x.code + 1 == 6", "ANY x.code == 5", "x.code[0] == 5"] {
                let filter = try Filter(format)
                try await expectError(.invalidArguments) { try await database.names("Samples", where: filter) }
            }
            try await expectError(.invalidArguments, naming: ["x.code"], in: "x.code") {
                try await database.names("Samples", by: [Sort("x.code")])
            }
        },
        ConformanceRule(
            .filters, "a path that is invalid for its types is refused",
            law:
                "A step through a field that is not a reference, and a malformed path, are refused naming it, also without records.",
            source: .cabinet("Filter.validate")
        ) { world in
            let database = try await world.relatives()
            let names = try await database.names("Samples")
            for _ in 1...2 {
                for path in [
                    "name.x", "list.name.x", "list.owner.city.x", "list.owner.tags.x", "creationDate.x", "list..name",
                    "list.", ".name", "list.@count", "list.@median", "@count", "list.owner.tags.@count.x",
                ] {
                    try await expectError(.invalidArguments, naming: [path], in: path) {
                        try await database.names("Samples", where: .compare(path, .equal, 1))
                    }
                }
                for format in [
                    "list.name == 5 OR list.owner.age BEGINSWITH 'a'", "list.owner.age CONTAINS 1",
                    "ANY list.name == 'a'",
                ] {
                    let filter = try Filter(format)
                    try await expectError(.invalidArguments, naming: ["list."]) {
                        try await database.names("Samples", where: filter)
                    }
                }
                try await database.deleteAll(names)
            }
        },
    ]
}

extension ConformanceWorld {
    /// A database whose records refer to each other: samples to lists, lists to owners, owners to their friends.
    func relatives() async throws -> Database {
        let database = try privateDatabase()
        try await database.saveAll([
            Record("Owners", "anna", ["city": "Berlin", "age": 30, "tags": ["x", "y"]]),
            Record("Owners", "ben", ["age": 40, "friend": Reference("carl")]),
            Record("Owners", "carl", ["city": "Berlin", "age": 50, "friend": Reference("ben")]),
            Record("Lists", "food", ["name": "Groceries", "owner": Reference("anna")]),
            Record("Lists", "tools", ["owner": Reference("ben")]),
            Record("Lists", "orphan", ["name": "Orphan", "owner": Reference("gone")]),
            Record("Samples", "a", ["list": Reference("food"), "name": "Groceries"]),
            Record("Samples", "b", ["list": Reference("tools"), "name": "b"]), Record("Samples", "c"),
            Record("Samples", "d", ["list": Reference("gone"), "name": "d"]),
            Record("Samples", "e", ["list": Reference("orphan"), "name": "e"]),
        ])
        return database
    }
}
