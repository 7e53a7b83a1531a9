package import Foundation

extension Data {
    /// The bytes as hexadecimal digits, with lowercase letters.
    package var hexadecimal: String { withUnsafeBytes(\.hexadecimal) }

    /// Creates bytes from hexadecimal digits; `nil` if the text has others, or an odd number of them.
    package init?(hexadecimal: some StringProtocol) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(hexadecimal.utf8.count / 2)
        var high: UInt8?
        for digit in hexadecimal.utf8 {
            guard let value = UInt8(hexadecimalDigit: digit) else { return nil }
            if let first = high { bytes.append(first << 4 | value) }
            high = high == nil ? value : nil
        }
        guard high == nil else { return nil }
        self.init(bytes)
    }
}

extension UnsafeRawBufferPointer {
    /// The bytes as hexadecimal digits.
    var hexadecimal: String {
        func digit(_ value: UInt8) -> UInt8 {
            value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
        }
        // Without an array for each byte: tokens and assets are found by this text.
        return String(unsafeUninitializedCapacity: 2 * count) { digits in
            for (position, byte) in enumerated() {
                digits[2 * position] = digit(byte >> 4)
                digits[2 * position + 1] = digit(byte & 15)
            }
            return 2 * count
        }
    }
}

extension UInt8 {
    /// Creates the value of a hexadecimal digit; `nil` if the character is not one.
    package init?(hexadecimalDigit digit: UInt8) {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self = digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self = digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self = digit - UInt8(ascii: "A") + 10
        default: return nil
        }
    }
}
