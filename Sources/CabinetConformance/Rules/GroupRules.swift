import Cabinet
import Foundation

extension ConformanceRule {
    /// The rules about values that are computed for each group of a query.
    static let groups: [ConformanceRule] = [
        ConformanceRule(
            .aggregates, "values are aggregated group by group",
            law:
                "Sums, averages, minima and maxima are computed for each group's records, groups in ascending order, nil first.",
            source: .cabinet("Database.sums")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveAll([
                Record("Samples", "a", ["x": "b", "n": 2, "r": Reference("z"), "s": "Milk"]),
                Record("Samples", "b", ["x": "B", "n": 10, "r": Reference("z", .none), "s": "\u{E9}"]),
                Record("Samples", "c", ["x": "b", "n": 5, "d": 0.0, "s": "Bread"]),
                Record("Samples", "d", ["n": 9, "d": -0.0]), Record("Samples", "e", ["x": "c", "s": "Wine"]),
            ])
            let all = Query(recordType: "Samples", sortedBy: [Sort("s")])
            let sums = try await database.sums(of: "n", by: "x", matching: all, as: Int.self)
            try expect("The sums", sums.map { "\(text($0.value)) \($0.sum)" }, equals: ["nil 9", "B 10", "b 7", "c 0"])
            let averages = try await database.averages(of: "n", by: "x", matching: all)
            try expect("The averages", averages.map(\.average), equals: [9, 10, 3.5, nil])
            let minima = try await database.minima(of: "s", by: "x", matching: all)
            try expect(
                "The minima", minima.map { "\(text($0.value)) \(text($0.minimum))" },
                equals: ["nil nil", "B \u{E9}", "b Bread", "c Wine"])
            let maxima = try await database.maxima(of: "s", by: "x", matching: all)
            try expect("The maxima", maxima.map { text($0.maximum) }, equals: ["nil", "\u{E9}", "Milk", "Wine"])
            let references = try await database.sums(of: "n", by: "r", matching: all)
            try expect("The sums by reference", references.map(\.sum), equals: [14, 12])
            let zeros = try await database.sums(of: "n", by: "d", matching: all)
            try expect("The sums by zero", zeros.map(\.sum), equals: [12, 14])
            let same = try await database.sums(of: "n", by: "n", matching: all)
            try expect("The sums by itself", same.map(\.sum), equals: [0, 2, 5, 9, 10])
            let some = Query(recordType: "Samples", filter: .compare("n", .lessThan, 10))
            try expect(
                "The sums of some", try await database.sums(of: "n", by: "x", matching: some).map(\.sum),
                equals: [9, 7])
            let none = try await database.sums(of: "n", by: "x", matching: Query(recordType: "Nothing"))
            try expect("The groups of nothing", none.count, equals: 0)
        },
        ConformanceRule(
            .aggregates, "groups follow paths",
            law:
                "The aggregated field, and the field that groups, may be key paths; a path without a target yields nil.",
            source: .cabinet("Database.sums")
        ) { world in
            let database = try await world.relatives()
            let all = Query(recordType: "Samples")
            let sums = try await database.sums(of: "list.owner.age", by: "list.name", matching: all, as: Int.self)
            try expect(
                "The sums", sums.map { "\(text($0.value)) \($0.sum)" }, equals: ["nil 40", "Groceries 30", "Orphan 0"])
            let maxima = try await database.maxima(of: "list.name", by: "list.owner.age", matching: all)
            try expect(
                "The maxima", maxima.map { "\(text($0.value)) \(text($0.maximum))" },
                equals: ["nil Orphan", "30 Groceries", "40 nil"])
        },
        ConformanceRule(
            .aggregates, "a group may be longer than a page",
            law: "A group has all of its records, in any number and in any zone.",
            source: .cabinet("Database.sums")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveAll((0..<2300).map { Record("Samples", "\($0)", ["n": $0, "third": $0 % 3]) })
            let sums = try await database.sums(
                of: "n", by: "third", matching: Query(recordType: "Samples"), as: Int.self)
            let expected = (0..<3).map { third in (0..<2300).filter { $0 % 3 == third }.reduce(0, +) }
            try expect("The groups", sums.map { $0.value as? Int }, equals: [0, 1, 2])
            try expect("The sums", sums.map(\.sum), equals: expected)
        },
        ConformanceRule(
            .aggregates, "unsupported groups are refused",
            law:
                "A sum of text, a group of lists, and a sum of another type than requested are refused naming the field.",
            source: .cabinet("Database.sums")
        ) { world in
            let database = try world.privateDatabase()
            try await database.save(Record("Samples", "a", ["s": "Milk", "tags": ["a"], "d": 0.5, "n": 1]))
            let all = Query(recordType: "Samples")
            for key in ["s", "tags"] {
                try await expectError(.invalidArguments, naming: [key], in: key) {
                    try await database.sums(of: key, by: "n", matching: all)
                }
                try await expectError(.invalidArguments, naming: [key], in: key) {
                    try await database.averages(of: key, by: "n", matching: all)
                }
            }
            for key in ["tags", "list..name"] {
                try await expectError(.invalidArguments, naming: [key], in: key) {
                    try await database.minima(of: key, by: "n", matching: all)
                }
                try await expectError(.invalidArguments, naming: [key], in: key) {
                    try await database.maxima(of: "n", by: key, matching: all)
                }
            }
            try await expectError(.invalidArguments, naming: ["d"], in: "d") {
                try await database.sums(of: "d", by: "n", matching: all, as: Int.self)
            }
        },
    ]
}

/// A value as expectations name it.
private func text(_ value: (any RecordValue)?) -> String {
    value.map { "\($0)" } ?? "nil"
}
