import Cabinet
import CabinetTesting

extension Mutant {
    /// Backends that evaluate other filters and orders than requested.
    static let computing: [Mutant] = [
        mutant("divides whole numbers as SQL does", caughtBy: ["arithmetic computes with numbers"]) { expression in
            guard case .arithmetic(let left, .dividedBy, let right) = expression, case .constant(.int64(2)?) = right
            else {
                return expression
            }
            return .arithmetic(.arithmetic(left, .minus, .constant(.int64(1))), .dividedBy, right)
        },
        mutant("takes nil for 0 in arithmetic", caughtBy: ["arithmetic with nil is nil"]) { expression in
            if case .arithmetic(.field("x"), .plus, .constant(let value)) = expression {
                .constant(value)
            } else {
                expression
            }
        },
        mutant("counts elements from 1", caughtBy: ["an index finds an element of a list"]) { expression in
            guard case .element(let list, .at(let index)) = expression else { return expression }
            return .element(list, .at(.arithmetic(index, .minus, .constant(.int64(1)))))
        },
        mutant("takes the last element for the first", caughtBy: ["an index finds an element of a list"]) {
            expression in
            if case .element(let list, .first) = expression { .element(list, .last) } else { expression }
        },
        mutant(
            "takes the sum for the average", caughtBy: ["collection operators reduce a list to one value"]
        ) { expression in
            if case .field("x.@avg") = expression { .field("x.@sum") } else { expression }
        },
        mutant(
            "follows no path",
            caughtBy: [
                "a path leads through a reference", "a path leads through several references",
                "a path leads to and through system fields", "a path sees the current state of its records",
                "a path through a list is a list", "a path to fields of several types is decided record by record",
            ]
        ) { expression in
            guard case .field(let key) = expression, key.contains("."), !key.contains("@") else { return expression }
            return .constant(nil)
        },
        mutant("follows paths of two steps alone", caughtBy: ["a path leads through several references"]) {
            expression in
            guard case .field(let key) = expression else { return expression }
            return .field(key.split(separator: ".").prefix(2).joined(separator: "."))
        },
        mutant(
            "reads no value of JSON",
            caughtBy: [
                "a path leads to a value of JSON", "numbers of JSON compare as numbers",
                "JSON is read as it is written",
                "JSON is read at the end of a path and from each text of a list",
                "a renamed field keeps its JSON paths",
            ]
        ) { expression in
            guard case .field(let key) = expression, key.contains(".@string") || key.contains(".@int64") else {
                return expression
            }
            return .constant(nil)
        },
        mutant("reads every number of JSON as DOUBLE", caughtBy: ["numbers of JSON compare as numbers"]) { expression in
            guard case .field("data.@int64.floor") = expression else { return expression }
            return .field("data.@double.floor")
        },
        mutant(
            "ends the names of members of JSON at a quotation mark",
            caughtBy: ["the name of a member may have any characters"]
        ) { expression in
            guard case .field(let key) = expression, key.contains(".@string.") else { return expression }
            return .field(String(key.unicodeScalars.prefix { !["'", "\""].contains($0) }))
        },
        mutant(
            "compares the names of members of JSON by characters",
            caughtBy: ["the name of a member may have any characters"]
        ) { expression in
            // The pattern also matches the decomposed name.
            if case .field("data.@string.\u{E9}") = expression { .field("data.@string.\u{E9}") } else { expression }
        },
        Mutant("sorts by the text of JSON", caughtBy: ["records are ordered and grouped by values of JSON"]) {
            $0.plan = { plan in
                try plan.with { plan in
                    plan.order = plan.order.map {
                        $0.key.hasPrefix("data.@") ? Sort("data", ascending: $0.ascending) : $0
                    }
                    plan.position = nil
                }
            }
        },
        mutant(
            "counts referring records without their filter",
            caughtBy: [
                "the records that refer to a record are counted", "a count of referring records is current",
                "an observed query follows the records that it counts",
            ]
        ) { expression in
            guard case .referring(let type, let field, _) = expression else { return expression }
            return .referring(type, by: field)
        },
        mutant(
            "counts no record that refers by a list",
            caughtBy: ["records that refer by a parent, by a list, or to their own type are counted"]
        ) { expression in
            guard case .referring(let type, "samples", _) = expression else { return expression }
            return .referring(type, by: "unknown")
        },
        mutant("counts the records of other zones", caughtBy: ["records of other zones do not refer"]) { expression in
            guard case .referring(_, "sample", .constant(true)) = expression else { return expression }
            return .constant(.int64(1))
        },
        Mutant(
            "sorts by no count", caughtBy: ["records are ordered by the number of those that refer to them"]
        ) {
            $0.plan = { plan in
                try plan.with { plan in
                    plan.order = plan.order.map {
                        $0.key.hasPrefix("SUBQUERY") ? Sort("size", ascending: $0.ascending) : $0
                    }
                    plan.position = nil
                }
            }
        },
        mutant(
            "measures every distance from the equator",
            caughtBy: ["records are found by their distance", "a distance crosses every border of a sphere"]
        ) { expression in
            guard case .distance(let place, .constant(.location(var other)?)) = expression else { return expression }
            other.latitude = 0
            return .distance(place, .constant(.location(other)))
        },
        Mutant("searches for the whole text", caughtBy: ["a search finds records that contain one of the words"]) {
            $0.plan = { plan in
                try plan.with { plan in
                    guard case .comparison(let comparison) = plan.filter, comparison.operator == .tokenMatches,
                        case .constant(.string(let text)?) = comparison.right
                    else { return }
                    let words = SearchTokens.tokens(in: text).map { word in
                        Filter.comparison(.init(comparison.left, .tokenMatches, .constant(.string(word))))
                    }
                    plan.filter = .and(words)
                }
            }
        },
        Mutant("searches one field alone", caughtBy: ["a search finds records that contain one of the words"]) {
            $0.plan = { plan in
                try plan.with { plan in
                    guard let first = plan.fields.searchable.first else { return }
                    let schema = StoredSchema(
                        recordTypes: [plan.recordType: plan.fields.own],
                        indexes: [plan.recordType: [.searchable(first)]])
                    plan.fields = FieldTypes(of: plan.recordType, in: schema)
                }
            }
        },
        Mutant(
            "searches with regard to case",
            caughtBy: [
                "a search ignores case and accents", "a search finds records that contain one of the words",
                "the words of one field can be searched",
            ]
        ) {
            $0.plan = { plan in
                try plan.with { plan in
                    guard case .comparison(var comparison) = plan.filter, comparison.operator == .tokenMatches else {
                        return
                    }
                    comparison.operator = .contains
                    if comparison.left == .searchableText { comparison.left = .field("title") }
                    plan.filter = .comparison(comparison)
                }
            }
        },
        Mutant(
            "ignores the options of sort keys",
            caughtBy: ["text is ordered without regard to case and accents", "numbers in text are ordered as numbers"]
        ) {
            $0.plan = { plan in
                try plan.with { plan in
                    plan.order = plan.order.map { $0.origin == nil ? Sort($0.key, ascending: $0.ascending) : $0 }
                }
            }
        },
        Mutant("measures from the opposite side of the Earth", caughtBy: ["records are ordered by distance"]) {
            $0.plan = { plan in
                try plan.with { plan in
                    plan.order = plan.order.map { sort in
                        guard let origin = sort.origin else { return sort }
                        let opposite = Location(
                            latitude: -origin.latitude,
                            longitude: origin.longitude > 0 ? origin.longitude - 180 : origin.longitude + 180)
                        return Sort(sort.key, distanceFrom: opposite, ascending: sort.ascending)
                    }
                }
            }
        },
        Mutant(
            "sorts by references instead of paths", caughtBy: ["records are ordered by the value at the end of a path"]
        ) {
            $0.plan = { plan in
                try plan.with { plan in
                    plan.order = plan.order.map {
                        $0.key.hasPrefix("list.") ? Sort("list", ascending: $0.ascending) : $0
                    }
                    plan.position = nil
                }
            }
        },
    ]

