import Foundation

/// Who is measured.
enum Competition: Hashable, CaseIterable {
    /// C on SQLite's defaults.
    case plain
    /// C, tuned as Cabinet is.
    case tuned
    case cabinet
}

/// The medians of all rounds, as ratios.
struct RatioTable {
    private var rows: [(row: Row, values: [Competition: [Double]])] = []

    mutating func add(_ measurement: Measurement, of row: Row, for competition: Competition) {
        let value = row.comparesCPU ? measurement.cpu : measurement.wall
        if let index = rows.firstIndex(where: { $0.row.id == row.id }) {
            rows[index].values[competition, default: []].append(value)
        } else {
            rows.append((row, [competition: [value]]))
        }
    }

    /// The table in Markdown.
    func text(count: Int, rounds: Int) -> String {
        var lines = [
            "N = \(count), median of \(rounds) rounds; ratios are to C tuned as Cabinet is", "",
            "| | Work | C, defaults | C, tuned | Cabinet | Cabinet / defaults | Cabinet / tuned | goal |",
            "|---|---|---|---|---|---|---|---|",
        ]
        for (row, values) in rows {
            let medians = values.mapValues(\.median)
            let (plain, tuned, own) = (medians[.plain] ?? .nan, medians[.tuned] ?? .nan, medians[.cabinet] ?? .nan)
            func milliseconds(_ value: Double) -> String { String(format: "%.2f ms", value * 1000) }
            func ratio(_ value: Double) -> String { String(format: "%.2f", value) }
            let mark = own / tuned <= row.goal ? "" : " ✗"
            lines.append(
                "| \(row.id) | \(row.title)\(row.comparesCPU ? " (CPU)" : "") | \(milliseconds(plain)) | \(milliseconds(tuned)) "
                    + "| \(milliseconds(own)) | \(ratio(own / plain)) | \(ratio(own / tuned)) | ≤ \(row.goal)\(mark) |")
        }
        return lines.joined(separator: "\n")
    }
}
