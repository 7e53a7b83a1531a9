import Foundation

/// An ICU regular expression that matches whole texts, within bounds.
struct RegularExpression: Sendable {
    private let expression: NSRegularExpression
    /// The expression as it was written.
    private let pattern: String

    /// How often ICU may report that it still seeks a match, which it does after every 10,000 steps or so.
    ///
    /// Some expressions, such as `(a|aa)*b`, need a time that doubles with each character of the text. ICU gives up
    /// too, at about four times as many, but as if nothing matched.
    private static let effort = 1_000

    /// Compiles an expression.
    ///
    /// - Throws: ``CabinetError/Code/invalidArguments`` if it is malformed.
    init(_ pattern: String, options: NSRegularExpression.Options) throws(CabinetError) {
        self.pattern = pattern
        // Alone first: a stray parenthesis must not find its partner in what is put around it. The empty expression,
        // which the library refuses, matches the empty text.
        if !pattern.isEmpty { _ = try Self.compile(pattern, options, pattern) }
        // The expression may end within a comment, which a line break ends, or within a quotation, which \E ends.
        for end in [")\\z", "\n)\\z"] {
            if let whole = try? Self.compile("\\A(?:\(pattern)\(end)", options, pattern) {
                expression = whole
                return
            }
        }
        expression = try Self.compile("\\A(?:\(pattern)\\E)\\z", options, pattern)
    }

    /// Whether the whole text matches.
    ///
    /// - Throws: ``CabinetError/Code/invalidArguments`` if that cannot be found out in reasonable time.
    func matches(_ text: String) throws(CabinetError) -> Bool {
        var isFound = false
        var reports = 0
        let range = NSRange(location: 0, length: text.utf16.count)
        expression.enumerateMatches(in: text, options: [.anchored, .reportProgress], range: range) { match, _, stop in
            if match != nil {
                isFound = true
                stop.pointee = true
            } else {
                reports += 1
                if reports > Self.effort { stop.pointee = true }
            }
        }
        if isFound { return true }
        if reports > Self.effort {
            throw CabinetError(
                .invalidArguments,
                "The regular expression \(Self.shown(pattern)) takes too long on a text of "
                    + "\(range.length) characters. Avoid repetitions within repetitions, such as (a*)*.")
        }
        return false
    }

    private static func compile(
        _ pattern: String, _ options: NSRegularExpression.Options, _ original: String
    ) throws(CabinetError) -> NSRegularExpression {
        do {
            return try NSRegularExpression(pattern: pattern, options: options)
        } catch {
            throw CabinetError(.invalidArguments, "\(shown(original)) is no regular expression.")
        }
    }

    private static func shown(_ pattern: String) -> String {
        Filter.Expression.constant(.string(pattern)).abbreviated
    }
}
