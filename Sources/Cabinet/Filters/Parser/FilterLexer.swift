/// Cuts a format string into tokens.
struct FilterLexer {
    /// The format string.
    let bytes: [UInt8]

    /// The offset of the next token, or of the space before it.
    private(set) var offset = 0

    /// The offset of a specifier within quotes, which make it plain text.
    private(set) var quotedSpecifier: Int?

    /// Whether a name in quotes was read, so that paths have to be checked as a whole.
    var hasQuotedNames = false

    init(_ format: String) {
        bytes = Array(format.utf8)
    }

    /// Reads the next token.
    ///
    /// - Parameter expectsOperand: Whether a value may come: then a minus sign belongs to the number after it.
    mutating func next(expectsOperand: Bool) throws(FilterSyntaxError) -> FilterToken {
        offset = nextOffset
        let start = offset
        let kind = try kind(expectsOperand: expectsOperand)
        return FilterToken(kind: kind, start: start, end: offset)
    }

    /// The byte at a distance from the offset.
    func byte(_ distance: Int = 0) -> UInt8? {
        offset + distance < bytes.count ? bytes[offset + distance] : nil
    }

    /// The text from an offset to where the lexer stands.
    func text(from start: Int) -> String {
        String(decoding: bytes[start..<offset], as: UTF8.self)
    }

    /// Moves over the bytes that fulfil a condition.
    mutating func skip(while condition: (UInt8) -> Bool) {
        while let byte = byte(), condition(byte) { offset += 1 }
    }

    mutating func advance(by count: Int = 1) {
        offset += count
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || (9...13).contains(byte)
    }

    /// The offset of the next token.
    var nextOffset: Int {
        var next = offset
        while next < bytes.count, Self.isSpace(bytes[next]) { next += 1 }
        return next
    }

    /// The byte that the next token begins with.
    var nextByte: UInt8? { byte(nextOffset - offset) }

    /// Moves to an offset that was read before.
    mutating func move(to offset: Int) {
        self.offset = offset
    }

    private mutating func kind(expectsOperand: Bool) throws(FilterSyntaxError) -> FilterToken.Kind {
        guard let byte = byte() else { return .end }
        if byte.beginsName { return try word(expectsOperand: expectsOperand) }
        if byte.isDigit { return try number() }
        switch byte {
        case UInt8(ascii: "'"), UInt8(ascii: "\""):
            return .text(try string(quote: byte))
        case UInt8(ascii: "#"):
            let start = offset
            return .name(try path(from: try escapedName(), at: start))
        case UInt8(ascii: "$"):
            return .variable(try variable())
        case UInt8(ascii: "%"):
            return .specifier(try specifier())
        case UInt8(ascii: "-") where expectsOperand && beginsNumber(at: 1), UInt8(ascii: ".") where beginsNumber(at: 0):
            return try number()
        default:
            return try sign()
        }
    }

    private func beginsNumber(at distance: Int) -> Bool {
        let first = byte(distance)
        return first?.isDigit == true || first == UInt8(ascii: ".") && byte(distance + 1)?.isDigit == true
    }

    // MARK: Strings

    mutating func string(quote: UInt8) throws(FilterSyntaxError) -> String {
        let start = offset
        offset += 1
        var content: [UInt8] = []
        while let byte = byte() {
            switch byte {
            case quote:
                offset += 1
                return String(decoding: content, as: UTF8.self)
            case UInt8(ascii: "\\"):
                try unescape(into: &content)
            case UInt8(ascii: "%") where self.byte(1) == UInt8(ascii: "@") || self.byte(1) == UInt8(ascii: "K"):
                if quotedSpecifier == nil { quotedSpecifier = offset }
                fallthrough
            default:
                content.append(byte)
                offset += 1
            }
        }
        let sign = quote == UInt8(ascii: "'") ? "'" : "\""
        throw FilterSyntaxError(at: start, "the text that begins here has no \(sign) at its end.")
    }

    private mutating func unescape(into content: inout [UInt8]) throws(FilterSyntaxError) {
        let start = offset
        let escaped = byte(1)
        offset += 2
        switch escaped {
        case UInt8(ascii: "\\")?, UInt8(ascii: "'")?, UInt8(ascii: "\"")?: content.append(bytes[start + 1])
        case UInt8(ascii: "n")?: content.append(UInt8(ascii: "\n"))
        case UInt8(ascii: "r")?: content.append(UInt8(ascii: "\r"))
        case UInt8(ascii: "t")?: content.append(UInt8(ascii: "\t"))
        default:
            throw FilterSyntaxError(
                at: start, "expected \\\\, \\', \\\", \\n, \\r or \\t; for a backslash itself write \\\\, or use %@.")
        }
    }
}
