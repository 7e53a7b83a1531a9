import BenchmarkBaseline
import Foundation
import PostgresTestSupport

/// Runs all suites at all sizes, and says what came of them.
struct Program {
    let options: Options

    func run() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "cabinet-benchmark-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let signals = Signals.cleaningUp(folder)
        defer { signals.forEach { $0.cancel() } }
        print(
            "\(ProcessInfo.processInfo.activeProcessorCount) processors, \(ProcessInfo.processInfo.operatingSystemVersionString), "
                + "SQLite \(String(cString: baseline_version())), \(Date.now.formatted(.iso8601))\n")
        var all: [Results] = []
        for suite in Suite.all where options.suites?.contains(suite.id) ?? true {
            let server = suite.needsPostgres ? try await PostgresServer(isDurable: true) : nil
            for count in options.counts {
                if count > suite.largestCount, options.suites == nil {
                    Log.note("\(suite.title): N = \(count) is left out, unless --suites \(suite.id) asks for it.")
                    continue
                }
                let coordinator = Coordinator(
                    suite: suite, options: options, count: count, folder: folder,
                    connection: { try await server?.newDatabase() })
                let results = try await coordinator.run()
                print(MarkdownTable(results: results).text + "\n")
                all.append(results)
            }
        }
        for suite in Suite.all {
            let growing = all.filter { $0.suite.id == suite.id }.sorted { $0.count < $1.count }
            if let text = GrowthTable(results: growing).text { print(text + "\n") }
        }
        if let file = options.json { try JSONReport(results: all).write(to: file) }
        if let folder = options.charts { try Charts(results: all).write(to: folder) }
    }
}
