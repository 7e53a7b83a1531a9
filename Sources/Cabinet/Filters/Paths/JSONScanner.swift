/// Finds one value in a JSON text and checks the text, without building any value.
///
/// A parser that builds all values takes many times as long, for each record that a filter is evaluated for.
struct JSONScanner {
    /// The text is not JSON.
    private struct Malformed: Error {}

    private let bytes: UnsafeBufferPointer<UInt8>
    private let members: [String]
    private var offset = 0

    /// The maximum number of nested objects and arrays, which is that of `JSONDecoder`.
    private static let maximumDepth = 512

    /// Returns the position of the value that members lead to.
    ///
    /// Of several members with one name, the first one counts, as for `JSONDecoder`.
    ///
    /// - Returns: `nil` if there is no such value, or if the text is not JSON or too deep.
    static func range(of members: [String], in bytes: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
        var scanner = JSONScanner(bytes: bytes, members: members)
        do throws(Malformed) {
            scanner.skipSpace()
            let range = try scanner.value(at: 0, depth: 0)
            scanner.skipSpace()
            return scanner.offset == bytes.count ? range : nil
        } catch {
            return nil
        }
    }

    private init(bytes: UnsafeBufferPointer<UInt8>, members: [String]) {
        self.bytes = bytes
        self.members = members
    }

    /// The next byte; 0, which nothing accepts, at the end.
    private var byte: UInt8 { offset < bytes.count ? bytes[offset] : 0 }

    private mutating func skipSpace() {
        while byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { offset += 1 }
    }

    private mutating func skip(_ expected: UInt8) throws(Malformed) {
        if byte != expected { throw Malformed() }
        offset += 1
    }

    private mutating func skip(_ word: StaticString) throws(Malformed) {
        for index in 0..<word.utf8CodeUnitCount { try skip(word.utf8Start[index]) }
    }

    /// Reads a value.
    ///
    /// - Parameter level: The number of members that lead to the value; `nil` if it is beside the way.
    /// - Returns: The position of the value that all members lead to, if it is in this one.
    private mutating func value(at level: Int?, depth: Int) throws(Malformed) -> Range<Int>? {
        let start = offset
        var found: Range<Int>?
        switch byte {
        case UInt8(ascii: "{"): found = try elements(of: UInt8(ascii: "}"), at: level, depth: depth + 1)
        case UInt8(ascii: "["): found = try elements(of: UInt8(ascii: "]"), at: level, depth: depth + 1)
        case UInt8(ascii: "\""): try skipString()
        case UInt8(ascii: "t"): try skip("true")
        case UInt8(ascii: "f"): try skip("false")
        case UInt8(ascii: "n"): try skip("null")
        default: try skipNumber()
        }
        return level == members.count ? start..<offset : found
    }

    /// Reads an object or an array.
    ///
    /// - Parameter end: The byte that closes it.
    private mutating func elements(of end: UInt8, at level: Int?, depth: Int) throws(Malformed) -> Range<Int>? {
        if depth > Self.maximumDepth { throw Malformed() }
        let isObject = end == UInt8(ascii: "}")
        var member = level.flatMap { $0 < members.count ? members[$0] : nil }
        var found: Range<Int>?
        var position = 0
        offset += 1
        skipSpace()
        if byte == end {
            offset += 1
            return nil
        }
        while true {
            var isNext = false
            if isObject {
                let start = offset
                try skipString()
                isNext = member.map { isName(start..<offset, $0) } ?? false
                skipSpace()
                try skip(UInt8(ascii: ":"))
                skipSpace()
            } else if let member {
                isNext = member == String(position)
            }
            if isNext {
                member = nil
                found = try value(at: level.map { $0 + 1 }, depth: depth)
            } else {
                _ = try value(at: nil, depth: depth)
            }
            position += 1
            skipSpace()
            if byte == end {
                offset += 1
                return found
            }
            try skip(UInt8(ascii: ","))
            skipSpace()
        }
    }

    /// Whether a string of the text is the name of a member.
    private func isName(_ range: Range<Int>, _ name: String) -> Bool {
        let content = bytes[range.lowerBound + 1..<range.upperBound - 1]
        if !content.contains(UInt8(ascii: "\\")) { return name.utf8.elementsEqual(content) }
        return Self.string(UnsafeBufferPointer(rebasing: bytes[range])).map { name.utf8.elementsEqual($0.utf8) }
            ?? false
    }

    // MARK: Single values

    private mutating func skipString() throws(Malformed) {
        try skip(UInt8(ascii: "\""))
        while byte != UInt8(ascii: "\"") {
            if byte < 0x20 { throw Malformed() }
            if byte == UInt8(ascii: "\\") {
                offset += 1
                if byte == UInt8(ascii: "u") {
                    for _ in 0..<4 {
                        offset += 1
                        if UInt8(hexadecimalDigit: byte) == nil { throw Malformed() }
                    }
                } else if Self.escapes[byte] == nil {
                    throw Malformed()
                }
            }
            offset += 1
        }
        offset += 1
    }

    private mutating func skipNumber() throws(Malformed) {
        if byte == UInt8(ascii: "-") { offset += 1 }
        if byte == UInt8(ascii: "0") { offset += 1 } else { try skipDigits() }
        if byte == UInt8(ascii: ".") {
            offset += 1
            try skipDigits()
        }
        if byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E") {
            offset += 1
            if byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") { offset += 1 }
            try skipDigits()
        }
    }

    private mutating func skipDigits() throws(Malformed) {
        if !byte.isDigit { throw Malformed() }
        while byte.isDigit { offset += 1 }
    }
}
