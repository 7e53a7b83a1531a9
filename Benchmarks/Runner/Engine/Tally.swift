import BenchmarkBaseline

/// How many rows were read, and what was in them, by which the competitors' answers are compared.
final class Tally {
    /// What C counts in.
    var counts = baseline_tally()

    /// - Parameter isDigesting: Whether the contents are looked at, which takes time; otherwise rows are only counted.
    init(isDigesting: Bool) { counts.is_digesting = isDigesting ? 1 : 0 }

    var isDigesting: Bool { counts.is_digesting != 0 }
    var rows: Int { Int(counts.rows) }

    /// Counts rows whose contents nobody looks at.
    func count(_ rows: Int) { counts.rows += Int64(rows) }

    /// Counts a row, and takes in what is in it.
    func add(id: String, name: String?, number: Int64, list: String) {
        baseline_tally_add(&counts, id, name ?? "", number, list)
    }

    /// What two competitors must agree on.
    var answer: Answer { Answer(rows: rows, sum: counts.sum, chain: counts.chain) }

    /// How many rows there were, a digest of them that is the same in whatever order they came, and one that is not.
    struct Answer: Codable, Hashable, CustomStringConvertible {
        var rows: Int
        var sum: UInt64
        var chain: UInt64

        var description: String { "\(rows) rows, digest \(String(sum, radix: 16))" }
    }
}
