import Foundation

/// An ICU regular expression that matches whole texts, within bounds.
struct RegularExpression: Sendable {
    private let expression: NSRegularExpression
    /// The expression as it was written.
    private let pattern: String
    /// Whether one step of the search may read the whole text, see ``PatternBounds``.
    private let hasLongSteps: Bool

    /// The maximum number of ICU's progress reports for one text.
    ///
    /// ICU reports after every 10,000 steps.
    ///
    /// Some expressions, such as `(a|aa)*b`, need steps that double with each character of the text. ICU stops by
    /// itself after about four times as many, but reports that nothing matched.
    private static let effort = 1_000
    private static let stepsPerReport = 10_000
    /// The least cost of a text: Foundation's own work.
    private static let unitsPerText = 20

    /// Compiles an expression.
    ///
    /// - Throws: ``CabinetError/Code/invalidArguments`` if it is malformed, and ``CabinetError/Code/limitExceeded`` if it is too
    ///   large or the work of the request is spent.
    init(_ pattern: String, options: NSRegularExpression.Options) throws(CabinetError) {
        let bounds = PatternBounds(pattern)
        try bounds.validate()
        try WorkMeter.current?.spend(bounds.unitsToCompile)
        hasLongSteps = bounds.hasLongSteps
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
    /// - Throws: ``CabinetError/Code/limitExceeded`` if that takes too many steps, or more than the request may spend; and
    ///   ``CabinetError/Code/operationCancelled``.
    func matches(_ text: String) throws(CabinetError) -> Bool {
        let length = text.utf16.count
        if hasLongSteps, length > PatternBounds.longestScannedText { throw tooLong(length) }
        let meter = WorkMeter.current
        try meter?.spend(Self.unitsPerText + length / 16)
        var isFound = false
        var reports = 0
        var failure: CabinetError?
        let options: NSRegularExpression.MatchingOptions = [.anchored, .reportProgress, .reportCompletion]
        let range = NSRange(location: 0, length: length)
        expression.enumerateMatches(in: text, options: options, range: range) { match, flags, stop in
            if match != nil {
                isFound = true
                stop.pointee = true
            } else if flags.contains(.internalError) {
                failure = failure ?? tooExpensive(length)
            } else if flags.contains(.progress), failure == nil {
                reports += 1
                do throws(CabinetError) {
                    if reports > Self.effort { throw tooExpensive(length) }
                    try meter?.spend(Self.stepsPerReport)
                } catch {
                    failure = error
                    stop.pointee = true
                }
            }
        }
        if isFound { return true }
        if let failure { throw failure }
        return false
    }

    private func tooExpensive(_ length: Int) -> CabinetError {
        CabinetError(
            .limitExceeded,
            "The regular expression \(Self.shown(pattern)) takes too many steps on a text of \(length) characters. "
                + "Avoid repetitions within repetitions, such as (a*)*.")
    }

    private func tooLong(_ length: Int) -> CabinetError {
        CabinetError(
            .limitExceeded,
            "The regular expression \(Self.shown(pattern)) has a back reference, a look-around, or a possessive or atomic part. "
                + "Such an expression takes texts of at most \(PatternBounds.longestScannedText) characters, and a text has "
                + "\(length). Write it without such a part, or exclude long texts by another comparison.")
    }

    private static func compile(
        _ pattern: String, _ options: NSRegularExpression.Options, _ original: String
    ) throws(CabinetError) -> NSRegularExpression {
        do {
            return try NSRegularExpression(pattern: pattern, options: options)
        } catch {
            throw CabinetError(.invalidArguments, "\(shown(original)) is not a regular expression.")
        }
    }

    static func shown(_ pattern: String) -> String {
        Filter.Expression.constant(.string(pattern)).abbreviated
    }
}
