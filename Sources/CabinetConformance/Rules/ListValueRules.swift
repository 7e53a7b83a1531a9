import Cabinet
import Foundation

extension ConformanceRule {
    /// Lists keep their order, or are refused.
    static let listValues: [ConformanceRule] = [
        ConformanceRule(
            .values, "lists keep order and repetitions",
            law: "A list of any type keeps its elements in their order, repeated ones included.",
            source: .cloudKit("the schema language, LIST")
        ) { world in
            try await expectRoundTrip([["b", "a", "b", "", "\0", "it's, \"odd\"]"], ["x"]], in: world)
            try await expectRoundTrip([[Int64.max, 0, 0, .min]], in: world, type: "Numbers")
            try await expectRoundTrip([[2.5, -1e300, .infinity, 0.1, 3]], in: world, type: "Doubles")
            try await expectRoundTrip([[Date.distantFuture, .distantPast, Date()]], in: world, type: "Dates")
            try await expectRoundTrip([[Data([0, 255]), Data(), Data([0])]], in: world, type: "Bytes")
            let place = Location(latitude: 1.5, longitude: -2.5, altitude: 3)
            try await expectRoundTrip([[place, Location(latitude: 0, longitude: 0), place]], in: world, type: "Places")
            try await expectRoundTrip([[true, false, true]], in: world, type: "Flags")
        },
        ConformanceRule(
            .values, "lists of references keep order, repetitions and actions",
            law: "A list of references keeps every ID and action at its position.",
            source: .cloudKit("the schema language, LIST<REFERENCE>")
        ) { world in
            try await world.privateDatabase().saveAll([Record("Lists", "one"), Record("Lists", "two")])
            try await expectRoundTrip(
                [
                    [
                        Reference("two", .nullify), Reference("one", .none), Reference("two", .nullify),
                        Reference("two", .deny), Reference("gone", .none),
                    ],
                    [Reference("one", .deleteSelf)],
                ], in: world)
        },
        ConformanceRule(
            .values, "an empty list is a value with a type",
            law: "An empty list stays an empty list, and its field has the type of the list. It fits every list field.",
            source: .cabinet("the round trip of values")
        ) { world in
            let database = try world.privateDatabase()
            try await database.save(
                Record(
                    "Samples", "one",
                    [
                        "texts": [String](), "numbers": [Int](), "doubles": [Double](), "dates": [Date](),
                        "bytes": [Data](),
                        "references": [Reference](), "places": [Location](),
                    ]))
            let record = try await database.fetch("one")
            try expect("The number of lists", record.allKeys().count, equals: 7)
            try expect("The texts", record.fieldValue("texts"), equals: .list(.string([])))
            try expect("The numbers", record.fieldValue("numbers"), equals: .list(.int64([])))
            try expect("The doubles", record.fieldValue("doubles"), equals: .list(.double([])))
            try expect("The dates", record.fieldValue("dates"), equals: .list(.timestamp([])))
            try expect("The bytes", record.fieldValue("bytes"), equals: .list(.bytes([])))
            try expect("The references", record.fieldValue("references"), equals: .list(.reference([])))
            try expect("The places", record.fieldValue("places"), equals: .list(.location([])))
            try await expectError(.invalidArguments, in: "texts") {
                try await database.save(Record("Samples", "two", ["texts": [1, 2]]))
            }
            try await database.save(Record("Samples", "two", ["dates": [Date.now], "numbers": [1]]))
            let two = try await database.fetch("two").with(["dates": [String](), "numbers": [Reference]()])
            try await database.save(two)
            let emptied = try await database.fetch("two")
            try expect("The emptied dates", emptied.fieldValue("dates"), equals: .list(.timestamp([])))
            try expect("The emptied numbers", emptied.fieldValue("numbers"), equals: .list(.int64([])))
        },
        ConformanceRule(
            .values, "a list of ten thousand elements is stored",
            law: "A list may be as long as memory allows.",
            source: .cabinet("Batch limits")
        ) { world in
            try await expectRoundTrip([(0..<10_000).map { "element \($0)" }, []], in: world)
            try await expectRoundTrip([Array(0..<10_000)], in: world, type: "Numbers")
        },
        ConformanceRule(
            .values, "a list of lists is refused",
            law: "Lists are flat: an array of arrays fails with invalidArguments, which names the field.",
            source: .cloudKit("the schema language, LIST")
        ) { world in
            try await expectRefused([[1], [2, 3]], in: world)
            try await expectRefused([[String]](), in: world)
        },
        ConformanceRule(
            .values, "an untyped list reads as a typed array",
            law: "Read untyped, a list is an array of the Swift type of its elements, and whole numbers are Int.",
            source: .cabinet("Names")
        ) { world in
            let database = try world.privateDatabase()
            try await database.save(Record("Samples", "one", ["tags": ["a", "b"], "numbers": [Int8(1), 2]]))
            let record = try await database.fetch("one")
            try expect("The tags", record["tags"] as? [String], equals: ["a", "b"])
            try expect("The numbers", record["numbers"] as? [Int], equals: [1, 2])
        },
    ]
}
