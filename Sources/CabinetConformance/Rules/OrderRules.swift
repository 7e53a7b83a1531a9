import Cabinet
import Foundation

extension ConformanceRule {
    /// The order of a query's records.
    static let order: [ConformanceRule] = [
        ConformanceRule(
            .order, "nil comes first ascending and last descending",
            law: "Records without a value in the sort key come first when ascending, and last when descending.",
            source: .cabinet("Order")
        ) { world in
            let database = try await world.samples(["a": 2, "b": nil, "c": -1, "d": 0, "e": nil])
            try await database.expectOrder([Sort("x")], ["b", "e", "c", "d", "a"])
            try await database.expectOrder([Sort("x", ascending: false)], ["a", "d", "c", "b", "e"])
        },
        ConformanceRule(
            .order, "records with equal keys are in the order of their first saves",
            law:
                "Records that the sort keys leave equal are in the order of their first saves, in a batch in its order, for all "
                + "directions of the keys.",
            source: .cabinet("Order")
        ) { world in
            let database = try world.privateDatabase()
            let values: [(name: String, x: Int?)] = [("c", 1), ("a", 1), ("e", nil), ("b", 1)]
            try await database.saveAll(values.map { Record("Samples", $0.name, ["x": $0.x]) })
            try await database.save(Record("Samples", "B", ["x": 1]))
            try await database.save(Record("Samples", "d"))
            try await database.expectOrder([], ["c", "a", "e", "b", "B", "d"])
            try await database.expectOrder([Sort("x")], ["e", "d", "c", "a", "b", "B"])
            try await database.expectOrder([Sort("x", ascending: false)], ["c", "a", "b", "B", "e", "d"])
            try await database.expectOrder([Sort("missing", ascending: false)], ["c", "a", "e", "b", "B", "d"])
            try await database.update("c") { $0["y"] = 2 }
            try await database.expectOrder([Sort("x", ascending: false)], ["c", "a", "b", "B", "e", "d"])
            try await database.deleteRecord(withID: "c")
            try await database.save(Record("Samples", "c", ["x": 1]))
            try await database.expectOrder([Sort("x", ascending: false)], ["a", "b", "B", "c", "e", "d"])
        },
        ConformanceRule(
            .order, "several keys order one after the other",
            law: "A later sort key decides between records that the earlier ones leave equal, each in its own "
                + "direction.",
            source: .cloudKit("CKQuery, sortDescriptors")
        ) { world in
            let database = try world.privateDatabase()
            let rows: [(name: String, x: Int?, y: String?)] = [
                ("a", 1, "p"), ("b", 1, nil), ("c", nil, "p"), ("d", 2, "q"), ("e", 1, "q"), ("f", nil, nil),
                ("g", 2, "q"),
            ]
            try await database.saveAll(rows.map { Record("Samples", $0.name, ["x": $0.x, "y": $0.y]) })
            try await database.expectOrder([Sort("x"), Sort("y")], ["f", "c", "b", "a", "e", "d", "g"])
            try await database.expectOrder(
                [Sort("x"), Sort("y", ascending: false)], ["c", "f", "e", "a", "b", "d", "g"])
            try await database.expectOrder(
                [Sort("x", ascending: false), Sort("y")], ["d", "g", "b", "a", "e", "f", "c"])
            try await database.expectOrder(
                [Sort("x", ascending: false), Sort("y", ascending: false)], ["d", "g", "e", "a", "b", "c", "f"])
            try await database.expectOrder(
                [Sort("y"), Sort("x"), Sort("x", ascending: false)], ["f", "b", "c", "a", "e", "d", "g"])
        },
        ConformanceRule(
            .order, "numbers are ordered by value",
            law: "Whole numbers are ordered exactly over 64 bits, doubles by value with the infinities at the ends.",
            source: .cabinet("Sort")
        ) { world in
            let database = try world.privateDatabase()
            let whole: [Int64] = [.max, .min, 9_007_199_254_740_993, 9_007_199_254_740_992, 10, 9, -1]
            let doubles: [Double] = [.infinity, -.infinity, 0.1, -0.1, 1e300, .leastNonzeroMagnitude, 0]
            try await database.saveAll(
                zip(whole, doubles).enumerated().map {
                    Record("Samples", "\($0.offset)", ["x": $0.element.0, "y": $0.element.1])
                })
            try await database.expectOrder([Sort("x")], ["1", "6", "5", "4", "3", "2", "0"])
            try await database.expectOrder([Sort("y")], ["1", "3", "6", "5", "2", "4", "0"])
        },
        ConformanceRule(
            .order, "text is ordered by scalars",
            law: "Text is ordered scalar by scalar: capitals before small letters, accents after them, a prefix "
                + "before the whole.",
            source: .cabinet("Sort")
        ) { world in
            let database = try await world.samples(
                ["1": "", "2": "A", "3": "Z", "4": "a", "5": "a\0", "6": "a b", "7": "aa", "8": "z", "9": "\u{E9}"])
            try await database.expectOrder([Sort("x")], ["1", "2", "3", "4", "5", "6", "7", "8", "9"])
            let descending = ["9", "8", "7", "6", "5", "4", "3", "2", "1"]
            try await database.expectOrder([Sort("x", ascending: false)], descending)
        },
        ConformanceRule(
            .order, "dates, bytes and references have an order",
            law: "Dates are ordered by instant, bytes byte by byte, references by record name.",
            source: .cabinet("Sort")
        ) { world in
            let database = try world.privateDatabase()
            let rows: [(date: Date, bytes: Data, reference: Reference)] = [
                (.distantFuture, Data([0x80]), Reference("b")), (.distantPast, Data(), Reference("B", .none)),
                (Date(timeIntervalSince1970: -1), Data([1, 0]), Reference("a")),
                (Date(timeIntervalSinceReferenceDate: 1e-9), Data([1]), Reference("c")),
            ]
            try await database.saveAll(
                rows.enumerated().map { index, row in
                    Record("Samples", "\(index)", ["date": row.date, "bytes": row.bytes, "reference": row.reference])
                })
            try await database.expectOrder([Sort("date")], ["1", "2", "3", "0"])
            try await database.expectOrder([Sort("bytes")], ["1", "3", "2", "0"])
            try await database.expectOrder([Sort("reference")], ["1", "2", "0", "3"])
        },
        ConformanceRule(
            .order, "an unordered field cannot be sorted by",
            law: "Sorting by a field of lists or locations is refused with invalidArguments naming the field, also "
                + "without records.",
            source: .cabinet("Sort")
        ) { world in
            let database = try await world.samples(["one": ["a"]])
            try await database.save(Record("Samples", "two", ["place": Location(latitude: 0, longitude: 0)]))
            for _ in 1...2 {
                for key in ["x", "place"] {
                    try await expectError(.invalidArguments, naming: [key], in: key) {
                        try await database.names("Samples", by: [Sort("recordID"), Sort(key)])
                    }
                }
                try await database.deleteAll(["one", "two"])
            }
        },
        ConformanceRule(
            .order, "the order does not depend on the history",
            law: "The order of a query's records does not depend on the order in which they were saved and changed.",
            source: .cabinet("Order")
        ) { world in
            let database = try world.privateDatabase()
            for name in ["d", "a", "e", "c", "b"] { try await database.save(Record("Samples", name, ["x": 0])) }
            for (name, value) in [("b", 1), ("e", -1), ("a", 1)] {
                try await database.update(.named(name)) { $0["x"] = value }
            }
            try await database.deleteRecord(withID: .named("c"))
            try await database.save(Record("Samples", "c", ["x": 1]))
            try await database.expectOrder([Sort("x")], ["e", "d", "a", "b", "c"])
        },
        ConformanceRule(
            .paging, "pages of one end between texts that hardly differ",
            law:
                "Pages of one record hold each record once, also if texts contain NUL or differ after 2,000 characters.",
            source: .cabinet("Order")
        ) { world in
            let database = try world.privateDatabase()
            let endings = ["", "\0", "\0\0", "\0a", "\u{1}", "a", "a\0", "a\0b", "ab", "é"]
            let texts = endings + endings.map { String(repeating: "k", count: 2000) + $0 }
            // Each text twice; the order in which they are saved is not their own.
            let records = (0..<2 * texts.count).map { Record("Samples", "r\($0)", ["x": texts[$0 * 7 % texts.count]]) }
            try await database.saveAll(records)
            let ascending = records.indices.sorted { left, right in
                let (first, second) = (texts[left * 7 % texts.count].utf8, texts[right * 7 % texts.count].utf8)
                return first.elementsEqual(second) ? left < right : first.lexicographicallyPrecedes(second)
            }
            let descending = stride(from: ascending.count - 2, through: 0, by: -2).flatMap { ascending[$0...$0 + 1] }
            for (order, indices) in [(Sort("x"), ascending), (.descending("x"), descending)] {
                let query = Query(recordType: "Samples", sortedBy: [order])
                var page = try await database.records(matching: query, resultsLimit: 1)
                var names = page.matchResults.map(\.0.recordName)
                while let cursor = page.queryCursor, names.count <= records.count {
                    page = try await database.records(continuingMatchFrom: cursor, resultsLimit: 1)
                    names += page.matchResults.map(\.0.recordName)
                }
                try expect("The records", names, equals: indices.map { "r\($0)" })
            }
        },
    ]
}

extension Database {
    /// Throws unless the records of the type `Samples` have the given order, also when they are fetched two by two.
    func expectOrder(
        _ order: [Sort], _ expected: [String], fileID: String = #fileID, line: Int = #line
    ) async throws {
        let label = order.map { "\($0.key) \($0.ascending ? "ascending" : "descending")" }.joined(separator: ", ")
        let found = try await names("Samples", by: order)
        try expect("The order by \(label)", found, equals: expected, fileID: fileID, line: line)
        let paged = try await pages(of: Query(recordType: "Samples", sortedBy: order), size: 2).flatMap(\.self)
        try expect("The order by \(label), two by two", paged, equals: expected, fileID: fileID, line: line)
    }
}