    /// A backend that replaces some operands with others.
    private static func mutant(
        _ name: String, caughtBy rules: [String],
        _ transform: @escaping @Sendable (Filter.Expression) -> Filter.Expression
    ) -> Mutant {
        Mutant(name, caughtBy: rules) { fault in
            fault.plan = { plan in try plan.with { $0.filter = $0.filter.mapOperands(transform) } }
        }
    }
}

extension Filter {
    /// The filter with the outermost operands of its comparisons, and those of arithmetic in them, replaced.
    fileprivate func mapOperands(_ transform: (Expression) -> Expression) -> Filter {
        switch self {
        case .constant: return self
        case .comparison(var comparison):
            comparison.left = comparison.left.mapOperands(transform)
            comparison.right = comparison.right.mapOperands(transform)
            return .comparison(comparison)
        case .and(let filters): return .and(filters.map { $0.mapOperands(transform) })
        case .or(let filters): return .or(filters.map { $0.mapOperands(transform) })
        case .not(let filter): return .not(filter.mapOperands(transform))
        }
    }
}

extension Filter.Expression {
    fileprivate func mapOperands(_ transform: (Filter.Expression) -> Filter.Expression) -> Filter.Expression {
        switch transform(self) {
        case .arithmetic(let left, let arithmetic, let right):
            .arithmetic(left.mapOperands(transform), arithmetic, right.mapOperands(transform))
        case let expression: expression
        }
    }
}
