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
        if let headline { lines += ["", headline] }
        return lines.joined(separator: "\n")
    }

    private var rounds: String {
        let base = "Each figure is for one unit of the work, in the median of \(results.fills * results.turns) rounds"
        let way =
            results.turns == 1
            ? ", each on a new store."
            : "; the store was filled once, so the rows that fill it were measured once."
        return base + way
            + " Spread: the smallest and the largest ratio to \(results.suite.references.last?.title ?? "") of a round."
    }

    private func line(_ line: ResultLine) -> String {
        let suite = results.suite
        var cells = [line.id, line.title + metric(of: line)]
        cells += suite.competitors.map { figure(line, $0) }
        for reference in suite.references {
            let ratio = line.ratio(of: suite.own, to: reference)
            // The ambition: no slower than a plain program in C.
            let isSlower =
                line.isHeadline && suite.references.count > 1 && reference == suite.references[0] && ratio ?? 0 > 1
            cells.append((ratio.map(Self.short) ?? "–") + (isSlower ? " (>1)" : ""))
        }
        let reference = suite.references.last
        let spread = reference.flatMap { line.spread(of: suite.own, to: $0) }
        cells.append(spread.map { "\(Self.short($0.lowerBound))–\(Self.short($0.upperBound))" } ?? "–")
        cells.append(goal(of: line))
        let isMet = reference.flatMap { line.isMet(by: suite.own, against: $0) }
        cells.append(isMet.map { $0 ? "✓" : "✗" } ?? "")
        return "| \(cells.joined(separator: " | ")) |"
    }

    private func metric(of line: ResultLine) -> String {
        switch line.metric {
        case .cpu: " (CPU)"
        case .wall, .median, nil: ""
        }
    }

    private func goal(of line: ResultLine) -> String {
        if let limit = line.limit { return "≤ " + Self.format(limit, line.kind) }
        return line.goal.map { "≤ \(Self.short($0))" } ?? "–"
    }

    /// The compared figure, and the other time beside it.
    private func figure(_ line: ResultLine, _ competition: Competition) -> String {
        guard let median = line.median(competition) else { return "–" }
        let text = Self.format(median, line.kind)
        switch line.metric {
        case .cpu: return text + (line.wall[competition].map { ", wall " + Self.format($0, .seconds) } ?? "")
        case .wall, .median: return text + (line.cpu[competition].map { ", CPU " + Self.format($0, .seconds) } ?? "")
        case nil: return text
        }
    }

    /// The number of rows that keep the headline's promise.
    private var headline: String? {
        let suite = results.suite
        guard suite.references.count > 1, let plain = suite.references.first, let tuned = suite.references.last else {
            return nil
        }
        let lines = results.lines.filter { $0.isHeadline && $0.group != .own }
        let kept = lines.filter {
            $0.ratio(of: suite.own, to: plain) ?? .infinity <= 1
                && $0.ratio(of: suite.own, to: tuned) ?? .infinity <= 1.3
        }
        return
            "\(kept.count) of \(lines.count) rows cost no more than C on SQLite's defaults, and at most 1.3 times C tuned: "
            + "all but single fetches and single saves are meant to."
    }

    static func short(_ value: Double) -> String {
        value < 10 ? String(format: "%.2f", value) : String(format: "%.1f", value)
    }

    static func format(_ value: Double, _ unit: SideFigure.Unit) -> String {
        switch unit {
        case .count: return String(format: "%.0f", value)
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
