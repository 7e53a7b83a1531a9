/// A JSON text, checked as a whole and split into tokens, whose values can then be read in any order.
///
/// The check is strict: UTF-8 without lone surrogates, no repeated key in an object, numbers as the grammar has them, nothing
/// after the value, at most ``maximumDepth`` open containers. Time and memory are linear in the length of the text.
package struct JSONTokens: Sendable {
    /// The greatest number of containers within each other.
    static let maximumDepth = 64

    /// The greatest length of a text, in bytes.
    static let maximumLength = 1 << 30

    package enum Kind: UInt8, Sendable {
        case object, array, text, escapedText, integer, number, yes, no, null
        /// The token after the value, which no value is.
        case end
    }

    /// A value or a key, with the part of the text that it covers.
    package struct Token: Sendable {
        package var kind: Kind
        /// The position of the first byte; of a text, the one after the quotation mark.
        package var start: UInt32
        /// The position after the last byte; of a container, the number of its members or elements.
        package var end: UInt32
        /// The position of the token after this value and everything in it.
        package var next: UInt32

        /// Returns the value of an integer; `nil` if it needs more than 64 bits.
        package func integer(in bytes: [UInt8]) -> Int64? {
            let isNegative = bytes[Int(start)] == UInt8(ascii: "-")
            var number: Int64 = 0
            for byte in bytes[(Int(start) + (isNegative ? 1 : 0))..<Int(end)] {
                let digit = Int64(byte &- UInt8(ascii: "0"))
                let (product, overflows) = number.multipliedReportingOverflow(by: 10)
                let (sum, exceeds) =
                    isNegative
                    ? product.subtractingReportingOverflow(digit) : product.addingReportingOverflow(digit)
                if overflows || exceeds { return nil }
                number = sum
            }
            return number
        }
    }

    package let bytes: [UInt8]
    package let tokens: [Token]

    /// Checks a text.
    ///
    /// - Throws: ``CabinetError/Code/invalidArguments`` if it is not JSON as described, with the position of the fault.
    package init(_ bytes: [UInt8]) throws(CabinetError) {
        guard bytes.count <= Self.maximumLength else {
            throw CabinetError(
                .limitExceeded,
                "The JSON text has \(bytes.count) bytes; at most \(Self.maximumLength) are allowed. Split the request.")
        }
        self.bytes = bytes
        var scan = JSONScan()
        tokens = try bytes.withUnsafeBufferPointer { text throws(CabinetError) in try scan.tokens(of: text) }
    }
}
