import Cabinet
import Testing

@testable import SQLSupport

/// Every text with a beginning is in one of the ranges.
@Suite struct FoldedPrefixTests {
    private static let options: [Filter.Options] = [
        .caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive],
    ]

    private static func contains(_ ranges: [FoldedPrefix.Range], _ text: String) -> Int {
        ranges.count { range in
            let isBefore = text.unicodeScalars.lexicographicallyPrecedes(range.lower.unicodeScalars)
            let isAfter = range.upper.map { !text.unicodeScalars.lexicographicallyPrecedes($0.unicodeScalars) } ?? false
            return !isBefore && !isAfter
        }
    }

    @Test("Every scalar that folds to a beginning is in exactly one range", arguments: options)
    func scalars(options: Filter.Options) throws {
        let prefixes = [
            "e", "S", "k", "f", "i", "\u{C7}", "\u{F8}", "\u{3C9}", "\u{3B9}", "\u{439}", "\u{438}", "\u{304B}", "9",
            " ", ";", "ec", "x9",
        ]
        let ranges = prefixes.map { FoldedPrefix($0, options).ranges }
        let folded = prefixes.map { options.folded($0) }
        for value in (0...0x1FFFF as ClosedRange<UInt32>) {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let first = options.folded(String(scalar))
            for (index, prefix) in folded.enumerated() {
                guard let ranges = ranges[index], let start = first.unicodeScalars.first,
                    start == prefix.unicodeScalars.first
                else { continue }
                let text = String(scalar) + String(prefixes[index].unicodeScalars.dropFirst().map(Character.init))
                if options.folded(text).utf8.starts(with: prefix.utf8) {
                    #expect(Self.contains(ranges, text) == 1, "\(value) for \(prefixes[index])")
                }
            }
        }
    }

    @Test(
        "A mark after a letter that accents do not count for is in a range too",
        arguments: ["eco", "\u{432}\u{430}", "\u{3C9}\u{3BF}"])
    func marks(prefix: String) throws {
        let options: Filter.Options = [.caseInsensitive, .diacriticInsensitive]
        let ranges = try #require(FoldedPrefix(prefix, options).ranges)
        for value in (0...0xFFFF as ClosedRange<UInt32>) {
            guard let mark = Unicode.Scalar(value) else { continue }
            var text = prefix.unicodeScalars
            text.insert(mark, at: text.index(after: text.startIndex))
            guard options.folded(String(text)).utf8.starts(with: prefix.utf8) else { continue }
            #expect(Self.contains(ranges, String(text)) == 1, "\(value)")
        }
    }

    @Test("A few ranges, which hold little more than the beginning")
    func sizes() throws {
        let both: Filter.Options = [.caseInsensitive, .diacriticInsensitive]
        let ranges = try #require(FoldedPrefix("Anvil", both).ranges)
        #expect(ranges.count == 15)
        for other in ["b", "an", "ano", "am", "Bn"] { #expect(Self.contains(ranges, other) == 0, "\(other)") }
        for text in ["anvil", "ANV", "\u{C0}", "a\u{F1}", "Anv"] {
            #expect(Self.contains(ranges, text) == 1, "\(text)")
        }
        #expect(try #require(FoldedPrefix("0123456789", both).ranges).count == 9)
        // The Cyrillic i has ten spellings.
        #expect(try #require(FoldedPrefix("\u{418}\u{432}", both).ranges).count == 19)
        // Eight spellings after two letters, and nine other ranges for each of them with each letter that follows.
        let many = "\u{435}\u{43E}\u{431}\u{432}\u{434}\u{43F}\u{43B}\u{43C}"
        #expect(try #require(FoldedPrefix(many, .diacriticInsensitive).ranges).count <= 64)
        // Marks are sorted, and Hangul is composed: nearly all texts would be in the ranges.
        for prefix in ["\u{301}", "\u{1112}", "\u{D55C}", "\u{10FFFF}"] {
            #expect(FoldedPrefix(prefix, both).ranges == nil)
        }
    }
}
