import Cabinet

/// The escapes of a target, `%20`.
enum PercentCoding {
    /// Decodes a part of a target, once.
    ///
    /// - Throws: ``/Cabinet/CabinetError/Code/invalidArguments`` if an escape is malformed, or the result has a control character or is
    ///   not UTF-8.
    static func decoded(_ part: ArraySlice<UInt8>) throws(CabinetError) -> String {
        // Most parts have no escape, and a target has no other character to refuse.
        if !part.contains(UInt8(ascii: "%")) { return String(decoding: part, as: UTF8.self) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(part.count)
        var position = part.startIndex
        while position < part.endIndex {
            var byte = part[position]
            position += 1
            if byte == UInt8(ascii: "%") {
                guard let high = digit(part, &position), let low = digit(part, &position) else {
                    throw RequestTarget.malformed("'%' begins an escape of two hexadecimal digits")
                }
                byte = high << 4 | low
            }
            guard byte >= 0x20, byte != 0x7F else {
                throw RequestTarget.malformed("an escape is of a control character")
            }
            bytes.append(byte)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw RequestTarget.malformed("the escapes are not UTF-8")
        }
        return text
    }

    private static func digit(_ part: ArraySlice<UInt8>, _ position: inout Int) -> UInt8? {
        guard position < part.endIndex else { return nil }
        defer { position += 1 }
        return UInt8(hexadecimalDigit: part[position])
    }

    /// Escapes every byte that is not a letter, a digit or one of `-._~`.
    static func encoded(_ text: String) -> String {
        // Most texts are names, without anything to escape.
        if text.utf8.allSatisfy(isUnreserved) { return text }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count * 2)
        for byte in text.utf8 {
            if isUnreserved(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static let digits = Array("0123456789ABCDEF".utf8)

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
