package import Foundation

/// Writes a JSON text from its first value to its last, and sets the commas.
package struct JSONWriter {
    /// The text so far, in UTF-8.
    private(set) package var bytes: [UInt8] = []

    private var needsComma = false

    /// Creates a writer.
    ///
    /// - Parameter capacity: The number of bytes to reserve.
    package init(capacity: Int = 1024) {
        bytes.reserveCapacity(capacity)
    }

    // MARK: Containers

    /// Writes an object, whose members `body` writes.
    package mutating func object(_ body: (inout JSONWriter) throws(CabinetError) -> Void) throws(CabinetError) {
        open(UInt8(ascii: "{"))
        try body(&self)
        close(UInt8(ascii: "}"))
    }

    /// Writes an array, whose elements `body` writes.
    package mutating func array(_ body: (inout JSONWriter) throws(CabinetError) -> Void) throws(CabinetError) {
        open(UInt8(ascii: "["))
        try body(&self)
        close(UInt8(ascii: "]"))
    }

    /// Writes the key of a member; the value follows.
    package mutating func key(_ key: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        key.withUTF8Buffer { bytes.append(contentsOf: $0) }
        endKey()
    }

    /// Writes a key that a user chose.
    package mutating func key(_ key: String) {
        separate()
        appendQuoted(key)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    // MARK: Values

    package mutating func write(_ text: String) {
        separate()
        appendQuoted(text)
    }

    package mutating func write(_ number: Int64) {
        separate()
        append(number)
    }

    /// Writes a number with a fraction or an exponent, so that it differs from an integer, or a text if it is not finite.
    package mutating func write(_ number: Double) {
        separate()
        if number.isFinite {
            appendASCII(number.description)
        } else {
            appendQuoted(number.description)
        }
    }

    package mutating func write(_ flag: Bool) {
        separate()
        if flag { append("true") } else { append("false") }
    }

    package mutating func writeNull() {
        separate()
        append("null")
    }

    /// Writes bytes as a text in Base64.
    package mutating func write(_ data: Data) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: data.base64EncodedData())
        bytes.append(UInt8(ascii: "\""))
    }
}

extension JSONWriter {
    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    private mutating func open(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    private mutating func endKey() {
        append("\":")
        needsComma = false
    }

    private mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    private mutating func appendASCII(_ text: String) {
        text.withScalars { bytes.append(contentsOf: $0) }
    }

    private mutating func append(_ number: Int64) {
        if number >= 0, number < 10 {
            bytes.append(UInt8(ascii: "0") + UInt8(number))
            return
        }
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var position = 20
            var rest = number.magnitude
            repeat {
                position -= 1
                digits[position] = UInt8(ascii: "0") + UInt8(rest % 10)
                rest /= 10
            } while rest > 0
            if number < 0 {
                position -= 1
                digits[position] = UInt8(ascii: "-")
            }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: digits[position...]))
        }
    }

    private mutating func appendQuoted(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        text.withScalars { scalars in
            var start = scalars.startIndex
            for position in scalars.indices where Self.needsEscape(scalars[position]) {
                bytes.append(contentsOf: scalars[start..<position])
                appendEscape(scalars[position])
                start = position + 1
            }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: scalars[start...]))
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private mutating func appendEscape(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): append("\\\"")
        case UInt8(ascii: "\\"): append("\\\\")
        case UInt8(ascii: "\n"): append("\\n")
        case UInt8(ascii: "\t"): append("\\t")
        case UInt8(ascii: "\r"): append("\\r")
        default:
            append(byte < 0x10 ? "\\u000" : "\\u001")
            let digit = byte & 0x0F
            bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
    }
}
