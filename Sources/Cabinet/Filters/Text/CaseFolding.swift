/// Unicode's full case folding, which knows no language.
///
/// Swift's library does not have it. It is derived from the mappings to upper and lower case, for each scalar when it is met.
enum CaseFolding {
    /// Appends what a scalar folds to.
    static func append(_ scalar: Unicode.Scalar, to text: inout String.UnicodeScalarView) {
        switch scalar.value {
        case 0x41...0x5A: text.append(Unicode.Scalar(UInt8(scalar.value | 0x20)))
        case ..<0x80: text.append(scalar)
        // The dotless i stays itself: its capital is that of another letter.
        case 0x131: text.append(scalar)
        // Cherokee folds to its capitals, which are older.
        case 0x13A0...0x13F5: text.append(scalar)
        case 0x13F8...0x13FD, 0xAB70...0xABBF:
            text.append(contentsOf: scalar.properties.uppercaseMapping.unicodeScalars)
        default:
            guard scalar.properties.changesWhenCaseMapped else { return text.append(scalar) }
            // Twice lower, because the capital ẞ has no longer capital, as ß has: SS.
            for lower in scalar.properties.lowercaseMapping.unicodeScalars {
                for upper in lower.properties.uppercaseMapping.unicodeScalars {
                    text.append(contentsOf: upper.properties.lowercaseMapping.unicodeScalars)
                }
            }
        }
    }
}
