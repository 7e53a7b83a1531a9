import Foundation

// Cabinet beside plain C on SQLite: the same work in one run, and the ratios.
//
//   Benchmarks [N] [--rounds R] [--rows a,k] [--profile]
//
// Row a fills the store, and is always run. With --profile Cabinet works alone, so that a profiler sees nothing else.

var arguments = Array(CommandLine.arguments.dropFirst())

@MainActor func option(_ name: String) -> String? {
    guard let index = arguments.firstIndex(of: name), index + 1 < arguments.count else { return nil }
    defer { arguments.removeSubrange(index...index + 1) }
    return arguments[index + 1]
}

let rounds = option("--rounds").flatMap { Int($0) } ?? 5
let rows = option("--rows").map { Set($0.split(separator: ",").map(String.init)) }
let isProfile = arguments.contains("--profile")
let folder = FileManager.default.temporaryDirectory.appendingPathComponent("cabinet-benchmark-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
let benchmark = Benchmark(
    count: arguments.first.flatMap { Int($0) } ?? 100_000, rounds: rounds, folder: folder,
    rows: Row.all.filter { $0.id == "a" || rows?.contains($0.id) ?? true },
    competition: isProfile ? [.cabinet] : Competition.allCases)
do {
    print(try await benchmark.run())
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}
