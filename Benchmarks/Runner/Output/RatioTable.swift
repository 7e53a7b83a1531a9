import Foundation

/// Cabinet's cost relative to the last reference at each size, as the table of the article "Performance".
struct RatioTable {
    /// The results of one suite, from the smallest to the largest.
    let results: [Results]

    /// The table; `nil` without results.
    var text: String? {
        guard let suite = results.first?.suite, let reference = suite.references.last else { return nil }
        let sizes = results.map { "N = " + $0.count.formatted(.number.locale(Locale(identifier: "en"))) }
        let lines = results[0].lines.filter { $0.wall != nil }
        if lines.isEmpty { return nil }
        let heading = [
            "### Cabinet beside \(reference.title), by the number of records: \(suite.title)", "",
            "The ratio of processor time, then that of wall time. Smaller is better.", "",
            "| Work | \(sizes.joined(separator: " | ")) | goal |",
            String(repeating: "|---", count: sizes.count + 2) + "|",
        ]
        let rows = lines.map { line in
            let ratios = results.map { results in
                let line = results.lines.first { $0.id == line.id }
                return MarkdownTable.joined(line?.ratios(of: suite.own, to: reference).map(MarkdownTable.short))
            }
            return "| \(line.title) | \(ratios.joined(separator: " | ")) | \(MarkdownTable.goal(of: line)) |"
        }
        return (heading + rows).joined(separator: "\n")
    }
}
