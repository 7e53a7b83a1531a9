/// The values of single strings and numbers, whose form was checked.
extension JSONScanner {
    /// The bytes after a backslash, and what they stand for.
    static let escapes: [UInt8: UInt8] = [
        UInt8(ascii: "\""): UInt8(ascii: "\""), UInt8(ascii: "\\"): UInt8(ascii: "\\"),
        UInt8(ascii: "/"): UInt8(ascii: "/"), UInt8(ascii: "b"): 0x08, UInt8(ascii: "f"): 0x0C,
        UInt8(ascii: "n"): 0x0A, UInt8(ascii: "r"): 0x0D, UInt8(ascii: "t"): 0x09,
    ]

    /// Returns the text of a string.
    ///
    /// - Parameter json: The string with its quotation marks.
    /// - Returns: `nil` if it has half of a surrogate pair.
    static func string(_ json: UnsafeBufferPointer<UInt8>) -> String? {
        let content = json[1..<json.count - 1]
        if !content.contains(UInt8(ascii: "\\")) { return String(decoding: content, as: UTF8.self) }
        var text: [UInt8] = []
        text.reserveCapacity(content.count)
        var index = content.startIndex
        while index < content.endIndex {
            let byte = content[index]
            index += 1
            if byte != UInt8(ascii: "\\") {
                text.append(byte)
                continue
            }
            let escape = content[index]
            index += 1
            if let plain = escapes[escape] {
                text.append(plain)
                continue
            }
            var units = [unit(content, at: index)]
            index += 4
            if UTF16.isLeadSurrogate(units[0]) {
                guard index + 6 <= content.endIndex, content[index] == UInt8(ascii: "\\"),
                    content[index + 1] == UInt8(ascii: "u")
                else { return nil }
                units.append(unit(content, at: index + 2))
                index += 6
                if !UTF16.isTrailSurrogate(units[1]) { return nil }
            } else if UTF16.isTrailSurrogate(units[0]) {
                return nil
            }
            text += String(decoding: units, as: UTF16.self).utf8
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The code unit of four hexadecimal digits.
    private static func unit(_ bytes: Slice<UnsafeBufferPointer<UInt8>>, at index: Int) -> UInt16 {
        bytes[index..<index + 4].reduce(0) { $0 << 4 | UInt16(UInt8(hexadecimalDigit: $1) ?? 0) }
    }

    /// Returns a number; `nil` if it is beyond the range of a DOUBLE.
    static func number(_ json: UnsafeBufferPointer<UInt8>) -> Double? {
        Double(String(decoding: json, as: UTF8.self)).flatMap { $0.isFinite ? $0 : nil }
    }

    /// Returns a number that is whole, however it is written: `5`, `5.0`, `0.5e1`.
    ///
    /// - Returns: `nil` if the number has a fraction or does not fit 64 bits.
    static func wholeNumber(_ json: UnsafeBufferPointer<UInt8>) -> Int64? {
        let text = String(decoding: json, as: UTF8.self)
        if let number = Int64(text) { return number }
        let parts = text.lowercased().split(separator: "e")
        let halves = parts[0].split(separator: ".")
        var digits = Substring(halves.joined())
        var scale = halves.count == 2 ? -halves[1].utf8.count : 0
        while digits.utf8.count > 1, digits.hasSuffix("0") {
            digits.removeLast()
            scale += 1
        }
        if digits == "0" || digits == "-" { return 0 }
        guard let exponent = parts.count == 2 ? Int(parts[1]) : 0, exponent.magnitude < 1 << 32,
            (0...18).contains(scale + exponent)
        else { return nil }
        return Int64(digits + String(repeating: "0", count: scale + exponent))
    }
}
