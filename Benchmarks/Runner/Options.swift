import Foundation

/// The options of the program.
struct Options {
    static let usage = """
        Benchmarks [N …] [--suites sqlite,…] [--rows a,k] [--rounds R] [--json FILE] [--charts FOLDER] [--profile]

        Cabinet beside plain C: the same work in one run, and the ratios. N is the number of stored records, 100,000 by
        default; several sizes are run one after the other. Row a fills the store, and is always run. With --profile Cabinet works
        alone, and in this process, so that a profiler sees nothing else. --suites databases measures saves in many databases of
        PostgreSQL, beside pgbench.
        """

    /// Up to this size, each round fills a new store.
    ///
    /// A larger store is filled once, and each row repeats its work on it.
    static let largestRefilled = 200_000

    var counts: [Int] = []
    var suites: Set<String>?
    var rows: Set<String>?
    var rounds = 5
    var json: URL?
    var charts: URL?
    var isProfile = false

    /// The duration of rows with a fixed time.
    var seconds: Double { counts.contains { $0 > 10_000 } ? 1 : 0.5 }

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        func value(of option: String) throws -> String {
            guard let value = rest.popFirst() else { throw BenchmarkFailure("\(option) needs a value.\n\(Self.usage)") }
            return value
        }
        while let argument = rest.popFirst() {
            switch argument {
            case "--suites": suites = Set(try value(of: argument).split(separator: ",").map(String.init))
            case "--rows": rows = Set(try value(of: argument).split(separator: ",").map(String.init))
            case "--rounds": rounds = max(Int(try value(of: argument)) ?? rounds, 1)
            case "--json": json = URL(fileURLWithPath: try value(of: argument))
            case "--charts": charts = URL(fileURLWithPath: try value(of: argument))
            case "--profile": isProfile = true
            default:
                guard let count = Int(argument), count >= 1_000 else {
                    throw BenchmarkFailure(
                        "'\(argument)' is neither an option nor a number from 1,000 on.\n\(Self.usage)")
                }
                counts.append(count)
            }
        }
        if counts.isEmpty { counts = [100_000] }
    }
}
