import BenchmarkBaseline
import Foundation
import PostgresTestSupport

/// Runs all suites at all sizes, and prints their results.
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
        var failures = 0
        for suite in Suite.all where options.suites?.contains(suite.id) ?? true {
            do {
                try await run(suite, in: folder) { results in
                    print(MarkdownTable(results: results).text + "\n")
                    all.append(results)
                }
            } catch {
                // The results of the other suites remain useful.
                failures += 1
                print("### \(suite.title)\n\nFailed: \(error)\n")
                Log.note("\(suite.title): \(error)")
            }
        }
        if options.suites?.contains(ManyDatabases.id) ?? false {
            do {
                print(try await ManyDatabases(rounds: options.rounds).run() + "\n")
            } catch {
                failures += 1
                Log.note("\(ManyDatabases.id): \(error)")
            }
        }
        for suite in Suite.all {
            let growing = all.filter { $0.suite.id == suite.id }.sorted { $0.count < $1.count }
            if let text = RatioTable(results: growing).text { print(text + "\n") }
            if let text = GrowthTable(results: growing).text { print(text + "\n") }
        }
        if let file = options.json { try JSONReport(results: all).write(to: file) }
        if let folder = options.charts { try Charts(results: all).write(to: folder) }
        try Self.check(all, failures: failures)
    }

    /// Throws if the program must fail, after it has printed and written everything.
    ///
    /// - Parameters:
    ///   - results: The results of the suites.
    ///   - failures: The number of suites without results.
    static func check(_ results: [Results], failures: Int) throws {
        var reasons = results.flatMap(ProcessorGate.violations)
        if failures > 0 { reasons.append("\(failures) of the suites failed.") }
        if !reasons.isEmpty { throw BenchmarkFailure(reasons.joined(separator: "\n")) }
    }

    private func run(_ suite: Suite, in folder: URL, _ take: (Results) -> Void) async throws {
        let server = suite.needsPostgres ? try await PostgresServer(isDurable: true) : nil
        for count in options.counts {
            if count > suite.largestCount, options.suites == nil {
                Log.note("\(suite.title): N = \(count) is skipped, unless --suites \(suite.id) requests it.")
                continue
            }
            let coordinator = Coordinator(
                suite: suite, options: options, count: count, folder: folder,
                connection: { try await server?.newDatabase() }, server: server?.process)
            take(try await coordinator.run())
        }
    }
}
