import Foundation

/// Unicode's canonical decomposition, and what is left of it without accents.
///
/// Foundation decomposes whole texts, but needs the square of the length of a run of combining marks, which anyone can
/// make long; here it is asked about single scalars, once.
enum CanonicalDecomposition {
    /// The scalars decomposed, in canonical order, without the marks after Latin, Greek and Cyrillic letters.
    static func withoutDiacritics(_ scalars: [Unicode.Scalar]) -> [Unicode.Scalar] {
        var result: [Unicode.Scalar] = []
        result.reserveCapacity(scalars.count)
        var followsLetter = false
        var marks: [Unicode.Scalar] = []
        for scalar in scalars {
            for part in decomposition(of: scalar) {
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
            // The sort is stable, as the order asks: marks of one class stay as they are.
            marks.sort { $0.properties.canonicalCombiningClass < $1.properties.canonicalCombiningClass }
        }
        result.append(contentsOf: marks)
        marks.removeAll(keepingCapacity: true)
    }

    private static func decomposition(of scalar: Unicode.Scalar) -> [Unicode.Scalar] {
        if hangul.contains(scalar.value) { return syllable(scalar) }
        return scalar.value < 0xC0 ? [scalar] : table[scalar] ?? [scalar]
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

    /// The ranges that hold all scalars with a decomposition; Unicode adds no decomposition to a scalar that exists.
    private static let ranges: [ClosedRange<UInt32>] = [
        0xC0...0x22FF, 0x2329...0x232A, 0x2ADC...0x2ADC, 0x3040...0x30FF, 0xF900...0xFB4F, 0x10500...0x105FF,
        0x11000...0x11FFF, 0x16100...0x161FF, 0x16D00...0x16DFF, 0x1D100...0x1D1FF, 0x2F800...0x2FA1F,
    ]

    private static let table: [Unicode.Scalar: [Unicode.Scalar]] = {
        var table: [Unicode.Scalar: [Unicode.Scalar]] = [:]
        for scalar in ranges.joined().compactMap(Unicode.Scalar.init) {
            let parts = Array(String(scalar).decomposedStringWithCanonicalMapping.unicodeScalars)
            if parts != [scalar] { table[scalar] = parts }
        }
        return table
    }()
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

    /// Where the letters of the three scripts are; what else is there are no letters.
    private static let accentedScripts: [ClosedRange<UInt32>] = [
        0xAA...0x2B8, 0x2E0...0x2E4, 0x370...0x3E1, 0x3F0...0x52F, 0x1C80...0x1C8F, 0x1D00...0x1DBF, 0x1E00...0x1FFF,
        0x2071...0x209C, 0x2126...0x2126, 0x212A...0x212B, 0x2132...0x2132, 0x214E...0x214E, 0x2183...0x2184,
        0x2C60...0x2C7F, 0xA640...0xA69F, 0xA722...0xA7FF, 0xAB30...0xAB69, 0xFB00...0xFB06, 0xFF21...0xFF3A,
        0xFF41...0xFF5A, 0x10780...0x107BA, 0x1DF00...0x1DFFF, 0x1E030...0x1E08F,
    ]
}
