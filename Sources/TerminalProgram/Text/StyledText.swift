/// A line of text in several styles.
package struct StyledText: Sendable, Equatable, ExpressibleByStringInterpolation {
    private var runs: [Run] = []

    private struct Run: Sendable, Equatable {
        var text: String
        var style: Style.RawValue
    }

    /// Creates plain text.
    package init(stringLiteral text: String) {
        self.init(text)
    }

    /// Creates text of one style.
    package init(_ text: String, _ style: Style = []) {
        if !text.isEmpty { runs = [Run(text: text, style: style.rawValue)] }
    }

    /// Joins two texts.
    package static func + (left: StyledText, right: StyledText) -> StyledText {
        var result = left
        result.runs += right.runs
        return result
    }

    /// The number of columns that a terminal uses to show the text.
    package var columns: Int { runs.reduce(0) { $0 + $1.text.columns } }

    /// The text in exactly this many columns: cut with an ellipsis, or followed by spaces.
    package func fitted(toColumns count: Int) -> StyledText {
        guard columns > count else { return self + StyledText(String(repeating: " ", count: count - columns)) }
        var result = StyledText("")
        var rest = count
        for run in runs where rest > 0 {
            // The last run that fits partly gets the ellipsis, even if it ends exactly at the edge.
            let isLast = run.text.columns >= rest
            let text = isLast ? run.text.prefix(columns: rest - 1) + "…" : run.text
            result.runs.append(Run(text: text, style: run.style))
            rest -= isLast ? rest : text.columns
        }
        return result
    }

    /// The text with one more style everywhere.
    package func adding(_ style: Style) -> StyledText {
        var result = self
        for index in result.runs.indices { result.runs[index].style |= style.rawValue }
        return result
    }

    /// The text to write to a terminal.
    ///
    /// - Parameter allowed: The styles that the terminal may show.
    func encoded(allowing allowed: Style) -> String {
        runs.map { Style(rawValue: $0.style).intersection(allowed).applied(to: $0.text) }.joined()
    }
}
