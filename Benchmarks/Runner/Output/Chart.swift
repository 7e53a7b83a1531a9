import Foundation

/// Horizontal bars: Cabinet's processor time and wall time relative to those of the last reference, which are 1.
///
/// The picture has its own background, so that it can be read on any page. It uses light or dark colors if the viewer
/// of the page passes the preference on.
struct Chart {
    let group: Row.Group
    let lines: [ResultLine]
    let suite: Suite
    let reference: Competition
    let count: Int

    private static let width = 760.0
    private static let left = 20.0
    private static let right = 70.0
    private static let top = 84.0
    private static let bar = 11.0
    private static let gap = 3.0

    private var blockHeight: Double { 34 + Double(Row.Time.allCases.count) * (Self.bar + Self.gap) }
    private var height: Double { Self.top + Double(lines.count) * blockHeight + 20 }

    /// The ratio at the right end; longer bars are cut off.
    private var extent: Double {
        let ratios = lines.flatMap { $0.ratios(of: suite.own, to: reference) }
        let goals = lines.compactMap(\.goal)
        return min(max((ratios + goals).max() ?? 1, 1.5), 5) * 1.02
    }

    private func x(_ ratio: Double) -> Double {
        Self.left + min(ratio, extent) / extent * (Self.width - Self.left - Self.right)
    }

    var svg: String {
        let number = count.formatted(.number.locale(Locale(identifier: "en")))
        let title = "\(group.title): Cabinet's cost beside \(reference.title) on \(suite.title), N = \(number)"
        var parts = [
            """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(text(Self.width)) \(text(height))" \
            width="\(text(Self.width))" height="\(text(height))" role="img" aria-label="\(escaped(title))">
            <title>\(escaped(title))</title>
            \(Self.style)
            <rect class="page" x="0.5" y="0.5" width="\(text(Self.width - 1))" height="\(text(height - 1))" rx="8"/>
            <text class="title" x="20" y="30">\(escaped(title))</text>
            """
        ]
        parts += legend
        for (index, line) in lines.enumerated() { parts += block(line, at: Self.top + Double(index) * blockHeight) }
        parts.append("</svg>\n")
        return parts.joined(separator: "\n")
    }

    private var legend: [String] {
        var parts: [String] = []
        var position = Self.left
        for (index, time) in Row.Time.allCases.enumerated() {
            let label = "\(time.rawValue) time"
            parts.append(
                "<rect class=\"bar\(index)\" x=\"\(text(position))\" y=\"46\" width=\"11\" height=\"11\" rx=\"2\"/>")
            parts.append("<text class=\"small\" x=\"\(text(position + 16))\" y=\"56\">\(escaped(label))</text>")
            position += 150
        }
        parts.append("<line class=\"goal\" x1=\"\(text(position))\" y1=\"45\" x2=\"\(text(position))\" y2=\"58\"/>")
        parts.append(
            "<text class=\"small\" x=\"\(text(position + 7))\" y=\"56\">goal; the dashed line is C itself; shorter is better</text>"
        )
        return parts
    }

    private func block(_ line: ResultLine, at top: Double) -> [String] {
        let label = "\(line.id):  \(line.title)".replacing("`", with: "")
        var parts = ["<text class=\"label\" x=\"20\" y=\"\(text(top + 12))\">\(escaped(label))</text>"]
        var y = top + 19
        for (time, (index, ratio)) in zip(Row.Time.allCases, line.ratios(of: suite.own, to: reference).enumerated()) {
            let end = x(ratio)
            let isCut = ratio > extent
            // Beside the mark of the goal, and not under it.
            let goal = line.goalTimes.contains(time) ? line.goal.map(x) ?? 0 : 0
            let place = goal > end - 5 && goal < end + 35 ? goal : end
            parts.append(
                "<rect class=\"bar\(index)\" x=\"20\" y=\"\(text(y))\" width=\"\(text(max(end - Self.left, 1)))\" "
                    + "height=\"\(text(Self.bar))\" rx=\"2\"/>")
            parts.append(
                "<text class=\"small\" x=\"\(text(place + 5))\" y=\"\(text(y + 9.5))\">"
                    + "\(isCut ? "→ " : "")\(MarkdownTable.short(ratio))</text>")
            if goal > 0 {
                let place = text(goal)
                parts.append(
                    "<line class=\"goal\" x1=\"\(place)\" y1=\"\(text(y - 2))\" x2=\"\(place)\" y2=\"\(text(y + Self.bar + 2))\"/>"
                )
            }
            y += Self.bar + Self.gap
        }
        let one = text(x(1))
        parts.append(
            "<line class=\"one\" x1=\"\(one)\" y1=\"\(text(top + 16))\" x2=\"\(one)\" y2=\"\(text(top + blockHeight - 9))\"/>"
        )
        return parts
    }

    private static let style = """
        <style>
        text { font-family: -apple-system, "Segoe UI", Roboto, Helvetica, Arial, sans-serif; fill: #1f2328 }
        .title { font-size: 16px; font-weight: 600 }
        .label { font-size: 12.5px }
        .small { font-size: 11px; fill: #59636e }
        .page { fill: #ffffff; stroke: #d1d9e0 }
        .bar0 { fill: #2f81c7 }
        .bar1 { fill: #e08a2b }
        .one { stroke: #59636e; stroke-width: 1; stroke-dasharray: 3 3 }
        .goal { stroke: #1a7f37; stroke-width: 2 }
        @media (prefers-color-scheme: dark) {
            text { fill: #e6edf3 }
            .small { fill: #9aa4af }
            .page { fill: #0d1117; stroke: #3d444d }
            .bar0 { fill: #4493f8 }
            .bar1 { fill: #d9822b }
            .one { stroke: #9aa4af }
            .goal { stroke: #3fb950 }
        }
        </style>
        """

    private func text(_ value: Double) -> String { String(format: "%.1f", value) }

    private func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;")
    }
}
