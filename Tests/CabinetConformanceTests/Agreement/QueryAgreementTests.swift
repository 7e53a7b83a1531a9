import BackendTestSupport
import CabinetConformance
import Foundation
import Testing

/// The records that a store selects, sorts, counts and sums up are those of the filter language.
///
/// `make differential ROUNDS=100` generates more queries for each of more seeds. A failure names the seed and the query's number:
/// `CABINET_DIFFERENTIAL_SEED=7` runs that seed alone.
@Suite struct QueryAgreementTests {
    /// The seeds, and whether they generate as much as a search for failures needs.
    private static let (seeds, isLong): ([UInt64], Bool) = {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["CABINET_DIFFERENTIAL_SEED"].flatMap(UInt64.init) { return ([seed], true) }
        let rounds = environment["CABINET_DIFFERENTIAL_ROUNDS"].flatMap(UInt64.init)
        return rounds.map { (Array(1...(4 * max($0, 1))), true) } ?? ([1, 2], false)
    }()

    @Test("The answers are those of the evaluator", arguments: seeds, BackendKind.allCases)
    func queriesAgree(seed: UInt64, on backend: BackendKind) async throws {
        let rule = ConformanceRule.randomQueries(seed: seed, queries: Self.isLong ? 550 : 300)
        try await rule.run(on: backend.subject, timeLimit: .seconds(600))
    }

    @Test("Live results are those of their queries", arguments: seeds, BackendKind.allCases)
    func liveResultsAgree(seed: UInt64, on backend: BackendKind) async throws {
        let rule = ConformanceRule.randomObservations(seed: seed, commits: Self.isLong ? 150 : 75)
        try await rule.run(on: backend.subject, timeLimit: .seconds(600))
    }

    @Test("Typed queries find the records that untyped ones find", arguments: seeds, BackendKind.allCases)
    func typedQueriesAgree(seed: UInt64, on backend: BackendKind) async throws {
        try await TypedAgreement.rule(seed: seed).run(on: backend.subject, timeLimit: .seconds(600))
    }
}
