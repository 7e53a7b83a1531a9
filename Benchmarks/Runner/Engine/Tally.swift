import BenchmarkBaseline

/// The number of read rows, and a digest of their content, which compares the competitors' results.
final class Tally {
    /// The C struct of the counts.
    var counts = baseline_tally()

    /// - Parameter isDigesting: Whether the content is digested, which takes time; otherwise rows are only counted.
    init(isDigesting: Bool) { counts.is_digesting = isDigesting ? 1 : 0 }

    var isDigesting: Bool { counts.is_digesting != 0 }
    var rows: Int { Int(counts.rows) }

    /// Counts rows without a digest.
    func count(_ rows: Int) { counts.rows += Int64(rows) }

    /// Counts a row, and digests its content.
    func add(id: String, name: String?, number: Int64, list: String) {
        baseline_tally_add(&counts, id, name ?? "", number, list)
    }

    /// The result on which two competitors must agree.
    var answer: Answer { Answer(rows: rows, sum: counts.sum, chain: counts.chain) }

    /// The number of rows, a digest that is the same for every order, and one that depends on the order.
    struct Answer: Codable, Hashable, CustomStringConvertible {
        var rows: Int
        var sum: UInt64
        var chain: UInt64

        var description: String { "\(rows) rows, digest \(String(sum, radix: 16))" }
    }
}
