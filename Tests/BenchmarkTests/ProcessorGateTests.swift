import Testing

@testable import Benchmarks

/// A benchmark fails if a thread of Cabinet spins while one task waits alone.
@Suite struct ProcessorGateTests {
    /// Returns the results of a row whose processor time has a share of its wall time.
    private func results(of row: Row, _ shares: [Competition: [Double]]) -> Results {
        var results = Results(suite: .sqlite, rows: [row], count: 10_000, fills: 1, turns: 1)
        for (competition, shares) in shares {
            for share in shares {
                let outcome = Outcome(
                    answer: Tally.Answer(rows: 1, sum: 0, chain: 0), operations: 1, processor: share, wall: 1,
                    growth: 0, peak: 0, notes: [:], texts: [:])
                results.add(outcome, of: row, for: competition)
            }
        }
        return results
    }

    @Test("A read that needs more than 1.1 times as much processor time as wall time fails the run, and names the row")
    func aThreadSpins() throws {
        let results = results(of: .singleFetches, [.tuned: [1], .sqlite: [1.2]])
        let violation = try #require(ProcessorGate.violations(in: results).first)
        #expect(violation.hasPrefix("Row c (fetch one by ID, 1,000 calls), SQLite, N = 10000: "))
        #expect(violation.contains("1.20 times its wall time"))
        let failure = try #require(throws: BenchmarkFailure.self) { try Program.check([results], failures: 0) }
        #expect("\(failure)" == violation)
    }

    @Test("The limit itself passes, and so does a median below it")
    func atTheLimit() throws {
        for shares in [[1.1], [0.4], [1.0, 3.0, 1.05]] {
            try Program.check([results(of: .singleFetches, [.sqlite: shares])], failures: 0)
        }
    }

    @Test("The gate limits neither C nor work of several threads")
    func others() throws {
        try Program.check([results(of: .singleFetches, [.tuned: [2], .plain: [2], .sqlite: [1]])], failures: 0)
        try Program.check([results(of: .contendedFetches, [.sqlite: [1.9]])], failures: 0)
    }

    @Test("A suite without results fails the run")
    func suites() {
        #expect(throws: BenchmarkFailure.self) { try Program.check([], failures: 1) }
    }
}
