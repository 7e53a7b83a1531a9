/// Unicode's canonical decomposition, with and without accents.
///
/// Foundation decomposes whole texts, but in time quadratic in the length of a run of combining marks, which hostile
/// input can make long. Here each scalar is searched in a table that is part of the program, so that the first text
/// costs as much as later ones.
enum CanonicalDecomposition {
    /// The scalars decomposed, in canonical order, without the marks after Latin, Greek and Cyrillic letters.
    static func withoutDiacritics(_ scalars: [Unicode.Scalar]) -> [Unicode.Scalar] {
        var result: [Unicode.Scalar] = []
        result.reserveCapacity(scalars.count)
        var followsLetter = false
        var marks: [Unicode.Scalar] = []
        var parts: [Unicode.Scalar] = []
        for scalar in scalars {
            parts.removeAll(keepingCapacity: true)
            append(scalar, to: &parts)
            for part in parts {
                if part.isCombiningMark, followsLetter { continue }
                if part.properties.canonicalCombiningClass == .notReordered {
                    flush(&marks, into: &result)
                    result.append(part)
                } else {
                    marks.append(part)
                }
                followsLetter = part.isAccentedLetter
            }
        }
        flush(&marks, into: &result)
        return result
    }

    /// Brings marks that stand in a row into canonical order.
    private static func flush(_ marks: inout [Unicode.Scalar], into result: inout [Unicode.Scalar]) {
        if marks.isEmpty { return }
        if marks.count > 1 {
            // The sort is stable, as the canonical order requires: marks of one class keep their order.
            marks.sort { $0.properties.canonicalCombiningClass < $1.properties.canonicalCombiningClass }
        }
        result.append(contentsOf: marks)
        marks.removeAll(keepingCapacity: true)
    }

    /// Appends what a scalar decomposes to.
    private static func append(_ scalar: Unicode.Scalar, to parts: inout [Unicode.Scalar]) {
        if hangul.contains(scalar.value) { return parts.append(contentsOf: syllable(scalar)) }
        guard let (rest, mark) = step(scalar.value) else { return parts.append(scalar) }
        append(rest, to: &parts)
        if let mark { parts.append(mark) }
    }

    // MARK: Hangul, whose decomposition is computed

    private static let hangul: ClosedRange<UInt32> = 0xAC00...0xD7A3

    private static func syllable(_ scalar: Unicode.Scalar) -> [Unicode.Scalar] {
        let index = scalar.value - hangul.lowerBound
        let trail = index % 28
        let parts = [0x1100 + index / 588, 0x1161 + index % 588 / 28] + (trail == 0 ? [] : [0x11A7 + trail])
        return parts.compactMap(Unicode.Scalar.init)
    }

    // MARK: Other scalars, looked up

    /// The lengths of an entry of ``table``, and of a scalar in it.
    private static let entryLength = 9
    private static let scalarLength = 3

    /// Removes the last mark from a scalar.
    ///
    /// - Returns: The rest, which may decompose further, and the mark, unless the scalar is only equivalent to another
    ///   one, or `nil` if the scalar does not decompose.
    /// - Complexity: O(log *n*) in the number of scalars that decompose.
    private static func step(_ value: UInt32) -> (rest: Unicode.Scalar, mark: Unicode.Scalar?)? {
        // Ideographs and private use, between the ranges of those that decompose.
        if value < 0xC0 || value > 0x2FA1F || (0x3100...0xF8FF).contains(value) { return nil }
        return table.withUTF8Buffer { text in
            var low = 0
            var high = text.count / entryLength
            while low < high {
                let middle = (low + high) / 2
                let start = middle * entryLength
                let found = number(at: start, in: text)
                if found == value {
                    guard let rest = Unicode.Scalar(number(at: start + scalarLength, in: text)) else { return nil }
                    let mark = number(at: start + 2 * scalarLength, in: text)
                    return (rest, mark == 0 ? nil : Unicode.Scalar(mark))
                }
                if found < value { low = middle + 1 } else { high = middle }
            }
            return nil
        }
    }

    /// The number that three characters of the table stand for.
    private static func number(at start: Int, in text: UnsafeBufferPointer<UInt8>) -> UInt32 {
        var number: UInt32 = 0
        for byte in text[start..<(start + scalarLength)] {
            number = number << 6 | UInt32(byte &- (byte > UInt8(ascii: "\\") ? 0x31 : 0x30))
        }
        return number
    }
}

extension Unicode.Scalar {
    /// Whether the scalar changes the one before it, as accents do.
    var isCombiningMark: Bool {
        switch properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: true
        default: false
        }
    }

    /// Whether this is a letter of the scripts whose accents can be left out of account: Latin, Greek and Cyrillic.
    var isAccentedLetter: Bool {
        if value < 0x80 { return (0x61...0x7A).contains(value | 0x20) }
        guard Self.accentedScripts.contains(where: { $0.contains(value) }) else { return false }
        switch properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter: return true
        default: return false
        }
    }

    /// The ranges with the letters of the three scripts.
    ///
    /// The other scalars in these ranges are not letters.
    private static let accentedScripts: [ClosedRange<UInt32>] = [
        0xAA...0x2B8, 0x2E0...0x2E4, 0x370...0x3E1, 0x3F0...0x52F, 0x1C80...0x1C8F, 0x1D00...0x1DBF, 0x1E00...0x1FFF,
        0x2071...0x209C, 0x2126...0x2126, 0x212A...0x212B, 0x2132...0x2132, 0x214E...0x214E, 0x2183...0x2184,
        0x2C60...0x2C7F, 0xA640...0xA69F, 0xA722...0xA7FF, 0xAB30...0xAB69, 0xFB00...0xFB06, 0xFF21...0xFF3A,
        0xFF41...0xFF5A, 0x10780...0x107BA, 0x1DF00...0x1DFFF, 0x1E030...0x1E08F,
    ]
}
