import Cabinet
import CabinetTesting

extension ConformanceRule {
    /// Returns a rule that generates records, indexes and queries, and compares the backend's answers with those of the
    /// evaluator.
    ///
    /// The values are those with which databases differ from the filter language: texts of all scripts, numbers at the
    /// ends of their types, equal names in several zones. Pages, their continuations, counts, aggregates and
    /// explanations must be those of the definition, with any indexes.
    ///
    /// - Parameters:
    ///   - seed: The seed of the generator; the same seed generates the same queries.
    ///   - queries: The number of queries to generate.
    public static func randomQueries(seed: UInt64, queries: Int = 500) -> ConformanceRule {
        let count = max(queries, 0)
        return ConformanceRule(
            .storage, "the answers are those of the evaluator (seed \(seed), \(count) queries)",
            law: "The records that a query finds, their order and their aggregates are those of the filter language.",
            source: .storage("StorageSnapshot.records(matching:)")
        ) { world in
            var plans = RandomPlans(random: SeededGenerator(seed: seed))
            var agreement = try await QueryAgreement(&plans, in: world.backend)
            for number in 0..<count {
                if number % 50 == 0 { try await agreement.setIndexes(plans.indexes()) }
                let first = plans.plan(in: agreement.schema)
                let position = plans.position(in: first, over: agreement.records)
                // A made-up position may not fit.
                let plan = (try? first.with { $0.position = position }) ?? first
                agreement.subject = "Query \(number)"
                try await agreement.checkPage(plan)
                try await agreement.checkCount(plan)
                switch number % 4 {
                case 0: try await agreement.checkPages(plan, limit: Int.random(in: 1...7, using: &plans.random))
                case 1:
                    let key = plans.pick([
                        "n", "d", "index", "D", "s", "when", "b", "r", "r.n", "references.d", "r.references.s",
                        "creationDate",
                    ])
                    for aggregate in Aggregate.allCases {
                        try await agreement.checkValue(of: aggregate, over: key, plan)
                    }
                case 2:
                    let key = plans.pick([
                        "n", "d", "s", "when", "b", "r", "recordID", "r.s", "references.r", "creatorUserRecordID",
                    ])
                    try await agreement.checkCounts(by: key, plan)
                default:
                    try await agreement.checkExplanation(plan)
                    try await agreement.checkSimplified(plan)
                }
            }
            // Most queries must find records, or nothing is proved.
            try expect(agreement.answered >= count / 4, "Only \(agreement.answered) pages had records.")
        }
    }
}
