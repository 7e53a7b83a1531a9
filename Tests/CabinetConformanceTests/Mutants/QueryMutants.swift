import Cabinet
import CabinetTesting

extension Mutant {
    /// Backends that run another query than requested.
    static let querying: [Mutant] = [
        Mutant(
            "ignores the filter",
            caughtBy: [
                "whole numbers compare exactly", "text compares scalar by scalar", "NOT negates every answer",
                "references compare by ID alone", "records are found by their dates",
                "CONTAINS finds an element of a list",
            ]
        ) { $0.plan = { plan in try plan.with { $0.filter = .constant(true) } } },
        Mutant("never finds nil with NOT", caughtBy: ["NOT negates every answer"]) {
            $0.plan = { plan in try plan.with { $0.filter = $0.filter.threeValued } }
        },
        Mutant(
            "never finds nil with !=", caughtBy: ["whole numbers compare exactly", "text compares scalar by scalar"]
        ) {
            $0.plan = { plan in
                try plan.with { plan in
                    guard case .comparison(let comparison) = plan.filter, comparison.operator == .notEqual,
                        comparison.right != .constant(nil)
                    else { return }
                    plan.filter = .and([plan.filter, .comparison(.init(comparison.left, .notEqual, .constant(nil)))])
                }
            }
        },
        Mutant("takes OR for AND", caughtBy: ["AND and OR join filters of any depth"]) {
            $0.plan = { plan in
                try plan.with { if case .or(let filters) = $0.filter, !filters.isEmpty { $0.filter = .and(filters) } }
            }
        },
        Mutant(
            "ignores the order",
            caughtBy: [
                "nil comes first ascending and last descending", "several keys order one after the other",
                "text is ordered by scalars",
            ]
        ) {
            $0.plan = { plan in
                try plan.with {
                    $0.order = []; $0.position = nil
                }
            }
        },
        Mutant("ignores the direction", caughtBy: ["nil comes first ascending and last descending"]) {
            $0.plan = { plan in try plan.with { $0.order = $0.order.map { Sort($0.key) } } }
        },
        Mutant("sorts by the first key alone", caughtBy: ["several keys order one after the other"]) {
            $0.plan = { plan in
                try plan.with {
                    $0.order = Array($0.order.prefix(1))
                    $0.position = $0.position.map {
                        QueryPosition(values: Array($0.values.prefix(1)), insertionNumber: $0.insertionNumber)
                    }
                }
            }
        },
        Mutant("puts nil last", caughtBy: ["nil comes first ascending and last descending"]) {
            $0.page = { records, plan in
                guard let key = plan.order.first?.key, plan.limit > 100 else { return records }
                return records.filter { $0.fields[key] != nil } + records.filter { $0.fields[key] == nil }
            }
        },
        Mutant(
            "orders equal records backwards",
            caughtBy: ["records with equal keys are in the order of their first saves"]
        ) {
            $0.page = { records, plan in plan.order.isEmpty && plan.limit > 100 ? records.reversed() : records }
        },
        Mutant("orders text without regard to case", caughtBy: ["text is ordered by scalars"]) {
            $0.page = { records, plan in
                guard let sort = plan.order.first, plan.limit > 100, plan.order.count == 1 else { return records }
                func text(_ record: StoredRecord) -> String {
                    if case .string(let text)? = record.fields[sort.key] { text.lowercased() } else { "" }
                }
                return records.sorted { sort.ascending ? text($0) < text($1) : text($0) > text($1) }
            }
        },
        Mutant(
            "ignores the position",
            caughtBy: ["a page begins after its position", "only the cursor indicates that more records follow"]
        ) {
            $0.plan = { plan in try plan.with { $0.position = nil } }
        },
        Mutant(
            "takes the position for the first record of the page",
            caughtBy: [
                "a page begins after its position", "the pages hold every record once",
            ]
        ) {
            $0.plan = { plan in
                try plan.with { plan in
                    plan.position?.insertionNumber -= 1
                }
            }
        },
        Mutant(
            "cuts the texts of a position off at a NUL",
            caughtBy: [
                "pages of one end between texts that hardly differ",
                "pages of one end between texts that hardly differ, with every field indexed",
            ]
        ) { $0.cutPositions { $0.prefix { $0 != "\0" } } },
        Mutant(
            "cuts the texts of a position off after 1,000 characters",
            caughtBy: ["pages of one end between texts that hardly differ"]
        ) { $0.cutPositions { $0.prefix(1000) } },
        Mutant("ignores the limit", caughtBy: ["a page has at most its limit"]) {
            $0.plan = { plan in try plan.with { $0.limit = .max } }
        },
        Mutant(
            "gives one record too few", caughtBy: ["a page has at most its limit", "the pages hold every record once"]
        ) {
            $0.plan = { plan in try plan.with { $0.limit = max(1, $0.limit - 1) } }
        },
        Mutant("ignores the keys of a query", caughtBy: ["a record fetched with keys is incomplete"]) {
            $0.plan = { plan in try plan.with { $0.keys = nil } }
        },
        Mutant("ignores the zone", caughtBy: ["a zone's records are separate"]) {
            $0.plan = { plan in try plan.with { $0.zoneID = nil } }
        },
        Mutant(
            "counts one too many", caughtBy: ["the count is the number of all records", "an unknown database is empty"]
        ) {
            $0.count = { $0 + 1 }
        },
        Mutant(
            "evaluates a plan without its meter", caughtBy: ["a request that takes too much work is refused"]
        ) { $0.detachesQueries = true },
        Mutant("counts a page", caughtBy: ["the count is the number of all records"]) { $0.count = { min($0, 200) } },
    ]
}

extension Filter {
    /// The filter with three truth values, as in some databases: a NOT never finds records with a nil field.
    fileprivate var threeValued: Filter {
        guard case .not(.comparison(let comparison)) = self, comparison.right != .constant(nil) else { return self }
        return .and([self, .comparison(.init(comparison.left, .notEqual, .constant(nil)))])
    }
}

extension Fault {
    /// Continues queries after shorter texts than those of the position.
    fileprivate mutating func cutPositions(
        _ cut: @escaping @Sendable (String.UnicodeScalarView) -> Substring.UnicodeScalarView
    ) {
        plan = { plan in
            try plan.with { plan in
                let values = plan.position?.values ?? []
                plan.position?.values = values.map { value in
                    guard case .string(let text)? = value else { return value }
                    return .string(String(Substring(cut(text.unicodeScalars))))
                }
            }
        }
    }
}
