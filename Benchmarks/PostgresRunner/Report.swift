import Foundation

/// The figures of all rounds: medians, and ratios of what was measured side by side.
struct Report {
    let count: Int
    let rounds: Int
    private var rows: [(row: Row, seconds: [[Double]])] = []

    init(count: Int, rounds: Int) {
        self.count = count
        self.rounds = rounds
    }

    /// Adds a round of a row.
    ///
    /// - Parameters:
    ///   - seconds: What plain C and Cabinet took for a slice, or Cabinet alone.
    ///   - row: The row.
    mutating func add(_ seconds: [Double], of row: Row) {
        if let index = rows.firstIndex(where: { $0.row.id == row.id }) {
            rows[index].seconds.append(seconds)
        } else {
            rows.append((row, [seconds]))
        }
    }

    /// What is known of one row.
    private struct Line: Encodable {
        let row: String
        let title: String
        /// Microseconds for one call.
        let plain: Double?
        let cabinet: Double
        /// The median, the least and the greatest of the rounds' ratios.
        let ratio: [Double]
        let goal: Double?
        var isMet: Bool? { goal.flatMap { goal in ratio.first.map { $0 <= goal } } }
    }

    private var lines: [Line] {
        rows.map { row, seconds in
            func microseconds(_ values: [Double]) -> Double { values.median / Double(row.calls) * 1e6 }
            let ratios = seconds.filter { $0.count == 2 }.map { $0[1] / $0[0] }
            return Line(
                row: row.id, title: row.title,
                plain: ratios.isEmpty ? nil : microseconds(seconds.map { $0[0] }),
                cabinet: microseconds(seconds.compactMap(\.last)),
                ratio: ratios.isEmpty ? [] : [ratios.median, ratios.min() ?? 0, ratios.max() ?? 0], goal: row.goal)
        }
    }

    /// The table in Markdown.
    var table: String {
        var text = [
            "N = \(count), median of \(rounds) rounds, each the median of its slices; fsync on, Unix socket; times are for one call or batch",
            "",
            "| | Work | libpq in C | Cabinet | Cabinet / C | spread | goal |", "|---|---|---|---|---|---|---|",
        ]
        for line in lines {
            func time(_ value: Double?) -> String { value.map { String(format: "%.0f µs", $0) } ?? "–" }
            func ratio(_ index: Int) -> String {
                line.ratio.indices.contains(index) ? String(format: "%.2f", line.ratio[index]) : "–"
            }
            let goal = line.goal.map { "≤ \($0) \(line.isMet == true ? "✓" : "✗")" } ?? "–"
            text.append(
                "| \(line.row) | \(line.title) | \(time(line.plain)) | \(time(line.cabinet)) | \(ratio(0)) "
                    + "| \(ratio(1))–\(ratio(2)) | \(goal) |")
        }
        return text.joined(separator: "\n")
    }

    /// The figures for other programs.
    func json() throws -> Data {
        struct Document: Encodable {
            let count: Int
            let rounds: Int
            let rows: [Line]
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        return try encoder.encode(Document(count: count, rounds: rounds, rows: lines))
    }
}

extension [Double] {
    /// The middle one of the values.
    var median: Double {
        let sorted = sorted()
        return isEmpty ? .nan : (sorted[(count - 1) / 2] + sorted[count / 2]) / 2
    }
}
