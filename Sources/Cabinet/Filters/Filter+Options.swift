extension Filter {
    /// Options for the comparison of text.
    ///
    /// The options apply to text on either side, and in lists. They do not affect other values. In a format string they
    /// stand in brackets after the operator: `name ==[cd] 'creme'`.
    public struct Options: OptionSet, Sendable, Hashable {
        /// The options as bits.
        public let rawValue: Int

        /// Creates options from bits.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// Ignores the case of letters: `[c]`.
        ///
        /// Both sides are case folded as Unicode defines it, fully and in no language: `ß` equals `ss`, `Σ`, `σ` and
        /// `ς` are alike, and `İ` is not `i`.
        public static let caseInsensitive = Options(rawValue: 1)

        /// Ignores accents: `[d]`.
        ///
        /// Both sides are decomposed, and combining marks after Latin, Greek and Cyrillic letters are removed: `é`
        /// equals `e`. Letters that do not decompose, such as `ø`, stay, as do the marks of other scripts.
        public static let diacriticInsensitive = Options(rawValue: 2)
    }

    /// The elements of the left operand that a comparison applies to.
    public enum Quantifier: String, Sendable, Hashable, CaseIterable {
        /// The operand itself is compared, list or not.
        case single
        /// At least one element of the list must fulfil the comparison: `ANY`, also written `SOME`.
        case any
        /// Every element of the list must fulfil the comparison; an empty list does: `ALL`.
        case all
        /// No element of the list may fulfil the comparison; an empty list does: `NONE`.
        case none
    }
}

extension Filter.Options {
    /// The letters of format strings, with the option of each.
    static let letters: KeyValuePairs<Character, Filter.Options> = ["c": .caseInsensitive, "d": .diacriticInsensitive]

    /// Every option of the language.
    static let all: Filter.Options = [.caseInsensitive, .diacriticInsensitive]

    /// The letters between the brackets of a format string.
    var text: String { String(Self.letters.filter { contains($0.value) }.map(\.key)) }
}

extension Filter.Quantifier {
    /// The words of format strings, with the quantifier of each.
    ///
    /// Descriptions use the first word.
    static let words: KeyValuePairs<String, Filter.Quantifier> = [
        "ANY": .any, "SOME": .any, "ALL": .all, "NONE": .none,
    ]

    /// The word before a comparison; `nil` for ``single``.
    var word: String? { Self.words.first { $0.value == self }?.key }
}
