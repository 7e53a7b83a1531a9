import Cabinet
import CabinetTesting
import Foundation

extension ConformanceRule {
    /// Results of operators on lists.
    static let listFilters: [ConformanceRule] = [
        ConformanceRule(
            .filters, "CONTAINS finds an element of a list",
            law: "A list contains a value if an element equals it; an empty list and nil contain nothing.",
            source: .cloudKit("CKQuery, list membership")
        ) { world in
            let database = try await world.samples(
                [
                    "ab": ["a", "b"], "b": ["b", "b"], "A": ["A"], "quote": ["it's, \"odd\""], "empty": [String](),
                    "nil": nil,
                ])
            try await database.expectFound([
                (.compare("x", .contains, "b"), ["ab", "b"]), (.compare("x", .contains, "a"), ["ab"]),
                (.compare("x", .contains, "it's, \"odd\""), ["quote"]), (.compare("x", .contains, "c"), []),
                (.not(.compare("x", .contains, "b")), ["A", "empty", "nil", "quote"]),
                (.comparison(.init(.constant(.string("b")), .in, .field("x"))), ["ab", "b"]),
            ])
        },
        ConformanceRule(
            .filters, "CONTAINS finds numbers and dates in lists",
            law: "Elements of lists compare as single values do: numbers by value, dates by instant, data byte by "
                + "byte.",
            source: .cloudKit("CKQuery, list membership")
        ) { world in
            let database = try world.privateDatabase()
            let date = Date(timeIntervalSinceReferenceDate: 790_000_000.123)
            try await database.saveAll([
                Record(
                    "Samples", "a",
                    ["whole": [1, Int64.max], "double": [0.1, 2.0], "date": [date], "bytes": [Data([0, 1])]]),
                Record("Samples", "b", ["whole": [2], "double": [0.2], "date": [Date.distantPast], "bytes": [Data()]]),
            ])
            try await database.expectFound([
                (.compare("whole", .contains, Int64.max), ["a"]), (.compare("whole", .contains, 2.0), ["b"]),
                (.compare("double", .contains, 2), ["a"]), (.compare("double", .contains, 0.2), ["b"]),
                (.compare("date", .contains, date), ["a"]), (.compare("date", .contains, Date.distantPast), ["b"]),
                (.compare("bytes", .contains, Data([0, 1])), ["a"]), (.compare("bytes", .contains, Data()), ["b"]),
            ])
        },
        ConformanceRule(
            .filters, "CONTAINS finds a reference by ID alone",
            law: "A list of references contains a record's reference regardless of the actions.",
            source: .cloudKit("CKQuery, comparing references")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveAll([Record("Lists", "one"), Record("Lists", "two")])
            try await database.saveAll([
                Record("Samples", "a", ["x": [Reference("one", .deleteSelf), Reference("gone")]]),
                Record("Samples", "b", ["x": [Reference("two", .nullify)]]),
            ])
            try await database.expectFound([
                (.compare("x", .contains, Reference("one")), ["a"]),
                (.compare("x", .contains, Reference("gone", .deny)), ["a"]),
                (.compare("x", .contains, Reference("two", .deleteSelf)), ["b"]),
                (.compare("x", .contains, Reference("three")), []),
            ])
        },
        ConformanceRule(
            .filters, "lists are equal element by element",
            law: "Lists are equal when they have the same length and equal elements in the same order.",
            source: .cabinet("predicates, section 3")
        ) { world in
            let database = try await world.samples([
                "ab": ["a", "b"], "ba": ["b", "a"], "a": ["a"], "empty": [String](), "nil": nil,
            ])
            try await database.expectFound([
                (.compare("x", .equal, ["a", "b"]), ["ab"]), (.compare("x", .equal, [String]()), ["empty"]),
                (.compare("x", .notEqual, ["a", "b"]), ["a", "ba", "empty", "nil"]),
                (.compare("x", .equal, ["a", "b", "c"]), []),
                (.compare("x", .equal, "a"), []),
            ])
        },
        ConformanceRule(
            .filters, "IN takes ten thousand values",
            law: "The list of an IN may be long, and finds a record once even if it repeats the record's value.",
            source: .cabinet("Batch limits")
        ) { world in
            let database = try await world.samples(["a": 1, "b": 9_999, "c": 10_000, "nil": nil])
            let values: [(any RecordValue)?] = (0..<10_000).map { $0 } + [1, 1]
            try await database.expectFound([(.compare("x", .in, list: values), ["a", "b"])])
        },
    ]

