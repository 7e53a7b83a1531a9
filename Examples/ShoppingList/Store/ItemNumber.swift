import TerminalProgram

/// The number of an item to buy.
struct ItemNumber {
    /// The numbers that an item can have.
    static let range = 1...999

    let value: Int

    /// Reads a number.
    ///
    /// - Throws: ``Invalid`` if it is not a number, too small or too large. Nothing is rounded or replaced.
    init(_ typed: String) throws(Invalid) {
        let text = typed.trimmingPrefix(while: \.isWhitespace)
        let digits = text.first == "-" || text.first == "+" ? text.dropFirst() : text
        guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII && $0.isNumber }) else {
            throw Invalid(text: typed, problem: "is not a whole number")
        }
        // A number that is too long for an integer is too large like any other.
        guard let value = Int(text), value <= Self.range.upperBound else {
            throw Invalid(text: typed, problem: text.first == "-" ? "is too small" : "is too large")
        }
        guard value >= Self.range.lowerBound else { throw Invalid(text: typed, problem: "is too small") }
        self.value = value
    }

    /// Adds to a number, which another program may have saved out of the range.
    ///
    /// - Throws: ``Invalid`` if the sum is too small or too large.
    init(_ number: Int, adding difference: Int) throws(Invalid) {
        let (sum, isTooLong) = number.addingReportingOverflow(difference)
        try self.init("\(isTooLong ? (difference < 0 ? Int.min : Int.max) : sum)")
    }

    /// A text that is not the number of an item.
    struct Invalid: Error, CustomStringConvertible {
        let text: String
        let problem: String

        var description: String {
            "'\(text.printable.truncated(toColumns: 20))' \(problem): type a number from \(range.lowerBound) to \(range.upperBound)."
        }
    }
}
