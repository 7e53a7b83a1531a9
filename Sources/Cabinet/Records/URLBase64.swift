import Foundation

/// Base64 in an alphabet that needs no escapes in a URL, without padding.
package enum URLBase64 {
    /// Returns the text of bytes.
    package static func encode(_ bytes: [UInt8]) -> String {
        let digits = Data(bytes).base64EncodedData().lazy.filter { $0 != UInt8(ascii: "=") }
        return String(decoding: digits.map { exchange($0, "+/", "-_") }, as: UTF8.self)
    }

    /// Returns the text of random bytes, as a secret.
    package static func random(_ count: Int) -> String { encode(RandomBytes.make(count)) }

    /// Returns the bytes of a text; `nil` if it is not Base64.
    package static func decode(_ text: String) -> [UInt8]? {
        var digits = text.utf8.map { exchange($0, "-_", "+/") }
        digits += repeatElement(UInt8(ascii: "="), count: (4 - digits.count % 4) % 4)
        return Data(base64Encoded: Data(digits)).map(Array.init)
    }

    /// Returns the byte of one alphabet for that of another, in which two differ.
    private static func exchange(_ byte: UInt8, _ old: StaticString, _ new: StaticString) -> UInt8 {
        let (old, new) = (old.utf8Start, new.utf8Start)
        return byte == old[0] ? new[0] : byte == old[1] ? new[1] : byte
    }

    /// Returns the bytes of a text that has exactly one way to be written: no other alphabet, no padding, no bits left over.
    package static func decodeStrictly(_ text: String) -> [UInt8]? {
        guard let bytes = decode(text), encode(bytes) == text else { return nil }
        return bytes
    }
}

/// Random bytes for secrets.
package enum RandomBytes {
    /// Returns random bytes of the operating system's generator.
    package static func make(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        // Each word is a call of the system.
        let words = (0..<(count + 7) / 8).map { _ in generator.next() }
        return words.withUnsafeBytes { Array($0.prefix(count)) }
    }

    /// Returns random bytes in hexadecimal digits.
    package static func hexadecimal(_ count: Int) -> String { Data(make(count)).hexadecimal }
}