    /// Filters on the metadata that the server keeps about a record.
    static let systemFieldFilters: [ConformanceRule] = [
        ConformanceRule(
            .filters, "records are found by their dates",
            law: "creationDate and modificationDate can be compared like any date, and sorted by.",
            source: .cloudKit("CKQuery, system fields")
        ) { world in
            let database = try world.privateDatabase()
            let first = world.clock.now()
            var record = try await database.save(Record("Samples", "c"))
            let second = world.clock.advance(by: 0.001)
            try await database.save(Record("Samples", "b"))
            let third = world.clock.advance()
            record = try await database.save(record.with(["x": 1]))
            try await database.save(Record("Samples", "a"))
            try await database.expectFound([
                (.compare("creationDate", .equal, first), ["c"]),
                (.compare("creationDate", .greaterThan, first), ["a", "b"]),
                (.compare("modificationDate", .equal, third), ["a", "c"]),
                (.compare("modificationDate", .lessThan, third), ["b"]),
                (.compare("creationDate", .between, list: [first, second]), ["b", "c"]),
            ])
            try expect(
                "By creation", try await database.names("Samples", by: [Sort("creationDate")]), equals: ["c", "b", "a"])
            let byModification = try await database.names("Samples", by: [Sort("modificationDate", ascending: false)])
            try expect("By modification", byModification, equals: ["c", "a", "b"])
        },
        ConformanceRule(
            .filters, "records are found by their users",
            law: "creatorUserRecordID and lastModifiedUserRecordID compare with references to the users' records.",
            source: .cloudKit("CKQuery, system fields")
        ) { world in
            let anna = try world.container().publicDatabase
            let ben = try world.container(account: Account(userRecordName: "_ben")).publicDatabase
            try await anna.saveAll([Record("Samples", "a"), Record("Samples", "b")])
            try await ben.save(Record("Samples", "c"))
            try await ben.expectFound([
                (.compare("creatorUserRecordID", .equal, Reference("_anna")), ["a", "b"]),
                (.compare("creatorUserRecordID", .notEqual, Reference("_anna")), ["c"]),
                (.compare("lastModifiedUserRecordID", .in, list: [Reference("_ben"), Reference("_carl")]), ["c"]),
            ])
        },
        ConformanceRule(
            .filters, "records are found by their ID",
            law: "recordID compares with references, by record name, alone and in lists.",
            source: .cloudKit("CKQuery, system fields")
        ) { world in
            let database = try await world.samples(["a": 1, "b": 2, "c": 3])
            try await database.expectFound([
                (.compare("recordID", .equal, Reference("b")), ["b"]),
                (.compare("recordID", .notEqual, Reference("b")), ["a", "c"]),
                (
                    .compare("recordID", .in, list: [Reference("c", .deny), Reference("a"), Reference("d")]),
                    ["a", "c"]
                ),
            ])
        },
        ConformanceRule(
            .filters, "records are found by their parent",
            law: "parent compares with references, and with nil.",
            source: .cabinet("SystemField.parent")
        ) { world in
            let database = try await world.samples(["parent": nil, "other": nil])
            for (name, parent) in [("a", "parent"), ("b", "parent"), ("c", "other")] {
                var child = Record("Samples", name)
                child.setParent(.named(parent))
                try await database.save(child)
            }
            try await database.expectFound([
                (.compare("parent", .equal, Reference("parent")), ["a", "b"]),
                (.compare("parent", .notEqual, Reference("parent")), ["c", "other", "parent"]),
                (.compare("parent", .equal, nil), ["other", "parent"]),
            ])
        },
    ]

    /// Invalid filters.
    static let filterErrors: [ConformanceRule] = [
        ConformanceRule(
            .filters, "a filter that does not fit its fields is refused",
            law: "An operator that does not take a field's type is refused with invalidArguments naming the field, "
                + "also without records.",
            source: .cabinet("predicates, section 3")
        ) { world in
            let database = try world.privateDatabase()
            try await database.save(
                Record(
                    "Samples", "one",
                    [
                        "number": 1, "list": ["a"], "reference": Reference("one"),
                        "place": Location(latitude: 0, longitude: 0),
                    ]))
            for _ in 1...2 {
                let filters: [(filter: Filter, key: String)] = [
                    (.compare("number", .beginsWith, "a"), "number"), (.compare("number", .contains, 1), "number"),
                    (.compare("list", .lessThan, 1), "list"), (.compare("list", .beginsWith, "a"), "list"),
                    (.compare("reference", .greaterThan, Reference("one")), "reference"),
                    (.compare("place", .lessThanOrEqual, 1), "place"),
                    (.compare("number", .between, list: [1]), "number"),
                    (.compare("number", .between, list: [1, 2, 3]), "number"), (.compare("number", .in, 1), "number"),
                    (.compare("creationDate", .beginsWith, "2"), "creationDate"),
                    (.compare("recordID", .lessThan, 1), "recordID"),
                ]
                for (filter, key) in filters {
                    for filter in [filter, .not(filter), .or([.constant(true), filter])] {
                        try await expectError(.invalidArguments, naming: [key]) {
                            try await database.names("Samples", where: filter)
                        }
                        try await expectError(.invalidArguments) {
                            try await database.count(matching: Query(recordType: "Samples", filter: filter))
                        }
                    }
                }
                // The second round has fields, but no records.
                try await database.deleteRecord(withID: .named("one"))
            }
        },
        ConformanceRule(
            .filters, "a filter that is too deep is refused",
            law: "A filter that is nested too deeply is refused with invalidArguments; it does not trap.",
            source: .cabinet("predicates, section 1")
        ) { world in
            let database = try await world.samples(["a": 1])
            var filter = Filter.compare("x", .equal, 1)
            for _ in 0..<1_000 { filter = .not(filter) }
            let deep = filter
            try await expectError(.invalidArguments) { try await database.names("Samples", where: deep) }
        },
    ]
}
