/// A line that a person types at a prompt, with the history of earlier lines.
///
/// It is a value without a terminal: keys go in, and a text with a cursor comes out.
package struct LineEditing: Sendable {
    package private(set) var field = TextField()
    private let history: [String]
    /// The position in the history; its count is the new line.
    private var position: Int
    /// The new line, while an earlier one is shown.
    private var draft = ""

    /// The effect of a key.
    package enum Outcome: Sendable, Equatable {
        case editing
        case done(String)
        /// The person gave the line up, and begins another one.
        case cleared
        /// The person leaves.
        case end
        /// The person asks for words that continue the line.
        case complete
    }

    /// Begins an empty line.
    ///
    /// - Parameter history: Earlier lines, the oldest first.
    package init(history: [String] = []) {
        self.history = history
        position = history.count
    }

    package mutating func handle(_ key: Key) -> Outcome {
        switch key {
        case .enter: return .done(field.text)
        case .control("c"): return .cleared
        case .control("d") where field.text.isEmpty: return .end
        case .tab: return .complete
        case .up, .control("p"): move(by: -1)
        case .down, .control("n"): move(by: 1)
        default: _ = field.handle(key)
        }
        return .editing
    }

    /// Continues the line with the letters that all candidates have in common.
    ///
    /// - Parameter candidates: The words that may stand at the end of the line.
    /// - Returns: The candidates to show, if they have nothing more in common.
    package mutating func complete(with candidates: [String]) -> [String] {
        let word = field.text.split(separator: " ", omittingEmptySubsequences: false).last.map(String.init) ?? ""
        let matching = candidates.filter { $0.hasPrefix(word) }
        guard let first = matching.first else { return [] }
        let common = matching.dropFirst().reduce(first) { $0.commonPrefix(with: $1) }
        let end = matching.count == 1 ? " " : ""
        let addition = common.dropFirst(word.count) + end
        guard !addition.isEmpty else { return matching }
        field = TextField(field.text + addition)
        return []
    }

    private mutating func move(by step: Int) {
        let new = position + step
        guard history.indices.contains(new) || new == history.count else { return }
        if position == history.count { draft = field.text }
        position = new
        field = TextField(new == history.count ? draft : history[new])
    }
}

extension String {
    fileprivate func commonPrefix(with other: String) -> String {
        String(zip(self, other).prefix { $0 == $1 }.map(\.0))
    }
}
