package import Cabinet
import CabinetTesting
import Foundation

/// Compares the records that a store selects, sorts, counts and sums up with those of the filter language.
///
/// Generated plans run on generated records, by the store and by the evaluator. `make differential ROUNDS=100` runs
/// more. A failure names the seed and the plan's number: `CABINET_DIFFERENTIAL_SEED=7` runs that seed alone.
package enum QueryAgreement {
    /// The number of plans for each seed.
    package static let plansPerSeed = 550

    /// The minimum number of pairs of a filter and a record that the pages of four seeds compare.
    package static let pairs = 100_000

    /// The seeds to run.
    package static let seeds: [UInt64] = {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["CABINET_DIFFERENTIAL_SEED"].flatMap(UInt64.init) { return [seed] }
        let rounds = environment["CABINET_DIFFERENTIAL_ROUNDS"].flatMap(UInt64.init) ?? 1
        return Array(1...(4 * max(rounds, 1)))
    }()

    /// Runs the plans of a seed, on an empty backend.
    ///
    /// - Returns: The first few wrong results.
    package static func failures(seed: UInt64, in backend: any StorageBackend) async throws -> [String] {
        var plans = RandomPlans(random: SeededGenerator(seed: seed))
        let world = try await AgreementWorld(&plans, in: backend)
        for number in 0..<plansPerSeed where world.failures.count < 3 {
            let first = plans.plan()
            let position = plans.position(in: first, over: world.records, resolving: world.resolve)
            // A made-up position may not fit.
            let plan = (try? first.with { $0.position = position }) ?? first
            let label = "seed \(seed), plan \(number)"
            await world.checkPage(plan, label)
            await world.checkCount(plan, label)
            switch number % 4 {
            case 0: await world.checkPages(plan, limit: Int.random(in: 1...7, using: &plans.random), label)
            case 1:
                let key = plans.pick([
                    "n", "d", "index", "D", "s", "when", "b", "r", "r.n", "references.d", "r.references.s",
                    "creationDate",
                ])
                for aggregate in Aggregate.allCases { await world.checkValue(of: aggregate, over: key, plan, label) }
            case 2:
                let key = plans.pick([
                    "n", "d", "s", "when", "b", "r", "recordID", "r.s", "references.r", "creatorUserRecordID",
                ])
                await world.checkCounts(by: key, plan, label)
            default:
                await world.checkExplanation(plan, label)
                await world.checkSimplified(plan, label)
            }
        }
        // Most plans must be valid, or nothing is proved.
        if world.failures.isEmpty, world.answered.count <= plansPerSeed / 4 {
            return ["seed \(seed): only \(world.answered.count) of the pages had records"]
        }
        if world.failures.isEmpty, world.pairs < pairs / 4 {
            return ["seed \(seed): only \(world.pairs) pairs of a filter and a record were compared"]
        }
        return world.failures
    }
}
