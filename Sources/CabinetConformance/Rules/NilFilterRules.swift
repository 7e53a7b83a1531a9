import Cabinet
import Foundation

extension ConformanceRule {
    /// The effect of nil on each operator.
    static let nilFilters: [ConformanceRule] = [
        ConformanceRule(
            .filters, "every operator but == and != is false of nil",
            law: "A comparison with nil on either side, constant or not, finds nothing unless it is == or !=; its NOT "
                + "finds everything. Options change nothing.",
            source: .cabinet("predicates, section 2")
        ) { world in
            let database = try world.privateDatabase()
            // Each field has a value in some record, so that its type is known, and no record has values in two of
            // them.
            try await database.saveAll([
                Record("Samples", "none"), Record("Samples", "text", ["x": "milk", "tags": ["milk"]]),
                Record("Samples", "other", ["y": "milk"]), Record("Samples", "number", ["n": 1]),
                Record("Samples", "date", ["at": Date(timeIntervalSinceReferenceDate: 0.5), "m": 1]),
            ])
            let all = ["date", "none", "number", "other", "text"]
            for (left, right) in Self.nilPairs {
                for `operator` in Filter.Operator.allCases where ![.equal, .notEqual].contains(`operator`) {
                    let isOfText = ["x", "y"].contains { left == .field($0) || right == .field($0) }
                    let isNumeric = [.lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual].contains(
                        `operator`)
                    guard isOfText || isNumeric else { continue }
                    for options in [[], [.caseInsensitive, .diacriticInsensitive]] as [Filter.Options] {
                        var right = right
                        if `operator` == .between, case .field = right { right = .list([right, .constant(nil)]) }
                        let filter = Filter.comparison(.init(left, `operator`, right, options: options))
                        try await database.expectFound([(filter, []), (.not(filter), all)])
                    }
                }
            }
            try await database.expectFound([
                (.compare("n", .in, nil), []), (.not(.compare("n", .in, nil)), all),
                (.compare("n", .in, list: [nil]), []), (.not(.compare("n", .in, list: [nil])), all),
                (.compare("tags", .contains, nil), []), (.not(.compare("tags", .contains, nil)), all),
                (.compare("n", .between, nil), []), (.not(.compare("n", .between, nil)), all),
                (.compare("n", .between, list: [nil, 5]), []), (.not(.compare("n", .between, list: [0, nil])), all),
                (.comparison(.init(.field("n"), .in, .list([.field("m")]))), []),
            ])
        },
        ConformanceRule(
            .filters, "== and != compare nil on either side",
            law:
                "Two fields without a value are equal. A field without a value is unequal to one with a value. NOT negates both.",
            source: .cabinet("predicates, section 2")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveAll([
                Record("Samples", "none"), Record("Samples", "same", ["x": "a", "y": "a", "n": 1, "m": 1.0]),
                Record("Samples", "left", ["x": "a", "n": 1]), Record("Samples", "right", ["y": "A", "m": 1.0]),
            ])
            for (left, right) in [("x", "y"), ("n", "m")] {
                for options in [[], [.caseInsensitive], [.diacriticInsensitive]] as [Filter.Options] {
                    let equal = Filter.comparison(.init(.field(left), .equal, .field(right), options: options))
                    let unequal = Filter.comparison(.init(.field(left), .notEqual, .field(right), options: options))
                    try await database.expectFound([
                        (equal, ["none", "same"]), (.not(equal), ["left", "right"]), (unequal, ["left", "right"]),
                        (.not(unequal), ["none", "same"]),
                        (.compare(left, .equal, nil), ["none", "right"]),
                        (.not(.compare(left, .notEqual, nil)), ["none", "right"]),
                        (.comparison(.init(.constant(nil), .notEqual, .field(left))), ["left", "same"]),
                    ])
                }
            }
        },
        ConformanceRule(
            .filters, "NaN has no order",
            law: "A number or date that is NaN equals no value, and is neither before nor after any value.",
            source: .cabinet("Filter")
        ) { world in
            let database = try world.privateDatabase()
            try await database.saveAll([
                Record("Samples", "a", ["d": 1.5, "at": Date(timeIntervalSinceReferenceDate: 0.5), "n": 1]),
                Record("Samples", "nil"),
            ])
            let values: [(Record.FieldKey, any RecordValue)] = [
                ("d", Double.nan), ("n", Double.nan), ("at", Date(timeIntervalSinceReferenceDate: .nan)),
            ]
            for (key, value) in values {
                for `operator` in [
                    Filter.Operator.equal, .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual,
                ] {
                    let filter = Filter.compare(key, `operator`, value)
                    try await database.expectFound([(filter, []), (.not(filter), ["a", "nil"])])
                }
                try await database.expectFound([
                    (.compare(key, .between, list: [value, value]), []), (.compare(key, .in, list: [value]), []),
                    (.compare(key, .notEqual, value), ["a", "nil"]),
                ])
            }
        },
    ]

    /// Operands that have no common values, in any record.
    private static let nilPairs: [(left: Filter.Expression, right: Filter.Expression)] = [
        (.field("x"), .constant(nil)), (.constant(nil), .field("x")), (.field("x"), .field("y")),
        (.field("n"), .constant(nil)), (.constant(nil), .field("at")), (.field("n"), .field("m")),
    ]
}
