/// The appearance of text on a terminal that supports styles.
package struct Style: OptionSet, Sendable {
    package let rawValue: Int

    /// Creates a style from its bits.
    package init(rawValue: Int) { self.rawValue = rawValue }

    package static let bold = Style(rawValue: 1)
    package static let dim = Style(rawValue: 2)
    package static let reverse = Style(rawValue: 4)
    package static let red = Style(rawValue: 8)
    package static let green = Style(rawValue: 16)
    package static let yellow = Style(rawValue: 32)
    package static let cyan = Style(rawValue: 64)

    /// The styles that are colors, which `NO_COLOR` switches off.
    static let colors: Style = [.red, .green, .yellow, .cyan]

    /// The control sequence before text of this style; empty for plain text.
    var code: String {
        let parameters: [(Style, Int)] = [
            (.bold, 1), (.dim, 2), (.reverse, 7), (.red, 31), (.green, 32), (.yellow, 33), (.cyan, 36),
        ]
        let numbers = parameters.filter { contains($0.0) }.map { "\($0.1)" }
        return numbers.isEmpty ? "" : "\u{1B}[\(numbers.joined(separator: ";"))m"
    }

    /// The text between the codes that begin and end the style.
    func applied(to text: String) -> String {
        isEmpty || text.isEmpty ? text : code + text + "\u{1B}[0m"
    }
}
