import Cabinet
import Foundation

extension ConformanceRule {
    /// The results of each operator among values of each type.
    static let scalarFilters: [ConformanceRule] = [
        ConformanceRule(
            .filters, "whole numbers compare exactly",
            law: "The operators compare whole numbers exactly over 64 bits, with integers and doubles; nil is in no "
                + "order.",
            source: .cabinet("predicates, section 3")
        ) { world in
            let database = try await world.samples(
                [
                    "min": Int64.min, "neg": -5, "nil": nil, "one": 1, "two": 2, "big": 9_007_199_254_740_993,
                    "max": Int64.max,
                ])
            try await database.expectFound(formats: [
                ("x == 1", ["one"]), ("x == 1.0", ["one"]), ("x == 9007199254740992", []),
                ("x == 9007199254740993", ["big"]), ("x != 1", ["big", "max", "min", "neg", "nil", "two"]),
                ("x < 2", ["min", "neg", "one"]), ("x < 1.5", ["min", "neg", "one"]),
                ("x <= 2", ["min", "neg", "one", "two"]), ("x > 1", ["big", "max", "two"]),
                ("x >= 9223372036854775807", ["max"]), ("x <= -9223372036854775808", ["min"]),
                ("x BETWEEN {-5, 1}", ["neg", "one"]), ("x BETWEEN {1, -5}", []),
                ("x IN {2, -5, 7, 1.0}", ["neg", "one", "two"]), ("x IN {}", []),
            ])
        },
        ConformanceRule(
            .filters, "doubles compare by value",
            law: "The operators compare doubles by value, with doubles and integers, the infinities included.",
            source: .cabinet("predicates, section 3")
        ) { world in
            let database = try await world.samples(
                [
                    "low": -Double.infinity, "neg": -0.5, "zero": 0.0, "tenth": 0.1, "two": 2.0,
                    "high": Double.infinity, "nil": nil,
                ])
            try await database.expectFound(formats: [
                ("x == 2", ["two"]), ("x == 0.1", ["tenth"]), ("x == 0", ["zero"]),
                ("x != 0.1", ["high", "low", "neg", "nil", "two", "zero"]), ("x < 0", ["low", "neg"]),
                ("x <= 0.1", ["low", "neg", "tenth", "zero"]), ("x > 0.1", ["high", "two"]),
                ("x >= 2", ["high", "two"]), ("x BETWEEN {-0.5, 0.1}", ["neg", "tenth", "zero"]),
                ("x BETWEEN {0, 2}", ["tenth", "two", "zero"]),
            ])
            try await database.expectFound([
                (.compare("x", .equal, -Double.infinity), ["low"]),
                (.compare("x", .in, list: [0.1, 2, Double.infinity]), ["high", "tenth", "two"]),
            ])
        },
        ConformanceRule(
            .filters, "text compares scalar by scalar",
            law: "The operators compare text by scalars, case and accents included; nothing in it is a wildcard.",
            source: .cabinet("predicates, section 3")
        ) { world in
            let database = try await world.samples(
                [
                    "empty": "", "upper": "Milk", "lower": "milk", "accent": "m\u{EF}lk", "percent": "100%",
                    "under": "a_b",
                    "aXb": "aXb", "emoji": "👍🏽", "quote": "it's", "nil": nil,
                ])
            try await database.expectFound(formats: [
                ("x == 'milk'", ["lower"]), ("x == ''", ["empty"]), ("x == \"it's\"", ["quote"]), ("x == '👍'", []),
                ("x != 'milk'", ["aXb", "accent", "emoji", "empty", "nil", "percent", "quote", "under", "upper"]),
                ("x < 'Milk'", ["empty", "percent"]), ("x > 'milk'", ["accent", "emoji"]),
                ("x >= 'milk'", ["accent", "emoji", "lower"]), ("x <= ''", ["empty"]),
                ("x BETWEEN {'M', 'a_b'}", ["aXb", "under", "upper"]),
                ("x IN {'milk', \"it's\", 'x'}", ["lower", "quote"]), ("x BEGINSWITH 'm'", ["accent", "lower"]),
                ("x BEGINSWITH 'a_'", ["under"]), ("x BEGINSWITH '%'", []), ("x BEGINSWITH '👍'", ["emoji"]),
                ("x BEGINSWITH ''", []), ("x BEGINSWITH 'milk and more'", []), ("x CONTAINS 'il'", ["lower", "upper"]),
                ("x CONTAINS '%'", ["percent"]), ("x CONTAINS '_'", ["under"]), ("x CONTAINS ''", []),
                ("x IN 'some milk'", ["lower"]),
            ])
        },
        ConformanceRule(
            .filters, "text orders by scalars beyond the first plane",
            law: "A scalar beyond U+FFFF comes after those below it, U+E000 to U+FFFF included, in filters as in the "
                + "order.",
            source: .cabinet("Sort")
        ) { world in
            let database = try await world.samples([
                "a": "\u{FF5E}", "b": "\u{1F600}", "c": "\u{E000}", "d": "z\0", "e": "z",
            ])
            try await database.expectFound(formats: [
                ("x > '\u{FF5E}'", ["b"]), ("x < '\u{1F600}'", ["a", "c", "d", "e"]),
                ("x > 'z'", ["a", "b", "c", "d"]),
            ])
            try expect(
                "The order", try await database.names("Samples", by: [Sort("x")]), equals: ["e", "d", "c", "a", "b"])
        },
        ConformanceRule(
            .filters, "dates compare by instant",
            law: "The operators compare dates by instant, fractions of a second included.",
            source: .cabinet("predicates, section 3")
        ) { world in
            let base = Date(timeIntervalSinceReferenceDate: 790_000_000.5)
            let later = Date(timeIntervalSinceReferenceDate: 790_000_000.5.nextUp)
            let database = try await world.samples(
                [
                    "past": Date.distantPast, "old": Date(timeIntervalSince1970: -1), "base": base, "later": later,
                    "nil": nil,
                ])
            try await database.expectFound([
                (.compare("x", .equal, base), ["base"]),
                (.compare("x", .notEqual, base), ["later", "nil", "old", "past"]),
                (.compare("x", .greaterThan, base), ["later"]),
                (.compare("x", .lessThan, later), ["base", "old", "past"]),
                (.compare("x", .lessThanOrEqual, Date(timeIntervalSince1970: 0)), ["old", "past"]),
                (.compare("x", .between, list: [Date(timeIntervalSince1970: -1), base]), ["base", "old"]),
                (.compare("x", .in, list: [later, Date.distantFuture]), ["later"]),
            ])
        },
        ConformanceRule(
            .filters, "bytes compare byte by byte",
            law: "The operators compare data byte by byte, a prefix before the longer value.",
            source: .cabinet("Sort")
        ) { world in
            let database = try await world.samples(
                ["empty": Data(), "one": Data([1]), "oneZero": Data([1, 0]), "high": Data([0xFF]), "nil": nil])
            try await database.expectFound([
                (.compare("x", .equal, Data([1])), ["one"]),
                (.compare("x", .equal, Data()), ["empty"]),
                (.compare("x", .notEqual, Data([1])), ["empty", "high", "nil", "oneZero"]),
                (.compare("x", .greaterThan, Data([1])), ["high", "oneZero"]),
                (.compare("x", .lessThan, Data([1, 0])), ["empty", "one"]),
                (.compare("x", .in, list: [Data([0xFF]), Data()]), ["empty", "high"]),
            ])
        },
        ConformanceRule(
            .filters, "a boolean compares as one and zero",
            law: "true finds 1, and false finds 0; nil is neither.",
            source: .cabinet("predicates, section 3")
        ) { world in
            let database = try await world.samples(["yes": true, "no": false, "nil": nil])
            try await database.expectFound(formats: [
                ("x == YES", ["yes"]), ("x == 1", ["yes"]), ("x == NO", ["no"]), ("x != YES", ["nil", "no"]),
            ])
        },
        ConformanceRule(
            .filters, "references compare by ID alone",
            law: "References are equal when they point to the same record, regardless of their actions.",
            source: .cloudKit("CKQuery, comparing references")
        ) { world in
            try await world.privateDatabase().saveAll([Record("Lists", "one"), Record("Lists", "two")])
            let database = try await world.samples(
                [
                    "none": Reference("one"), "self": Reference("one", .deleteSelf), "null": Reference("one", .nullify),
                    "deny": Reference("two", .deny), "gone": Reference("gone"), "nil": nil,
                ])
            for action in Reference.Action.allCases {
                try await database.expectFound([
                    (.compare("x", .equal, Reference("one", action)), ["none", "null", "self"]),
                    (.compare("x", .notEqual, Reference("one", action)), ["deny", "gone", "nil"]),
                    (
                        .compare("x", .in, list: [Reference("two", action), Reference("gone", action)]),
                        ["deny", "gone"]
                    ),
                    (.compare("x", .equal, Reference("ONE", action)), []),
                ])
            }
        },
        ConformanceRule(
            .filters, "locations compare by equality",
            law: "A location equals one with the same components.",
            source: .cabinet("predicates, section 3")
        ) { world in
            let place = Location(latitude: 52.5, longitude: 13.25)
            let database = try await world.samples(
                ["here": place, "up": Location(latitude: 52.5, longitude: 13.25, altitude: 30), "nil": nil])
            try await database.expectFound([
                (.compare("x", .equal, place), ["here"]), (.compare("x", .notEqual, place), ["nil", "up"]),
            ])
        },
    ]

