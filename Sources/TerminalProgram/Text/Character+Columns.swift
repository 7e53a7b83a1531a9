extension Character {
    /// The number of columns that a terminal uses to show the character: 0, 1 or 2.
    package var columns: Int {
        guard let first = unicodeScalars.first else { return 0 }
        // U+FE0F requests the colored picture, which is two columns wide for every character.
        if unicodeScalars.contains("\u{FE0F}") { return 2 }
        return first.columns
    }
}

extension Unicode.Scalar {
    /// The number of columns of the scalar alone.
    fileprivate var columns: Int {
        // Most text is ASCII, which needs no table.
        if value >= 0x20, value < 0x7F { return 1 }
        switch properties.generalCategory {
        case .control, .format, .nonspacingMark, .enclosingMark, .lineSeparator, .paragraphSeparator, .surrogate:
            return 0
        default: return isWide ? 2 : 1
        }
    }

    private var isWide: Bool {
        if properties.isEmojiPresentation { return true }
        // The ranges are sorted, so the first one that ends behind the scalar is the only candidate.
        guard let range = Self.wideRanges.first(where: { value <= $0.upperBound }) else { return false }
        return range.contains(value)
    }

    /// East Asian Wide and Fullwidth, joined across unassigned code points.
    ///
    /// They come from https://www.unicode.org/reports/tr11
    private static let wideRanges: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
        0xA000...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F,
        0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DF2, 0x1AFF0...0x1B2FF, 0x1F1E6...0x1F1FF, 0x1F200...0x1F2FF,
        0x20000...0x3FFFD,
    ]
}
