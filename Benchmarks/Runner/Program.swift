import Foundation

/// Runs all suites at all sizes, and says what came of them.
struct Program {
    let options: Options

    func run() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "cabinet-benchmark-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var all: [Results] = []
        for suite in Suite.all where options.suites?.contains(suite.id) ?? true {
            for count in options.counts {
                let results = try await Coordinator(suite: suite, options: options, count: count, folder: folder).run()
                print(MarkdownTable(results: results).text + "\n")
                all.append(results)
            }
        }
        if let file = options.json { try JSONReport(results: all).write(to: file) }
        if let folder = options.charts { try Charts(results: all).write(to: folder) }
    }
}
