import Cabinet
import StorageTestSupport

extension Mutant {
    /// Mutants that mistake what an index is.
    static let indexing: [Mutant] = [
        Mutant(
            "forgets indexes",
            caughtBy: [
                "a schema comes back as it was applied", "indexes are what was set",
                "an option that is left out drops the index", "schemas that are applied at once do not mix",
                "each database has a schema of its own", "words are looked for in the searchable fields",
                "a strict container creates what its schema declares", "a strict container removes nothing",
                "strict containers that begin at once agree",
            ]
        ) { $0.indexes = { _, _ in [] } },
        Mutant(
            "never drops an index",
            caughtBy: ["an option that is left out drops the index", "indexes are what was set"]
        ) { $0.indexes = { new, old in new.union(old) } },
        Mutant(
            "makes no index of several fields",
            caughtBy: ["a schema comes back as it was applied", "a compound index is made of fields that exist"]
        ) {
            $0.indexes = { new, _ in
                new.filter { if case .compound = $0 { false } else { true } }
            }
        },
        Mutant(
            "finds no record without a value through an index",
            caughtBy: ["an index changes no answer", "an index follows the records"]
        ) { $0.indexedPage = { $0.filter { $0.fields["name"] != nil } } },
        Mutant(
            "cuts off the fraction of a number that an index is asked with",
            caughtBy: [
                "an index of numbers is asked with integers and doubles",
                "whole numbers compare exactly, with every field indexed",
            ]
        ) { fault in
            fault.indexedPlan = { plan in
                try plan.with {
                    $0.filter = plan.filter.mapConstants { value in
                        guard case .double(let number) = value, abs(number) < 1e15 else { return value }
                        return .int64(Int64(number))
                    }
                }
            }
        },
        Mutant(
            "counts other zones' records on a page that an index orders",
            caughtBy: [
                "a page of one zone holds its limit, whatever other zones hold"
            ]
        ) { $0.pagesCountOtherZones = true },
        Mutant("finds the order of an index alone", caughtBy: ["an index changes no answer"]) {
            $0.indexedPage = { $0.reversed() }
        },
    ]
}

extension Filter {
    /// The filter with other constants.
    fileprivate func mapConstants(_ transform: (FieldValue) -> FieldValue) -> Filter {
        func map(_ expression: Expression) -> Expression {
            switch expression {
            case .constant(let value?): .constant(transform(value))
            case .list(let elements): .list(elements.map(map))
            default: expression
            }
        }
        switch self {
        case .constant: return self
        case .comparison(var comparison):
            comparison.left = map(comparison.left)
            comparison.right = map(comparison.right)
            return .comparison(comparison)
        case .and(let filters): return .and(filters.map { $0.mapConstants(transform) })
        case .or(let filters): return .or(filters.map { $0.mapConstants(transform) })
        case .not(let filter): return .not(filter.mapConstants(transform))
        }
    }
}
