import Cabinet
import CabinetTesting

extension Mutant {
    /// Mutants with wrong indexes.
    static let indexing: [Mutant] = [
        Mutant(
            "forgets indexes",
            caughtBy: [
                "a schema is reported as it was applied", "indexes are exactly those that were set",
                "an option that is left out drops the index", "concurrently applied schemas are not mixed",
                "each database has a schema of its own", "words are searched in the searchable fields",
                "a strict container creates the types of its schema", "a strict container removes nothing",
                "concurrently started strict containers agree",
            ]
        ) { $0.indexes = { _, _ in [] } },
        Mutant(
            "never drops an index",
            caughtBy: [
                "an option that is left out drops the index", "indexes are exactly those that were set",
                "a deployed schema is the whole schema of a database",
            ]
        ) { $0.indexes = { new, old in new.union(old) } },
        Mutant(
            "creates no index of several fields",
            caughtBy: ["a schema is reported as it was applied", "a compound index consists of existing fields"]
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
                "the answers are those of the evaluator (seed 2, 150 queries)",
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
            "asks an index for a beginning as it is written",
            caughtBy: ["a beginning is found in every spelling, with every field indexed"]
        ) { fault in
            fault.indexedPlan = { plan in
                guard case .comparison(var comparison) = plan.filter, comparison.operator == .beginsWith else {
                    return plan
                }
                comparison.options = []
                let filter = Filter.comparison(comparison)
                return try plan.with { $0.filter = filter }
            }
        },
        Mutant(
            "counts other zones' records on a page that an index orders",
            caughtBy: ["the answers are those of the evaluator (seed 2, 150 queries)"]
        ) { $0.pagesCountOtherZones = true },
        Mutant(
            "keeps an index that is dropped, without the changes since",
            caughtBy: ["an index that is set again has the changes made without it"]
        ) { $0.keepsDroppedIndexes = true },
        Mutant(
            "has the words of the first search in an index alone",
            caughtBy: ["an index of words has what its reader sees"]
        ) { $0.keepsFirstSearches = true },
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
