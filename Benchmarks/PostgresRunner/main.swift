import Foundation

// Cabinet on PostgreSQL beside plain C on libpq: the same work in one run, and the ratios.
//
//   PostgresBenchmarks [N] [--rounds R] [--rows fetch,save] [--json FILE] [--profile]
//
// Row bulk fills the store, and is always run. With --profile Cabinet works alone, so that a profiler sees nothing else.

var arguments = Array(CommandLine.arguments.dropFirst())

@MainActor func option(_ name: String) -> String? {
    guard let index = arguments.firstIndex(of: name), index + 1 < arguments.count else { return nil }
    defer { arguments.removeSubrange(index...index + 1) }
    return arguments[index + 1]
}

let rounds = option("--rounds").flatMap { Int($0) } ?? 5
let wanted = option("--rows").map { Set($0.split(separator: ",").map(String.init)) }
let file = option("--json")
let benchmark = PostgresBenchmark(
    // Fewer would not fill the batches of all rows.
    count: max(arguments.first.flatMap { Int($0) } ?? 100_000, 2_000), rounds: rounds,
    rows: Row.all.filter { $0.id == "bulk" || wanted?.contains($0.id) ?? true },
    isProfile: arguments.contains("--profile"))
do {
    let report = try await benchmark.run()
    print(report.table)
    if let file { try report.json().write(to: URL(fileURLWithPath: file)) }
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}
