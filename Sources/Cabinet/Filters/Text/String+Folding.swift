extension Filter.Options {
    /// Returns a text as it is compared under the options: texts that are equal under the options have equal results.
    ///
    /// A backend that compares text itself compares these results, scalar by scalar.
    ///
    /// - Parameter text: The text of a field, or of a constant.
    /// - Complexity: O(*n* log *n*) in the length of the text; O(*n*) if it has no long run of combining marks.
    public func folded(_ text: String) -> String { text.folded(self) }
}

extension String {
    /// The text as it is compared under options: equal texts under the options are folded to the same scalars.
    ///
    /// - Complexity: O(*n* log *n*) in the length of the text; O(*n*) if it has no long run of combining marks.
    func folded(_ options: Filter.Options) -> String {
        if options.isEmpty { return self }
        if let ascii = foldedASCII(options) { return ascii }
        // Accents go first, because a scalar that decomposes then folds like its base letter.
        var scalars = Array(unicodeScalars)
        if options.contains(.diacriticInsensitive) { scalars = CanonicalDecomposition.withoutDiacritics(scalars) }
        var folded = String.UnicodeScalarView()
        if options.contains(.caseInsensitive) {
            for scalar in scalars { CaseFolding.append(scalar, to: &folded) }
        } else {
            folded.append(contentsOf: scalars)
        }
        return String(folded)
    }

    /// The same for a text of ASCII alone, which most texts are; `nil` for others.
    private func foldedASCII(_ options: Filter.Options) -> String? {
        var text = self
        return text.withUTF8 { bytes -> String? in
            guard bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
            guard options.contains(.caseInsensitive) else { return self }
            return String(unsafeUninitializedCapacity: bytes.count) { folded in
                for (index, byte) in bytes.enumerated() {
                    folded[index] = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
                }
                return bytes.count
            }
        }
    }
}

extension FilterValue {
    /// The value with its text folded, in lists too.
    func folded(_ options: Filter.Options) -> FilterValue {
        switch self {
        case .nothing: self
        case .single(.string(let text)): .single(.string(text.folded(options)))
        case .single(.list(.string(let texts))): .single(.list(.string(texts.map { $0.folded(options) })))
        case .single: self
        case .list(let elements): .list(elements.map { $0.folded(options) })
        }
    }
}

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
