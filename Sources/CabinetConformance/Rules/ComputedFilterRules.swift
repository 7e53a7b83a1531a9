import Cabinet
import Foundation

extension ConformanceRule {
    /// Computations in filters.
    static let computedFilters: [ConformanceRule] = [
        ConformanceRule(
            .filters, "arithmetic computes with numbers",
            law: "Whole numbers stay whole if the result is whole and fits 64 bits; otherwise the result is a DOUBLE.",
            source: .cabinet("Filter.Arithmetic")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveAll([
                Record("Samples", "a", ["x": 6, "d": 1.5]), Record("Samples", "b", ["x": 5, "d": -2.0]),
                Record("Samples", "max", ["x": Int64.max, "d": 0.0]), Record("Samples", "min", ["x": Int64.min]),
            ])
            let all = ["a", "b", "max", "min"]
            try await database.expectFound(formats: [
                ("x + 1 == 7", ["a"]), ("x - 1 == 4", ["b"]), ("x * 2 == 10", ["b"]), ("x / 2 == 3", ["a"]),
                ("x / 2 == 2.5", ["b"]), ("x ** 2 == 36", ["a"]), ("x ** -1 == 0.2", ["b"]), ("x ** 0 == 1", all),
                ("-x == -6", ["a"]), ("x / d == 4", ["a"]), ("x + d == 3", ["b"]), ("d * 2 == 3", ["a"]),
                ("(x + 1) * 2 == 14", ["a"]), ("x + 1 * 2 == 8", ["a"]), ("x - 2 - 3 == 1", ["a"]),
                ("2 ** 3 ** 2 == 512", all), ("x == 2 * 3", ["a"]), ("x IN {1 + 4}", ["b"]),
                ("x BETWEEN {2 + 2, 10 / 2}", ["b"]), ("x - 4 > 1", ["a", "max"]), ("x > d + 4", ["a", "b", "max"]),
                // Beyond 64 bits.
                ("x + 1 == 9223372036854775808.0", ["max"]), ("x - 1 == -9223372036854775808.0", ["min"]),
                ("x * 2 > 1.8E19", ["max"]), ("-x == 9223372036854775808.0", ["min"]),
                ("x ** 3 > 1E50", ["max"]), ("x / -1 == 9223372036854775808.0", ["min"]),
                // Exact if they fit.
                ("x - 1 == 9223372036854775806", ["max"]), ("x - 1 == 9223372036854775805", []),
            ])
        },
        ConformanceRule(
            .filters, "arithmetic with nil is nil",
            law:
                "An operation with nil is nil, and so are a quotient by zero and any other result that is not a number.",
            source: .cabinet("Filter.Arithmetic")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveAll([
                Record("Samples", "a", ["x": 6, "d": 0.0]), Record("Samples", "b", ["x": 0, "d": Double.infinity]),
                Record("Samples", "nil"),
            ])
            let all = ["a", "b", "nil"]
            try await database.expectFound(formats: [
                ("x + 1 == NIL", ["nil"]), ("NOT x + 1 == 7", ["b", "nil"]), ("x + 1 != 7", ["b", "nil"]),
                ("x + 1 > 0", ["a", "b"]), ("NOT x + 1 > 0", ["nil"]), ("x + missing == NIL", all),
                ("x / 0 == NIL", all), ("x / d == NIL", ["a", "nil"]), ("x / 0.0 > 0", []), ("-x == NIL", ["nil"]),
                ("0 ** x == 0", ["a"]), ("0 ** x == 1", ["b"]), ("d - d == NIL", ["b", "nil"]),
                ("d * 0 == NIL", ["b", "nil"]),
                ("(-8) ** 0.5 == NIL", all), ("x ** NIL == NIL", all), ("d + 1 > 1E300", ["b"]),
                ("{x + 1} == {NIL}", ["nil"]),
            ])
        },
        ConformanceRule(
            .filters, "an index finds an element of a list",
            law:
                "x[i] is an element, counted from 0; it is nil outside the list, and of nil. x[SIZE] is the number of elements.",
            source: .cabinet("predicates, section 3")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveAll([
                Record("Samples", "abc", ["x": ["a", "b", "c"], "i": 1]), Record("Samples", "b", ["x": ["b"], "i": 0]),
                Record("Samples", "empty", ["x": [String](), "i": 0]), Record("Samples", "nil"),
            ])
            let all = ["abc", "b", "empty", "nil"]
            try await database.expectFound(formats: [
                ("x[0] == 'a'", ["abc"]), ("x[2] == 'c'", ["abc"]), ("x[0] == 'b'", ["b"]),
                ("x[i] == 'b'", ["abc", "b"]),
                ("x[i + 1] == 'c'", ["abc"]), ("x[FIRST] == 'b'", ["b"]), ("x[FIRST] == 'a'", ["abc"]),
                ("x[LAST] == 'c'", ["abc"]),
                ("x[SIZE] == 3", ["abc"]), ("x[SIZE] == 0", ["empty"]), ("x[SIZE] == NIL", ["nil"]),
                ("x[SIZE] > 0", ["abc", "b"]), ("x[1] == NIL", ["b", "empty", "nil"]), ("x[3] == NIL", all),
                ("x[-1] == NIL", all), ("x[9223372036854775807] == NIL", all), ("x[FIRST] == NIL", ["empty", "nil"]),
                ("x[LAST] == NIL", ["empty", "nil"]), ("x[i] == NIL", ["empty", "nil"]), ("x[1.0] == 'b'", ["abc"]),
                ("x[0] BEGINSWITH 'a'", ["abc"]), ("x[0] ==[c] 'A'", ["abc"]), ("{'p', x[0]}[1] == 'b'", ["b"]),
                ("NOT x[0] == 'a'", ["b", "empty", "nil"]), ("x[SIZE] - 1 == i + 1", ["abc", "nil"]),
            ])
        },
        ConformanceRule(
            .filters, "collection operators reduce a list to one value",
            law:
                "@count counts; @sum without elements is 0; @avg, @min and @max without elements are nil; all are nil of nil.",
            source: .cabinet("predicates, section 3")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveAll([
                Record("Samples", "a", ["x": [3, 1, 2], "d": [0.5, 0.25], "s": ["b", "a"]]),
                Record("Samples", "b", ["x": [10], "d": [1e100, 1.0, -1e100]]),
                Record("Samples", "empty", ["x": [Int](), "d": [Double]()]), Record("Samples", "nil"),
            ])
            try await database.expectFound(formats: [
                ("x.@count == 3", ["a"]), ("x.@count == 0", ["empty"]), ("x.@count == NIL", ["nil"]),
                ("x.@sum == 6", ["a"]), ("x.@sum == 0", ["empty"]), ("x.@sum == NIL", ["nil"]),
                ("x.@sum.SELF == 10", ["b"]),
                ("x.@avg == 2", ["a"]), ("x.@avg == NIL", ["empty", "nil"]), ("x.@min == 1", ["a"]),
                ("x.@max == 3", ["a"]), ("x.@min == 10 AND x.@max == 10", ["b"]), ("x.@max == NIL", ["empty", "nil"]),
                ("x.@min == NIL", ["empty", "nil"]), ("d.@sum == 0.75", ["a"]), ("d.@sum == 1", ["b"]),
                ("d.@max == 1E100", ["b"]), ("s.@min == 'a'", ["a"]), ("s.@max == 'b'", ["a"]),
                ("x.@sum / x.@count == x.@avg", ["a", "b", "nil", "empty"]), ("NOT x.@sum > 6", ["a", "empty", "nil"]),
            ])
        },
        ConformanceRule(
            .filters, "invalid computations are refused",
            law:
                "Arithmetic, indexes, collection operators and distances of other types are refused, also without records.",
            source: .cabinet("Filter.validate")
        ) { world in
            let database = try world.privateDatabase()
            let record = Record(
                "Samples", "one",
                [
                    "s": "a", "n": 1, "at": Date.distantPast, "tags": ["a"],
                    "place": Location(latitude: 0, longitude: 0),
                ])
            try await database.save(record)
            let place = Filter.Expression.constant(.location(Location(latitude: 0, longitude: 0)))
            var filters: [(filter: Filter, key: String)] = [
                (.comparison(.init(.distance(.field("n"), place), .lessThan, .constant(.int64(1)))), "n"),
                (.comparison(.init(.field("n"), .equal, .variable("x"))), "$x"),
                (.comparison(.init(.searchableText, .equal, .constant(.string("a")))), "text"),
            ]
            for (format, key) in [
                ("s + 1 == 2", "s"), ("-s == 1", "s"), ("n * tags == 1", "tags"), ("at - 1 == NIL", "at"),
                ("n + 'a' == 1", "n"), ("n[0] == 1", "n"), ("s[0] == 'a'", "s"), ("tags['a'] == 'a'", "tags"),
                ("tags[1.5] == 'a'", "tags"), ("s[SIZE] == 1", "s"), ("n.@count == 1", "n"), ("tags.@sum == 1", "tags"),
                ("tags.@avg == 1", "tags"), ("n + 1 BEGINSWITH 'a'", "n"), ("tags[0] + 1 == 2", "tags"),
                ("{s + 1} == {2}", "s"),
            ] {
                filters.append((try Filter(format), key))
            }
            for _ in 1...2 {
                for (filter, key) in filters {
                    try await expectError(.invalidArguments, naming: [key]) {
                        try await database.names("Samples", where: .or([.constant(true), filter]))
                    }
                }
                // The second round has fields, but no records.
                try await database.deleteRecord(withID: record.recordID)
            }
        },
    ]
}

extension Database {
    /// Throws unless filters in the filter language find exactly the records of the type `Samples` with the given
    /// names.
    func expectFound(
        formats: [(format: String, names: [String])], fileID: String = #fileID, line: Int = #line
    ) async throws {
        try await expectFound(
            try formats.map { (try Filter($0.format), $0.names) }, fileID: fileID, line: line)
    }
}
