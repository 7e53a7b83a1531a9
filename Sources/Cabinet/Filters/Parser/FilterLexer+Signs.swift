extension FilterLexer {
    /// Signs that mean something, by their one or two bytes.
    private static let signs: [SIMD2<UInt8>: FilterToken.Kind] = {
        var signs: [(String, FilterToken.Kind)] = [
            ("(", .openParenthesis), (")", .closeParenthesis), ("{", .openBrace), ("}", .closeBrace), (",", .comma),
            ("&&", .and), ("||", .or), ("!", .not), (".", .dot), ("[", .openBracket), ("]", .closeBracket),
            (":=", .assignment),
        ]
        signs += Filter.Arithmetic.allCases.map { ($0.rawValue, .arithmetic($0)) }
        for (spelling, comparison) in Filter.Operator.bySpelling where spelling.utf8.first?.beginsName == false {
            signs.append((spelling, .comparison(comparison)))
        }
        let keyed = signs.map { sign, kind in
            (SIMD2(sign.utf8.first ?? 0, sign.utf8.dropFirst().first ?? 0), kind)
        }
        return Dictionary(keyed, uniquingKeysWith: { first, _ in first })
    }()

    /// Signs that are often written instead of a sign of the language.
    private static let mistakes: [Character: String] = [
        "?": "'?' is not a placeholder. Write %@ for an argument.",
        "&": "'&' is not an operator. Write && or AND. Operators on bits are not supported.",
        "|": "'|' is not an operator. Write || or OR. Operators on bits are not supported.",
        "^": "'^' is not an operator. For a power, write **. Operators on bits are not supported.",
        "~": "'~' is not an operator. For a pattern, write LIKE or MATCHES. Operators on bits are not supported.",
        "≠": "'≠' is not an operator. Write !=.",
        "≤": "'≤' is not an operator. Write <=.",
        "≥": "'≥' is not an operator. Write >=.",
        "@": "'@' stands after a list and a dot, as in tags.@count; for an argument write %@.",
        "×": "'×' is not an operator. Write *.",
        "÷": "'÷' is not an operator. Write /.",
        "−": "'−' (U+2212) is not the minus sign of the language. Write -.",
        "\u{2018}": "curly quotes do not delimit text; write ' or \".",
        "\u{2019}": "curly quotes do not delimit text; write ' or \".",
        "\u{201C}": "curly quotes do not delimit text; write ' or \".",
        "\u{201D}": "curly quotes do not delimit text; write ' or \".",
        "`": "backquotes do not delimit text; write ' or \".",
        "\u{A0}": "there is a no-break space (U+00A0); write a plain one.",
        ";": "';' ends no filter; leave it out.",
    ]

    mutating func sign() throws(FilterSyntaxError) -> FilterToken.Kind {
        let first = byte() ?? 0
        if let second = byte(1), second != 0, let kind = Self.signs[SIMD2(first, second)] {
            advance(by: 2)
            return kind
        }
        if let kind = Self.signs[SIMD2(first, 0)] {
            advance()
            return kind
        }
        guard let character = String(decoding: bytes[offset...].prefix(16), as: UTF8.self).first else { return .end }
        throw FilterSyntaxError(
            at: offset,
            Self.mistakes[character]
                ?? "\(character.debugDescription) means nothing in a filter; "
                + "text stands in quotes, and other values come as arguments: %@."
        )
    }

    // MARK: Numbers

    mutating func number() throws(FilterSyntaxError) -> FilterToken.Kind {
        let start = offset
        let isNegative = byte() == UInt8(ascii: "-")
        if isNegative { advance() }
        if byte() == UInt8(ascii: "0"), let radix = byte(1).flatMap(Self.radix) {
            advance(by: 2)
            return .integer(try integer(from: offset, radix: radix, isNegative: isNegative, start: start))
        }
        let digits = offset
        skip(while: \.isDigit)
        var isInteger = true
        if byte() == UInt8(ascii: ".") {
            guard byte(1)?.isDigit == true else {
                throw FilterSyntaxError(at: start, "a number does not end with a dot; write \(text(from: start)).0.")
            }
            isInteger = false
            advance()
            skip(while: \.isDigit)
        }
        if byte() == UInt8(ascii: "e") || byte() == UInt8(ascii: "E") {
            isInteger = false
            advance()
            if byte() == UInt8(ascii: "+") || byte() == UInt8(ascii: "-") { advance() }
            guard byte()?.isDigit == true else { throw malformedNumber(from: start) }
            skip(while: \.isDigit)
        }
        if byte()?.continuesName == true { throw malformedNumber(from: start) }
        if isInteger {
            advance(by: digits - offset)
            return .integer(try integer(from: digits, radix: 10, isNegative: isNegative, start: start))
        }
        guard let value = Double(text(from: start)), value.isFinite else {
            throw FilterSyntaxError(at: start, "the number is greater than a 64-bit floating-point number can be.")
        }
        return .double(value)
    }

    private static func radix(_ byte: UInt8) -> Int? {
        switch byte {
        case UInt8(ascii: "x"), UInt8(ascii: "X"): 16
        case UInt8(ascii: "o"), UInt8(ascii: "O"): 8
        case UInt8(ascii: "b"), UInt8(ascii: "B"): 2
        default: nil
        }
    }

    /// Reads digits as a whole number; the sign comes first, because the smallest number has no positive counterpart.
    private mutating func integer(
        from digits: Int, radix: Int, isNegative: Bool, start: Int
    ) throws(FilterSyntaxError) -> Int64 {
        skip(while: \.continuesName)
        let text = text(from: digits)
        if let value = Int64((isNegative ? "-" : "") + text, radix: radix) { return value }
        let isNumber =
            !text.isEmpty
            && text.allSatisfy { character in
                character.hexDigitValue.map { $0 < radix } ?? false
            }
        guard isNumber else { throw malformedNumber(from: start) }
        throw FilterSyntaxError(
            at: start, "the number does not fit into 64 bits; write it as a fraction, such as 1e19.")
    }

    private mutating func malformedNumber(from start: Int) -> FilterSyntaxError {
        skip(while: \.continuesName)
        return FilterSyntaxError(
            at: start, "'\(text(from: start))' is not a number. Write one such as 27, 19.75, 9.2e-5 or 0x1F.")
    }

    // MARK: Specifiers

    mutating func specifier() throws(FilterSyntaxError) -> FilterSpecifier {
        let start = offset
        advance()
        if byte() == UInt8(ascii: "@") {
            advance()
            return .value
        }
        // The widths of C's integers say nothing here: an argument has its own.
        skip { "hlqzjt".utf8.contains($0) }
        let hasWidth = offset > start + 1
        let conversion = byte()
        advance(by: conversion == nil ? 0 : 1)
        let spelling = text(from: start)
        switch conversion {
        case UInt8(ascii: "K")? where !hasWidth: return .key
        case let conversion? where "diuxXo".utf8.contains(conversion): return .integer(spelling)
        case let conversion? where "feEgG".utf8.contains(conversion): return .number(spelling)
        default: break
        }
        // The message shows the rest of the word too, if it is ASCII.
        skip { $0.continuesName || $0 == UInt8(ascii: ".") }
        let shown =
            text(from: start).unicodeScalars.allSatisfy { (33...126).contains($0.value) } ? text(from: start) : "%"
        throw FilterSyntaxError(
            at: start,
            "'\(shown)' is not a specifier: "
                + "expected %@ for a value, %K for a name, %d for a whole number, or %f for a number."
        )
    }
}
