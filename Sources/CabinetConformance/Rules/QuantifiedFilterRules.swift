import Cabinet
import Foundation

extension ConformanceRule {
    /// The results of ANY, ALL and NONE.
    static let quantifiedFilters: [ConformanceRule] = [
        ConformanceRule(
            .filters, "ANY, ALL and NONE test elements",
            law:
                "ANY holds if some element satisfies the comparison, ALL if every element does, NONE if no element does.",
            source: .cabinet("predicates, section 3")
        ) { world in
            let database = try await world.samples([
                "low": [1, 2], "mixed": [2, 9], "high": [8, 9], "big": [Int64.max],
            ])
            try await database.expectFound([
                (.any("x") == 2, ["low", "mixed"]), (.any("x") == 2.0, ["low", "mixed"]),
                (.any("x") == Int64.max, ["big"]), (.any("x") == Int64.max - 1, []),
                (.any("x") > 2, ["big", "high", "mixed"]), (.all("x") > 2, ["big", "high"]), (.none("x") > 2, ["low"]),
                (.all("x") < 9, ["low"]), (.any("x") != 9, ["big", "high", "low", "mixed"]),
                (.all("x") != 9, ["big", "low"]),
                (.none("x") == 9, ["big", "low"]), (.any("x").isIn([1, 8]), ["high", "low"]),
                (.all("x").isIn([1, 2, 9]), ["low", "mixed"]), (.not(.any("x") == 2), ["big", "high"]),
                (.any("x").isBetween(3, 8), ["high"]), (.all("x").isBetween(1, 9), ["high", "low", "mixed"]),
                (.none("x").isBetween(3, 8), ["big", "low", "mixed"]),
            ])
        },
        ConformanceRule(
            .filters, "ANY, ALL and NONE test texts",
            law: "Each element is tested by the whole comparison, its options included.",
            source: .cabinet("predicates, section 3")
        ) { world in
            let database = try await world.samples([
                "ab": ["Alpha", "beta"], "b": ["beta"], "odd": ["it's", "a\0b"],
            ])
            try await database.expectFound([
                (.any("x") == "beta", ["ab", "b"]), (.any("x") == "alpha", []),
                (.any("x").compared(.equal, to: "ALPHA", options: [.caseInsensitive]), ["ab"]),
                (.all("x").endsWith("ta"), ["b"]), (.any("x").beginsWith("Al"), ["ab"]),
                (.any("x").like("a?b"), ["odd"]),
                (.none("x").like("*a"), ["odd"]), (.any("x").matches("[A-Z].*"), ["ab"]),
                (.any("x").contains("'"), ["odd"]),
                (.all("x").isBetween("a", "c"), ["b"]), (.any("x") == 5, []), (.none("x") == 5, ["ab", "b", "odd"]),
            ])
        },
        ConformanceRule(
            .filters, "of an empty list ANY fails, ALL and NONE hold",
            law: "Over the empty list ANY is false, ALL and NONE are true, for any comparison.",
            source: .cabinet("predicates, section 3")
        ) { world in
            let database = try await world.samples(["empty": [String](), "a": ["a"]])
            try await database.expectFound([
                (.any("x") == "a", ["a"]), (.any("x") != "b", ["a"]), (.any("x").like("*"), ["a"]),
                (.all("x") == "a", ["a", "empty"]), (.all("x") == "b", ["empty"]), (.all("x").like("b*"), ["empty"]),
                (.none("x") == "a", ["empty"]), (.none("x") != "a", ["a", "empty"]),
                (.all("x").isBetween("b", "c"), ["empty"]), (.not(.any("x") == "a"), ["empty"]),
            ])
        },
        ConformanceRule(
            .filters, "ANY, ALL and NONE need a list",
            law:
                "ANY, ALL and NONE over a field that is not a list are refused with invalidArguments naming it, also without "
                + "records.",
            source: .cabinet("predicates, section 3")
        ) { world in
            let database = try world.privateDatabase()
            try await database.save(Record("Samples", "one", ["number": 1, "text": "a", "list": ["a"]]))
            for hasRecords in [true, false] {
                let filters: [(filter: Filter, key: String)] = [
                    (.any("number") == 1, "number"), (.all("text") == "a", "text"), (.none("text").like("b"), "text"),
                    (.any("creationDate") == 1, "creationDate"), (.all("number").isBetween(1, 2), "number"),
                    (.any("list").compared(.between, to: "a"), "list"), (.any("list").compared(.like, to: 1), "list"),
                ]
                for (filter, key) in filters {
                    try await expectError(.invalidArguments, naming: [key]) {
                        try await database.names("Samples", where: .or([.constant(true), filter]))
                    }
                }
                let found = try await database.names("Samples", where: .any("list") == "a")
                try expect("The records with an element", found, equals: hasRecords ? ["one"] : [])
                // The second round has fields, but no records.
                if hasRecords { try await database.deleteRecord(withID: .named("one")) }
            }
        },
    ]
}
