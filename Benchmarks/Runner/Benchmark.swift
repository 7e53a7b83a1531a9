import Foundation

/// The work of all rows, done by all competitors in turn, several times.
struct Benchmark {
    let count: Int
    let rounds: Int
    let folder: URL
    let rows: [Row]
    let competition: [Competition]

    /// The table of medians and ratios.
    func run() async throws -> String {
        var table = RatioTable()
        let samples = Samples(count: count)
        for round in 0..<rounds {
            FileHandle.standardError.write(Data("round \(round + 1) of \(rounds)\n".utf8))
            try await run(round, samples, &table)
        }
        return table.text(count: count, rounds: rounds)
    }

    private func run(_ round: Int, _ samples: Samples, _ table: inout RatioTable) async throws {
        func path(_ name: String) -> String { folder.appendingPathComponent("\(name)-\(round)").path }
        var stores: [(name: Competition, store: any Competitor)] = []
        for name in competition {
            let store: any Competitor =
                switch name {
                case .plain: try BaselineCompetitor(path: path("plain"), isTuned: false, isDurable: false)
                case .tuned: try BaselineCompetitor(path: path("tuned"), isTuned: true, isDurable: false)
                case .cabinet: try await CabinetCompetitor(path: path("cabinet"), isDurable: false)
                }
            stores.append((name, store))
        }
        for row in rows {
            var results: Set<Int> = []
            for index in stores.indices {
                var result = try await row.preparation(&stores[index].store, samples)
                let measurement = try await Measurement.of {
                    result = try await row.work(&stores[index].store, samples)
                }
                table.add(measurement, of: row, for: stores[index].name)
                results.insert(result)
            }
            // A fast wrong answer is no answer.
            if results.count > 1 { throw BenchmarkFailure("Row \(row.id): the answers differ: \(results).") }
        }
        for index in stores.indices { await stores[index].store.close() }
        for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
            try FileManager.default.removeItem(at: file)
        }
    }
}
