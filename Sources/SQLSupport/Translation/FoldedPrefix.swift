package import Cabinet

/// The ranges of an index on texts that contain every text with a beginning, without regard to case or accents.
///
/// An index holds the texts themselves, not folded ones, so that other programs can write to the store. A text that begins with
/// `ec` when it is folded begins with `ec`, `eC`, `Ec` or `EC`, or has a scalar outside of ASCII instead of a letter. So it is in one
/// of a few ranges, which also contain other texts: each text that is found must be compared.
package struct FoldedPrefix {
    /// A range of texts, in the order of scalars.
    package struct Range {
        /// The first text.
        package let lower: String
        /// The first text after the range; `nil` if none follows.
        package let upper: String?

        fileprivate init(_ beginning: String, _ next: ClosedRange<Unicode.Scalar>) {
            lower = beginning + String(next.lowerBound)
            upper = TextRange.upperBound(ofPrefix: beginning + String(next.upperBound))
        }

        fileprivate init(_ beginning: String) {
            lower = beginning
            upper = TextRange.upperBound(ofPrefix: beginning)
        }
    }

    /// The ranges, which do not overlap; `nil` if the beginning's first scalar is a mark or has a script that is not examined.
    package let ranges: [Range]?

    /// The largest number of spellings of a beginning that have ranges of their own.
    ///
    /// The first scalar may have more: the Cyrillic i has ten.
    private static let maximumSpellings = 8
    /// The largest number of ranges, well below SQLite's limit of 500 searches in one condition.
    private static let maximumRanges = 64
    /// The largest number of scalars of a beginning that are compared by ranges.
    private static let maximumLength = 8

    /// Computes the ranges for a beginning.
    ///
    /// - Parameter options: The options of the comparison, which are not empty.
    package init(_ prefix: String, _ options: Filter.Options) {
        var ranges: [Range] = []
        var blocks = FoldedBlocks(options)
        // The spellings of the scalars that were read.
        var spellings = [""]
        for scalar in options.folded(prefix).unicodeScalars.prefix(Self.maximumLength) {
            guard let step = blocks.step(to: scalar),
                spellings.count == 1 || spellings.count * step.spellings.count <= Self.maximumSpellings,
                ranges.count + spellings.count * (step.others.count + step.spellings.count) <= Self.maximumRanges
            else { break }
            for spelling in spellings { ranges += step.others.map { Range(spelling, $0) } }
            spellings = spellings.flatMap { spelling in step.spellings.map { spelling + String($0) } }
        }
        self.ranges = spellings == [""] ? nil : ranges + spellings.map { Range($0) }
    }
}

/// The scalars that a folded scalar may come from.
private struct FoldedBlocks {
    private let options: Filter.Options
    private var known: [ClosedRange<UInt32>: [(scalar: Unicode.Scalar, folded: String.UnicodeScalarView)]] = [:]

    init(_ options: Filter.Options) { self.options = options }

    struct Step {
        /// The scalars that fold to the scalar alone.
        var spellings: [Unicode.Scalar] = []
        /// Ranges that contain all other scalars with which a text may continue that has the scalar when it is folded.
        var others: [ClosedRange<Unicode.Scalar>] = []
    }

    /// The blocks whose scalars are examined: ASCII, Latin, Greek, Cyrillic and kana.
    private static let blocks: [ClosedRange<UInt32>] = [
        0...0x7F, 0x80...0x24F, 0x370...0x3FF, 0x400...0x52F, 0x3041...0x30FF,
    ]

    /// Returns the scalars of a folded scalar; `nil` for a script that is not examined, and for marks, which are sorted.
    mutating func step(to scalar: Unicode.Scalar) -> Step? {
        guard let block = Self.blocks.first(where: { $0.contains(scalar.value) }),
            scalar.properties.canonicalCombiningClass == .notReordered
        else { return nil }
        var step = Step()
        // ASCII folds to ASCII. Any scalar outside of the block may fold to this one, or be a mark that is left out.
        if block.lowerBound > 0x80, let last = Unicode.Scalar(block.lowerBound - 1) {
            step.others.append("\u{80}"...last)
        }
        if let next = Unicode.Scalar(block.upperBound + 1) { step.others.append(next..."\u{10FFFF}") }
        for (other, folded) in scalars(of: block) {
            if folded.first == scalar, folded.count == 1 {
                step.spellings.append(other)
            } else if folded.first == scalar || other.properties.canonicalCombiningClass != .notReordered
                || other.properties.generalCategory == .enclosingMark
            {
                step.others.append(other...other)
            }
        }
        return step
    }

    private mutating func scalars(
        of block: ClosedRange<UInt32>
    ) -> [(scalar: Unicode.Scalar, folded: String.UnicodeScalarView)] {
        if let found = known[block] { return found }
        let scalars = block.compactMap { value in
            Unicode.Scalar(value).map { ($0, options.folded(String($0)).unicodeScalars) }
        }
        known[block] = scalars
        return scalars
    }
}

extension FilterTranslator {
    /// Returns the condition that a field's text is in the ranges of a beginning without regard to case or accents; `nil` if
    /// no index has the ranges.
    mutating func foldedPrefixCandidates(_ comparison: Filter.Comparison) -> SQLCondition? {
        guard !comparison.options.isEmpty, case .field = comparison.left,
            case .constant(.string(let prefix)?) = comparison.right, !prefix.isEmpty,
            case .term(let column) = operand(comparison.left), column.isColumn, column.kind == .text,
            let ranges = FoldedPrefix(prefix, comparison.options).ranges
        else { return nil }
        return Dialect.isInRanges(column, ranges, &self)
    }
}
