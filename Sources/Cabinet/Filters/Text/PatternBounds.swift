/// Bounds for the cost of a regular expression, known before it is compiled.
struct PatternBounds {
    /// The most characters of an expression.
    static let maximumLength = 2_000
    /// The most sets of characters in an expression, such as `[…]`.
    ///
    /// Measured: one takes up to a millisecond to compile.
    static let maximumSetCount = 50
    /// The most characters of a text for an expression with long steps.
    static let longestScannedText = 10_000

    private let pattern: String
    private let length: Int
    private let setCount: Int

    /// Whether ICU may read the whole text in one step, and so counts far fewer steps than it takes.
    ///
    /// A part of the text that only resembles such a step, such as `[*+]`, counts too.
    let hasLongSteps: Bool

    init(_ pattern: String) {
        self.pattern = pattern
        length = pattern.utf16.count
        var setCount = 0
        var hasLongSteps = false
        /// The last two characters, as far as they are special.
        var before: (Unicode.Scalar, Unicode.Scalar) = (" ", " ")
        for scalar in pattern.unicodeScalars {
            switch (before.0, before.1, scalar) {
            case (_, "\\", "p"), (_, "\\", "P"), (_, _, "["): setCount += 1
            case (_, "\\", "1"..."9"), (_, "\\", "k"): hasLongSteps = true
            case (_, "*", "+"), (_, "+", "+"), (_, "?", "+"), (_, "}", "+"): hasLongSteps = true
            case ("(", "?", "="), ("(", "?", "!"), ("(", "?", "<"), ("(", "?", ">"): hasLongSteps = true
            default: break
            }
            before = (before.1, scalar)
        }
        self.setCount = setCount
        self.hasLongSteps = hasLongSteps
    }

    /// The work that compiling the expression is counted as.
    var unitsToCompile: Int { 1_000 + 50_000 * setCount }

    /// Throws ``CabinetError/Code/limitExceeded`` if the expression is too large to be compiled.
    func validate() throws(CabinetError) {
        guard length > Self.maximumLength || setCount > Self.maximumSetCount else { return }
        throw CabinetError(
            .limitExceeded,
            "The regular expression \(RegularExpression.shown(pattern)) has \(length) characters and \(setCount) sets of "
                + "characters; the limits are \(Self.maximumLength) and \(Self.maximumSetCount). Split it into several "
                + "comparisons joined by OR.")
    }
}
