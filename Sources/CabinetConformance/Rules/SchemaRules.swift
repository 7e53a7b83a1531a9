import Cabinet
import Foundation

extension ConformanceRule {
    /// The effect of a field's first save on the schema.
    static let schema: [ConformanceRule] = [
        ConformanceRule(
            .schema, "the first save creates type and field",
            law: "A record of a new type, or with a new field, can be saved without any preparation.",
            source: .cloudKit("the development environment")
        ) { world in
            let database = try world.privateDatabase()
            try await database.save(Record("Items", "a", ["name": "Milk"]))
            try await database.save(Record("Items", "b", ["name": "Bread", "number": 2]))
            let early = try await database.fetch("a")
            try expect("The new field of the old record", early["number"], equals: Int?.none)
            try expect("The old record's keys", early.allKeys(), equals: ["name"])
            try await database.save(early.with(["number": 1]))
            try expect("The items by number", try await database.names(by: [Sort("number")]), equals: ["a", "b"])
        },
        ConformanceRule(
            .schema, "a value of another type is refused",
            law: "A field keeps the type of its first value; another type is refused, and the message names field "
                + "and both types.",
            source: .cloudKit("the development environment")
        ) { world in
            let database = try world.privateDatabase()
            let values: [(type: String, value: any RecordValue)] = [
                ("STRING", "text"), ("INT64", 1), ("TIMESTAMP", Date()), ("BYTES", Data([1])),
                ("REFERENCE", Reference("x")),
                ("LOCATION", Location(latitude: 1, longitude: 2)), ("LIST<STRING>", ["text"]), ("LIST<INT64>", [1]),
                ("LIST<REFERENCE>", [Reference("x")]),
            ]
            for (index, (type, value)) in values.enumerated() {
                try await database.save(Record("Items", "first \(index)", ["field\(index)": value]))
                for (otherType, other) in values where otherType != type {
                    try await expectError(
                        .invalidArguments, naming: ["field\(index)", type, otherType], about: .named("second"),
                        in: "field\(index)"
                    ) {
                        try await database.save(Record("Items", "second", ["field\(index)": other]))
                    }
                }
            }
            try expect("The record that was refused", try await database.existing(["second"]), equals: [])
        },
        ConformanceRule(
            .schema, "an integer widens into a DOUBLE field",
            law: "A whole number, or a list of them, saved into a field of doubles becomes doubles.",
            source: .cabinet("Numbers")
        ) { world in
            let database = try world.privateDatabase()
            try await database.save(Record("Items", "a", ["price": 1.5, "prices": [1.5]]))
            let answer = try await database.save(Record("Items", "b", ["price": 2, "prices": [2, -3]]))
            for (place, record) in [("saved", answer), ("fetched", try await database.fetch("b"))] {
                try expect("The \(place) number", record.fieldValue("price"), equals: .double(2))
                try expect("The \(place) list", record.fieldValue("prices"), equals: .list(.double([2, -3])))
            }
            let found = try await database.names(where: .compare("price", .greaterThan, 1.75))
            try expect("The records above 1.75", found, equals: ["b"])
        },
        ConformanceRule(
            .schema, "an integer without an equal double does not fit a DOUBLE field",
            law: "A whole number that would be read as another number is refused.",
            source: .cabinet("Numbers")
        ) { world in
            let database = try world.privateDatabase()
            try await database.save(Record("Items", "a", ["price": 1.5, "prices": [1.5]]))
            try await database.save(Record("Items", "b", ["price": Int64.min, "prices": [9_007_199_254_740_992]]))
            try expect("The number", try await database.fetch("b").fieldValue("price"), equals: .double(-0x1p63))
            for value in [9_007_199_254_740_993, -9_007_199_254_740_993, .max] as [Int64] {
                try await expectError(.invalidArguments, naming: ["DOUBLE", "INT64", "\(value)"], in: "price") {
                    try await database.save(Record("Items", "c", ["price": value]))
                }
                try await expectError(.invalidArguments, naming: ["LIST<DOUBLE>"], in: "prices") {
                    try await database.save(Record("Items", "c", ["prices": [1, value]]))
                }
            }
            try expect("The records", try await database.names(), equals: ["a", "b"])
        },
        ConformanceRule(
            .schema, "a fraction does not fit an INT64 field",
            law: "2.0 saved into a field of whole numbers becomes 2; 2.5, infinity and numbers beyond 64 bits are "
                + "refused.",
            source: .cabinet("Numbers")
        ) { world in
            let database = try world.privateDatabase()
            try await database.save(Record("Items", "a", ["number": 1, "numbers": [1]]))
            try await database.save(Record("Items", "b", ["number": 2.0, "numbers": [2.0, -0.0]]))
            let record = try await database.fetch("b")
            try expect("The number", record.fieldValue("number"), equals: .int64(2))
            try expect("The list", record.fieldValue("numbers"), equals: .list(.int64([2, 0])))
            for value in [2.5, .infinity, 1e19] as [Double] {
                try await expectError(.invalidArguments, naming: ["INT64", "DOUBLE"], in: "number") {
                    try await database.save(Record("Items", "c", ["number": value]))
                }
                try await expectError(.invalidArguments, naming: ["LIST<INT64>"], in: "numbers") {
                    try await database.save(Record("Items", "c", ["numbers": [1, value]]))
                }
            }
            try expect("The records", try await database.names(), equals: ["a", "b"])
        },
        ConformanceRule(
            .schema, "a failed save adds no field",
            law: "The fields of an atomic batch that failed, or of a record that failed, are not "
                + "added.",
            source: .cabinet("Errors, tests, habits")
        ) { world in
            let database = try world.privateDatabase()
            try await database.save(Record("Items", "taken"))
            _ = try await database.failures(
                saving: [
                    Record("Items", "new", ["number": "text"]), Record("Others", "new 2", ["x": 1]),
                    Record("Items", "taken"),
                ])
            let results = try await database.modifyRecords(
                saving: [
                    Record("Items", "new", ["price": "text", "bad": Double.nan]),
                    Record("Items", "taken", ["price": "text"]),
                    Record("Items", "dangling", ["price": "text", "list": Reference("nowhere", .deny)]),
                ],
                deleting: [], atomically: false)
            try expect("The number of results", results.saveResults.count, equals: 3)
            try await database.saveAll([
                Record("Items", "new", ["number": 1, "price": 2.5, "list": "text", "bad": 1]),
                Record("Others", "new 2", ["x": "text"]),
            ])
        },
        ConformanceRule(
            .schema, "records of one batch agree on a new field",
            law: "The first record of a batch with a value in a new field decides the field's type for the others.",
            source: .cloudKit("the development environment")
        ) { world in
            let database = try world.privateDatabase()
            let results = try await database.modifyRecords(
                saving: [
                    Record("Items", "a", ["x": 1]), Record("Items", "b", ["x": "text"]),
                    Record("Items", "c", ["x": 2.0]),
                    Record("Items", "d", ["x": 2.5]),
                ], deleting: [], atomically: false
            ).saveResults
            try await expectFailure(results[.named("b")], .invalidArguments, naming: ["INT64", "STRING"])
            try await expectFailure(results[.named("d")], .invalidArguments)
            try expect("The records", try await database.names(), equals: ["a", "c"])
            try expect("The whole number", try await database.fetch("c").fieldValue("x"), equals: .int64(2))
        },
        ConformanceRule(
            .schema, "a field survives its records",
            law: "A type and its fields keep their types when all their records are deleted, or all their values "
                + "removed.",
            source: .cloudKit("the development environment")
        ) { world in
            let database = try world.privateDatabase()
            let record = try await database.save(Record("Items", "a", ["number": 1, "other": 2]))
            try await database.save(record.with(["number": nil]))
            try await expectError(.invalidArguments, in: "number") {
                try await database.save(Record("Items", "b", ["number": "text"]))
            }
            try await database.deleteRecord(withID: .named("a"))
            try await expectError(.invalidArguments, in: "other") {
                try await database.save(Record("Items", "b", ["other": "text"]))
            }
        },
        ConformanceRule(
            .schema, "types do not share fields",
            law: "Fields of the same name in two record types have types of their own.",
            source: .cloudKit("the development environment")
        ) { world in
            let database = try world.privateDatabase()
            try await database.save(Record("Items", "a", ["value": 1]))
            try await database.save(Record("Lists", "b", ["value": "text"]))
            try await database.save(Record("Notes", "c", ["value": [1.5]]))
            try expect("The value of a", try await database.fetch("a")["value"], equals: 1)
            try expect("The value of b", try await database.fetch("b")["value"], equals: "text")
            try expect("The value of c", try await database.fetch("c")["value"], equals: [1.5])
        },
        ConformanceRule(
            .schema, "databases do not share fields",
            law: "Each database has its own record types and fields.",
            source: .cabinet("Storage layout")
        ) { world in
            let container = try world.container()
            try await container.privateDatabase.save(Record("Items", "a", ["value": 1]))
            try await container.publicDatabase.save(Record("Items", "a", ["value": "text"]))
            let other = try world.container(account: Account(userRecordName: "_ben")).privateDatabase
            try await other.save(Record("Items", "a", ["value": Data([1])]))
            try expect("The private value", try await container.privateDatabase.fetch("a")["value"], equals: 1)
            try expect("The public value", try await container.publicDatabase.fetch("a")["value"], equals: "text")
        },
        ConformanceRule(
            .schema, "a type without fields gets fields later",
            law: "A type whose first record had no field, or only fields without a value, accepts any field later.",
            source: .cloudKit("the development environment")
        ) { world in
            let database = try world.privateDatabase()
            let record = try await database.save(Record("Items", "a", ["number": nil]))
            try await database.save(record.with(["number": "two"]))
            try expect("The value", try await database.fetch("a")["number"], equals: "two")
        },
    ]
}
