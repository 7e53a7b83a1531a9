import Foundation

/// The figures of a suite as a table in Markdown.
struct MarkdownTable {
    let results: Results

    var text: String {
        let suite = results.suite
        let names = suite.competitors.map(\.title) + suite.references.map { "Cabinet / \($0.reference)" }
        var lines = [
            "### \(suite.title), N = \(results.count.formatted(.number.locale(Locale(identifier: "en"))))", "", rounds,
            "",
        ]
        lines.append("| | Work | \(names.joined(separator: " | ")) | spread | goal | |")
        lines.append(String(repeating: "|---", count: names.count + 5) + "|")
        lines += results.lines.map(line)
        if let summary { lines += ["", summary] }
        return lines.joined(separator: "\n")
    }

    private var rounds: String {
        let suite = results.suite
        let base =
            "A cell with two figures has processor time first and wall time second, for one unit of the work, in the median of "
            + "\(results.fills * results.turns) rounds"
        let way =
            results.turns == 1
            ? ", each on a new store."
            : "; the store was filled once, so the rows that fill it were measured once."
        return base + way
            + " Spread: the smallest and the largest ratio of processor time to \(suite.references.last?.title ?? "") in a round."
            + (suite.needsPostgres
                ? " Processor time is that of the client, unless a row adds that of the server." : "")
    }

    private func line(_ line: ResultLine) -> String {
        let suite = results.suite
        let reference = suite.references.last
        var cells = [line.id, line.title]
        cells += suite.competitors.map { competition in
            Self.joined(line.columns.compactMap { $0.median(competition) }.map { Self.format($0, line.kind) })
        }
        cells += suite.references.map { Self.joined(line.ratios(of: suite.own, to: $0).map(Self.short)) }
        let spread = line.limit == nil ? reference.flatMap { line.figures.spread(of: suite.own, to: $0) } : nil
        cells.append(spread.map { "\(Self.short($0.lowerBound))–\(Self.short($0.upperBound))" } ?? "–")
        cells.append(Self.goal(of: line))
        let isMet = reference.flatMap { line.isMet(by: suite.own, against: $0) }
        cells.append(isMet.map { $0 ? "✓" : "✗" } ?? "")
        return "| \(cells.joined(separator: " | ")) |"
    }

    /// The number of goals that are met.
    private var summary: String? {
        let suite = results.suite
        guard let reference = suite.references.last else { return nil }
        let goals = results.lines.compactMap { $0.isMet(by: suite.own, against: reference) }
        return goals.isEmpty ? nil : "\(goals.count { $0 }) of \(goals.count) goals are met."
    }

    static func goal(of line: ResultLine) -> String {
        if let limit = line.limit { return "≤ " + format(limit, line.kind) }
        let scope = line.wall != nil && line.goalTimes.count == 1 ? ", \(line.goalTimes[0].rawValue)" : ""
        return line.goal.map { "≤ \(short($0))\(scope)" } ?? "–"
    }

    /// The figures of a cell.
    static func joined(_ figures: [String]?) -> String {
        guard let figures, !figures.isEmpty else { return "–" }
        return figures.joined(separator: ", ")
    }

    static func short(_ value: Double) -> String {
        value < 10 ? String(format: "%.2f", value) : String(format: "%.1f", value)
    }

    static func format(_ value: Double, _ unit: SideFigure.Unit) -> String {
        switch unit {
        case .count: return String(format: "%.0f", value)
        case .perSecond: return String(format: "%.0f/s", value)
        case .bytes:
            return value != 0 && abs(value) < 10_240
                ? String(format: "%.0f B", value) : String(format: "%.1f MB", value / 1_048_576)
        case .seconds:
            if value < 1e-6 { return String(format: "%.0f ns", value * 1e9) }
            if value < 1e-3 { return String(format: value < 1e-5 ? "%.2f µs" : "%.1f µs", value * 1e6) }
            return String(format: "%.2f ms", value * 1e3)
        }
    }
}
