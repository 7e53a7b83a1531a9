import Cabinet
import CabinetTesting
import Foundation

extension ConformanceRule {
    /// Values that are computed from all records of a query.
    static let aggregates: [ConformanceRule] = [
        ConformanceRule(
            .aggregates, "numbers are summed up",
            law:
                "Sum and average use the values of the query's records; records without a value are ignored.",
            source: .cabinet("Aggregate")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveAll([
                Record("Samples", "a", ["x": 1, "d": 0.5, "y": 1]),
                Record("Samples", "b", ["x": 2, "d": 0.25, "y": 2]),
                Record("Samples", "c", ["x": 4, "y": 2]), Record("Samples", "d", ["y": 1]),
                Record("Others", "e", ["x": 100]),
            ])
            let all = Query(recordType: "Samples")
            let some = Query(recordType: "Samples", filter: .compare("y", .equal, 2), sortedBy: [Sort("x")])
            try expect("The sum", try await database.sum(of: "x", matching: all), equals: 7)
            try expect("The sum, whole", try await database.sum(of: "x", matching: all, as: Int.self), equals: 7)
            try expect("The sum of doubles", try await database.sum(of: "d", matching: all), equals: 0.75)
            try expect("The sum of some", try await database.sum(of: "x", matching: some), equals: 6)
            try expect("The average", try await database.average(of: "x", matching: some), equals: 3)
            try expect("The average of all", try await database.average(of: "d", matching: all), equals: 0.375)
            try await expectError(.invalidArguments, in: "d") {
                try await database.sum(of: "d", matching: all, as: Int.self)
            }
        },
        ConformanceRule(
            .aggregates, "without a value the sum is 0 and the other aggregates are nil",
            law:
                "Without a value the sum is 0, and average, minimum and maximum are nil; the same holds for unknown fields and types.",
            source: .cabinet("Aggregate")
        ) { world in
            let database = try await world.samples(["a": nil, "b": 5])
            let none = Query(recordType: "Samples", filter: .compare("x", .equal, nil))
            for (query, key) in [
                (none, "x"), (Query(recordType: "Samples"), "missing"), (Query(recordType: "Nothing"), "x"),
            ] {
                try expect("The sum", try await database.sum(of: key, matching: query, as: Int.self), equals: 0)
                try expect("The average", try await database.average(of: key, matching: query), equals: nil)
                let least = try await database.minimum(of: key, matching: query)
                let greatest = try await database.maximum(of: key, matching: query)
                try expect(least == nil && greatest == nil, "The minimum or the maximum of no values exists.")
            }
            try expect("The sum", try await database.sum(of: "x", matching: Query(recordType: "Samples")), equals: 5)
        },
        ConformanceRule(
            .aggregates, "a sum is exact and independent of the order",
            law:
                "A sum is exact before it is rounded once: whole numbers over 64 bits, and doubles of any magnitude.",
            source: .cabinet("Aggregate.sum")
        ) { world in
            let database = try world.privateDatabase()
            let rows: [(x: Int64, y: Int64, d: Double)] = [
                (.max, .max, 1e100), (1, .max, 1), (-2, 0, -1e100), (0, 0, 0x1p-60), (0, 0, 0x1p-53),
            ]
            try await database.saveAll(
                rows.enumerated().map { Record("Samples", "\($0)", ["x": $1.x, "y": $1.y, "d": $1.d]) })
            let all = Query(recordType: "Samples")
            let whole = try await database.sum(of: "x", matching: all, as: Int64.self)
            try expect("The sum of whole numbers", whole, equals: .max - 1)
            let large = try await database.sum(of: "y", matching: all)
            try expect("The sum beyond 64 bits", large, equals: 0x1p64)
            try expect("The sum of doubles", try await database.sum(of: "d", matching: all), equals: 1 + 0x1p-52)
            try expect("The average", try await database.average(of: "y", matching: all), equals: 0x1p64 / 5)
        },
        ConformanceRule(
            .aggregates, "the minimum and the maximum are found",
            law:
                "Minimum and maximum are the first and the last value in sort order, for every sortable type.",
            source: .cabinet("Aggregate.minimum")
        ) { world in
            let database = try world.privateDatabase()
            let first = world.clock.now()
            try await database.save(
                Record("Samples", "a", ["x": 2, "d": -0.5, "s": "b", "at": Date.distantFuture, "data": Data([2])]))
            let last = world.clock.advance()
            try await database.saveAll([
                Record(
                    "Samples", "b",
                    ["x": Int64.min, "d": Double.infinity, "s": "Z", "at": Date.distantPast, "data": Data()]),
                Record("Samples", "c", ["s": "\u{E9}"]),
            ])
            let all = Query(recordType: "Samples")
            func expectRange<Value: Equatable>(
                _ key: Record.FieldKey, _ least: Value, _ greatest: Value, line: Int = #line
            ) async throws {
                let minimum = try await database.minimum(of: key, matching: all)
                let maximum = try await database.maximum(of: key, matching: all)
                try expect("The minimum of \(key)", minimum as? Value, equals: least, line: line)
                try expect("The maximum of \(key)", maximum as? Value, equals: greatest, line: line)
            }
            try await expectRange("x", Int.min, 2)
            try await expectRange("d", -0.5, Double.infinity)
            try await expectRange("s", "Z", "\u{E9}")
            try await expectRange("at", Date.distantPast, .distantFuture)
            try await expectRange("data", Data(), Data([2]))
            try await expectRange("creationDate", first, last)
        },
        ConformanceRule(
            .aggregates, "records are counted by their values",
            law: "Each value occurs once with the number of its records, nil included, in ascending order.",
            source: .cabinet("Database.counts")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveAll([
                Record("Samples", "a", ["x": "b", "n": 2, "r": Reference("z"), "d": 0.0]),
                Record("Samples", "b", ["x": "B", "n": 10, "r": Reference("z", .none), "d": -0.0]),
                Record("Samples", "c", ["x": "b", "n": 2, "r": Reference("y"), "d": 1.0]),
                Record("Samples", "d", ["x": "\u{E9}", "n": 9]), Record("Samples", "e", ["x": "e\u{301}"]),
                Record("Samples", "f"),
            ])
            let all = Query(recordType: "Samples")
            try await database.expectCounts(by: "x", all, ["nil": 1, "B": 1, "b": 2, "e\u{301}": 1, "\u{E9}": 1])
            try await database.expectCounts(by: "n", all, ["nil": 2, "2": 2, "9": 1, "10": 1])
            try await database.expectCounts(by: "d", all, ["nil": 3, "0.0": 2, "1.0": 1])
            try await database.expectCounts(by: "missing", all, ["nil": 6])
            let some = Query(recordType: "Samples", filter: .compare("n", .lessThan, 10), sortedBy: [Sort("x")])
            try await database.expectCounts(by: "x", some, ["b": 2, "\u{E9}": 1])
            try await database.expectCounts(by: "x", Query(recordType: "Nothing"), [:])
            let references = try await database.counts(by: "r", matching: all)
            try expect("The counts", references.map(\.count), equals: [3, 1, 2])
            let names = references.map { ($0.value as? Reference)?.recordID.recordName }
            try expect("The references", names, equals: [nil, "y", "z"])
            // More values than a store might return at once.
            for start in [0, 200] {
                try await database.saveAll((start..<start + 200).map { Record("Many", "many\($0)", ["n": $0]) })
            }
            let many = try await database.counts(by: "n", matching: Query(recordType: "Many"))
            try expect("The counts of many values", many.map(\.count), equals: Array(repeating: 1, count: 400))
        },
        ConformanceRule(
            .aggregates, "aggregates follow paths",
            law: "Sums and grouped counts use the value at the end of a key path; a path without a target yields nil.",
            source: .cabinet("Database.counts")
        ) { world in
            let database = try await world.relatives()
            let all = Query(recordType: "Samples")
            try await database.save(Record("Samples", "f", ["list": Reference("food")]))
            try await database.expectCounts(by: "list.name", all, ["nil": 3, "Groceries": 2, "Orphan": 1])
            try await database.expectCounts(by: "list.owner.age", all, ["nil": 3, "30": 2, "40": 1])
            let sum = try await database.sum(of: "list.owner.age", matching: all, as: Int.self)
            try expect("The sum", sum, equals: 100)
            let some = Query(recordType: "Samples", filter: try Filter("list.name == 'Groceries'"))
            try expect("The average", try await database.average(of: "list.owner.age", matching: some), equals: 30)
            let greatest = try await database.maximum(of: "list.name", matching: all)
            try expect("The greatest", greatest as? String, equals: "Orphan")
        },
        ConformanceRule(
            .aggregates, "unsupported aggregates are refused",
            law:
                "A sum of text, a minimum of locations, a group of lists: each is refused naming the field, also without records.",
            source: .cabinet("Aggregate")
        ) { world in
            let database = try await world.relatives()
            try await database.save(
                Record(
                    "Samples", "place",
                    ["x": Location(latitude: 0, longitude: 0), "tags": ["a"], "friends": [Reference("anna")]]))
            let names = try await database.names("Samples")
            let all = Query(recordType: "Samples")
            for _ in 1...2 {
                for key in ["name", "creationDate", "list", "x", "tags", "list.name", "friends.age", "name.x"] {
                    try await expectError(.invalidArguments, naming: [key], in: key) {
                        try await database.sum(of: key, matching: all)
                    }
                    try await expectError(.invalidArguments, naming: [key], in: key) {
                        try await database.average(of: key, matching: all)
                    }
                }
                for key in ["x", "tags", "list", "list.owner.tags", "friends.age"] {
                    try await expectError(.invalidArguments, naming: [key], in: key) {
                        try await database.minimum(of: key, matching: all)
                    }
                    try await expectError(.invalidArguments, naming: [key], in: key) {
                        try await database.maximum(of: key, matching: all)
                    }
                }
                for key in ["x", "tags", "list.owner.tags", "friends.age", "list..name"] {
                    try await expectError(.invalidArguments, naming: [key], in: key) {
                        try await database.counts(by: key, matching: all)
                    }
                }
                try await database.deleteAll(names)
            }
        },
        ConformanceRule(
            .aggregates, "exists reports whether a query has a record",
            law: "exists returns true if a query has at least one record, in any order, and false otherwise.",
            source: .cabinet("Database.exists")
        ) { world in
            let database = try await world.samples(["a": 1, "b": 2, "c": 2])
            for (value, expected) in [(1, true), (2, true), (3, false)] {
                let query = Query(recordType: "Samples", filter: .compare("x", .equal, value), sortedBy: [Sort("x")])
                try expect("Whether \(value) exists", try await database.exists(matching: query), equals: expected)
            }
            let nothing = try await database.exists(matching: Query(recordType: "Nothing"))
            try expect("Whether a record of an unknown type exists", nothing, equals: false)
        },
        ConformanceRule(
            .aggregates, "an explanation covers the whole filter",
            law:
                "The part of the filter that the store decides, joined with the part that is evaluated afterwards, is the filter.",
            source: .cabinet("QueryExplanation")
        ) { world in
            let database = try await world.relatives()
            let records = try await database.allRecords(matching: Query(recordType: "Samples"))
            for format in [
                "TRUEPREDICATE", "name == 'a'", "name == 'Groceries' AND name MATCHES 'G.*'",
                "name MATCHES 'x' OR name == 'd'",
                "NOT (name == 'd' AND name LIKE '*')", "name != NIL AND (name < 'c' OR name CONTAINS 'e')",
            ] {
                let filter = try Filter(format)
                let query = Query(recordType: "Samples", filter: filter, sortedBy: [Sort("name")])
                let explanation = try await database.explain(query)
                for record in records {
                    let parts = [explanation.pushedDown, explanation.evaluated].compactMap { $0 }
                    let isFound = try parts.allSatisfy { try $0.matches(record) }
                    try expect("Whether the parts of \(filter) match", isFound, equals: try filter.matches(record))
                }
                try expect(!explanation.description.isEmpty, "The explanation of \(filter) is empty.")
            }
            try await expectError(.invalidArguments, naming: ["list"]) {
                try await database.explain(Query(recordType: "Samples", filter: .compare("list", .lessThan, 1)))
            }
        },
    ]
}

extension Database {
    /// Throws unless grouped counts are as expected.
    ///
    /// Values are given by their descriptions.
    fileprivate func expectCounts(
        by key: Record.FieldKey, _ query: Query, _ expected: KeyValuePairs<String, Int>, fileID: String = #fileID,
        line: Int = #line
    ) async throws {
        let found = try await counts(by: key, matching: query).map { group in
            "\(group.value.map { "\($0)" } ?? "nil"): \(group.count)"
        }
        // As bytes, because Swift treats composed and decomposed letters as equal.
        try expect(
            "The counts by \(key)", found.map { Array($0.utf8) },
            equals: expected.map { Array("\($0): \($1)".utf8) }, fileID: fileID, line: line)
    }
}
