import Foundation
import PostgresTestSupport

/// The work of all rows, done by both in turn, several times, on a server of its own.
struct PostgresBenchmark {
    let count: Int
    let rounds: Int
    let rows: [Row]
    /// Whether Cabinet works alone, so that a profiler sees nothing else.
    let isProfile: Bool

    /// The figures of all rows.
    func run() async throws -> Report {
        var report = Report(count: count, rounds: rounds)
        let samples = Samples(count: count)
        let server = try await PostgresServer(isDurable: true)
        for round in 0..<rounds {
            FileHandle.standardError.write(Data("round \(round + 1) of \(rounds)\n".utf8))
            let database = try await server.newDatabase()
            let plain = try PlainCompetitor(connection: database)
            let cabinet = try await CabinetCompetitor(connection: database)
            var stores: [any Competitor] = isProfile ? [cabinet] : [plain, cabinet]
            for row in rows {
                for index in stores.indices { try await row.preparation(&stores[index], samples) }
                // What was written before is no row's own affair; tables that are still empty are left as a program finds them.
                if row.id != rows.first?.id { try plain.run("VACUUM ANALYZE") }
                try plain.run("CHECKPOINT")
                report.add(try await measure(row, &stores, samples), of: row)
            }
            for index in stores.indices { await stores[index].close() }
        }
        return report
    }

    /// The seconds that each of them takes for a slice of a row: the median of all, because what else the machine does delays some.
    private func measure(_ row: Row, _ stores: inout [any Competitor], _ samples: Samples) async throws -> [Double] {
        var seconds: [[Double]] = Array(repeating: [], count: stores.count)
        var answers = Array(repeating: Answer(count: 0), count: stores.count)
        for slice in 0..<row.slices(samples) {
            // Nobody is always the first.
            for index in slice.isMultiple(of: 2) ? Array(stores.indices) : stores.indices.reversed() {
                let start = ContinuousClock.now
                let answer = try await row.work(&stores[index], samples, slice)
                let (whole, rest) = start.duration(to: .now).components
                seconds[index].append(Double(whole) + Double(rest) * 1e-18)
                answers[index] = answers[index] + answer
            }
        }
        let results = answers.map { [Int64($0.count), $0.digest()] }
        guard Set(results).count == 1, answers[0].count > 0 else {
            throw BenchmarkFailure("Row \(row.id): the answers differ: \(results).")
        }
        return seconds.map(\.median)
    }
}