    /// Logic, and the effect of nil on it.
    static let filterLogic: [ConformanceRule] = [
        ConformanceRule(
            .filters, "nil equals nil alone",
            law: "== nil finds the records without a value, whether the field was never set or removed; != nil finds "
                + "the others.",
            source: .cabinet("predicates, section 2")
        ) { world in
            let database = try await world.samples(["removed": 1, "never": nil, "set": 0])
            try await database.save(try await database.fetch("removed").with(["x": nil]))
            try await database.expectFound(formats: [
                ("x == NIL", ["never", "removed"]), ("x != NIL", ["set"]),
                ("missing == NIL", ["never", "removed", "set"]), ("missing != NIL", []), ("missing == 1", []),
                ("missing != 1", ["never", "removed", "set"]),
            ])
        },
        ConformanceRule(
            .filters, "NOT negates every answer",
            law: "The logic has two values: NOT finds exactly the records that the filter does not find, those with "
                + "nil included.",
            source: .cabinet("predicates, section 2")
        ) { world in
            let database = try await world.samples(["a": 1, "b": 2, "c": 3, "nil": nil])
            let all = ["a", "b", "c", "nil"]
            let filters: [(filter: Filter, found: [String])] = [
                (.compare("x", .equal, 2), ["b"]), (.compare("x", .notEqual, 2), ["a", "c", "nil"]),
                (.compare("x", .lessThan, 2), ["a"]), (.compare("x", .lessThanOrEqual, 2), ["a", "b"]),
                (.compare("x", .greaterThan, 2), ["c"]), (.compare("x", .greaterThanOrEqual, 2), ["b", "c"]),
                (.compare("x", .between, list: [1, 2]), ["a", "b"]), (.compare("x", .in, list: [1, 3]), ["a", "c"]),
                (.compare("x", .equal, nil), ["nil"]), (.compare("x", .lessThan, nil), []), (.constant(false), []),
                (.compare("missing", .beginsWith, "a"), []), (.compare("missing", .lessThan, 1), []),
                (.compare("missing", .in, list: [1]), []), (.compare("missing", .between, list: [1, 2]), []),
            ]
            for (filter, found) in filters {
                let others = all.filter { !found.contains($0) }
                try await database.expectFound([(filter, found), (.not(filter), others), (.not(.not(filter)), found)])
            }
        },
        ConformanceRule(
            .filters, "AND and OR join filters of any depth",
            law: "AND finds what all filters find, OR what any finds; without a filter AND finds all, and OR none.",
            source: .cabinet("OR, NOT over anything")
        ) { world in
            let database = try await world.samples(["a": 1, "b": 2, "c": 3, "d": 4, "nil": nil])
            let low = Filter.compare("x", .lessThan, 3)
            let even = Filter.compare("x", .in, list: [2, 4])
            try await database.expectFound([
                (.and([low, even]), ["b"]), (.or([low, even]), ["a", "b", "d"]),
                (.not(.or([low, even])), ["c", "nil"]),
                (.and([low, .not(even)]), ["a"]),
                (.or([.and([low, even]), .not(.or([low, even]))]), ["b", "c", "nil"]),
                (.and([]), ["a", "b", "c", "d", "nil"]), (.or([]), []), (.and([.constant(true), low]), ["a", "b"]),
                (.or([.constant(false), even]), ["b", "d"]), (.not(.and([])), []),
                (.constant(true), ["a", "b", "c", "d", "nil"]),
            ])
        },
        ConformanceRule(
            .filters, "values of different kinds are unequal",
            law:
                "Nothing is converted: text, numbers, dates and data are never equal to each other, and have no common order.",
            source: .cabinet("predicates, section 3")
        ) { world in
            let database = try await world.samples(["five": 5, "nil": nil])
            try await database.save(Record("Samples", "text", ["y": "5"]))
            try await database.expectFound([
                (.compare("x", .equal, "5"), []), (.compare("x", .notEqual, "5"), ["five", "nil", "text"]),
                (.compare("y", .equal, 5), []), (.compare("y", .lessThan, 6), []),
                (.compare("y", .in, list: [5, "5"]), ["text"]), (.compare("x", .equal, Date()), []),
            ])
        },
        ConformanceRule(
            .filters, "two fields can be compared",
            law: "Both sides of a comparison may be fields of the record.",
            source: .cabinet("Filter.Expression.field")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveAll([
                Record("Samples", "less", ["x": 1, "y": 2.5]), Record("Samples", "more", ["x": 3, "y": 2.5]),
                Record("Samples", "same", ["x": 2, "y": 2.0]), Record("Samples", "half", ["x": 2]),
                Record("Samples", "none"),
            ])
            func compare(_ comparison: Filter.Operator) -> Filter {
                .comparison(.init(.field("x"), comparison, .field("y")))
            }
            try await database.expectFound([
                (compare(.lessThan), ["less"]), (compare(.greaterThanOrEqual), ["more", "same"]),
                (compare(.equal), ["none", "same"]), (compare(.notEqual), ["half", "less", "more"]),
            ])
        },
        ConformanceRule(
            .filters, "a constant may be on the left",
            law: "A comparison with the constant on its left finds the records of the mirrored comparison.",
            source: .cabinet("Filter.Expression.constant")
        ) { world in
            let database = try await world.samples(["a": 1, "b": 2, "c": 3, "nil": nil])
            func compare(_ comparison: Filter.Operator) -> Filter {
                .comparison(.init(.constant(.int64(2)), comparison, .field("x")))
            }
            try await database.expectFound([
                (compare(.equal), ["b"]), (compare(.notEqual), ["a", "c", "nil"]), (compare(.lessThan), ["c"]),
                (compare(.lessThanOrEqual), ["b", "c"]), (compare(.greaterThan), ["a"]),
                (compare(.greaterThanOrEqual), ["a", "b"]),
            ])
        },
    ]
}

extension ConformanceWorld {
    /// Saves records of the type `Samples` with one field `x`, by name, in a private database.
    func samples(_ values: KeyValuePairs<String, (any RecordValue)?>) async throws -> Database {
        let database = try privateDatabase()
        try await database.saveAll(values.map { Record("Samples", $0.key, ["x": $0.value]) })
        return database
    }
}

extension Database {
    /// Throws unless filters find exactly the records of the type `Samples` with the given names, and count them.
    func expectFound(
        _ cases: [(filter: Filter, names: [String])], fileID: String = #fileID, line: Int = #line
    ) async throws {
        for (filter, expected) in cases {
            let found = try await names("Samples", where: filter).sorted()
            try expect("The records with \(filter)", found, equals: expected.sorted(), fileID: fileID, line: line)
            let count = try await count(matching: Query(recordType: "Samples", filter: filter))
            try expect("The count of \(filter)", count, equals: expected.count, fileID: fileID, line: line)
        }
    }
}
