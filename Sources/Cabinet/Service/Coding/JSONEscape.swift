/// The escape sequences of JSON texts.
package enum JSONEscape {
    /// Returns the UTF-16 code unit of an escape `\uXXXX`.
    static func unit(at position: Int, in text: UnsafeBufferPointer<UInt8>) throws(CabinetError) -> UInt16 {
        guard position + 6 <= text.count, text[position] == UInt8(ascii: "\\"), text[position + 1] == UInt8(ascii: "u")
        else { throw fault("expected an escape of four hexadecimal digits", at: position) }
        var unit: UInt16 = 0
        for offset in 2..<6 {
            guard let digit = UInt8(hexadecimalDigit: text[position + offset]) else {
                throw fault("expected an escape of four hexadecimal digits", at: position)
            }
            unit = unit << 4 | UInt16(digit)
        }
        return unit
    }

    /// Returns the text of a token, whose escapes were checked.
    package static func text(of token: JSONTokens.Token, in text: UnsafeBufferPointer<UInt8>) -> String {
        let part = UnsafeBufferPointer(rebasing: text[Int(token.start)..<Int(token.end)])
        return token.kind == .escapedText ? unescaped(part) : String(decoding: part, as: UTF8.self)
    }

    private static func unescaped(_ part: UnsafeBufferPointer<UInt8>) -> String {
        // The result is never longer than the escaped text.
        String(unsafeUninitializedCapacity: part.count) { result in
            var count = 0
            var position = 0
            func append(_ byte: UInt8) {
                result[count] = byte
                count += 1
            }
            while position < part.count {
                guard part[position] == UInt8(ascii: "\\") else {
                    append(part[position])
                    position += 1
                    continue
                }
                if part[position + 1] == UInt8(ascii: "u") {
                    let (scalar, length) = scalar(at: position, in: part)
                    for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter { append(byte) }
                    position += length
                } else {
                    append(character(part[position + 1]))
                    position += 2
                }
            }
            return count
        }
    }

    private static func scalar(
        at position: Int, in part: UnsafeBufferPointer<UInt8>
    ) -> (scalar: Unicode.Scalar, length: Int) {
        guard let first = try? unit(at: position, in: part) else { return ("\u{FFFD}", 6) }
        if let scalar = Unicode.Scalar(first) { return (scalar, 6) }
        guard let second = try? unit(at: position + 6, in: part) else { return ("\u{FFFD}", 6) }
        let value = 0x10000 + (UInt32(first) & 0x3FF) << 10 + UInt32(second) & 0x3FF
        return (Unicode.Scalar(value) ?? "\u{FFFD}", 12)
    }

    private static func character(_ letter: UInt8) -> UInt8 {
        switch letter {
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: letter
        }
    }

    /// Returns the error for a fault in a JSON text.
    static func fault(_ message: String, at position: Int) -> CabinetError {
        CabinetError(.invalidArguments, "The JSON text is not valid at byte \(position): \(message).")
    }
}

/// The check that bytes are a text in UTF-8.
enum UTF8Check {
    static func isValid(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var position = 0
        func continues(_ offset: Int, _ range: ClosedRange<UInt8> = 0x80...0xBF) -> Bool {
            position + offset < bytes.count && range.contains(bytes[position + offset])
        }
        while position < bytes.count {
            switch bytes[position] {
            case 0x00...0x7F: position += 1
            case 0xC2...0xDF:
                guard continues(1) else { return false }
                position += 2
            case 0xE0...0xEF:
                let second: ClosedRange<UInt8> =
                    switch bytes[position] {
                    case 0xE0: 0xA0...0xBF
                    case 0xED: 0x80...0x9F
                    default: 0x80...0xBF
                    }
                guard continues(1, second), continues(2) else { return false }
                position += 3
            case 0xF0...0xF4:
                let second: ClosedRange<UInt8> =
                    switch bytes[position] {
                    case 0xF0: 0x90...0xBF
                    case 0xF4: 0x80...0x8F
                    default: 0x80...0xBF
                    }
                guard continues(1, second), continues(2), continues(3) else { return false }
                position += 4
            default: return false
            }
        }
        return true
    }
}
