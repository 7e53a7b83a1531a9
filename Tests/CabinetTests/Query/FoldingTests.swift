import Foundation
import Testing

@testable import Cabinet

@Suite("Folding: every scalar, and texts made to be slow")
struct FoldingTests {
    @Test("Decomposition is Foundation's, for every scalar")
    func decomposition() {
        var different: [String] = []
        for value in UInt32(0)...0x10_FFFF {
            // Private use and unassigned planes decompose to themselves.
            if (0x3_0000...0xE_0000).contains(value) || value >= 0xF_0000 { continue }
            guard let scalar = Unicode.Scalar(value) else { continue }
            // After a digit no mark is removed.
            let parts = CanonicalDecomposition.withoutDiacritics(["1", scalar]).dropFirst()
            let expected = String(scalar).decomposedStringWithCanonicalMapping.unicodeScalars
                .filter { !$0.isCombiningMark || !(String(scalar).decomposedStringWithCanonicalMapping.unicodeScalars.first?.isAccentedLetter ?? false) }
            if !parts.elementsEqual(expected) { different.append(String(value, radix: 16)) }
        }
        #expect(different == [])
    }

    @Test("Folding again changes nothing, and letters of both cases fold alike")
    func fixedPoints() {
        for value in UInt32(0)...0x1_FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let folded = String(scalar).folded(.caseInsensitive)
            #expect(folded.folded(.caseInsensitive).hasSameScalars(as: folded), "\(value)")
            let upper = scalar.properties.uppercaseMapping
            if upper.unicodeScalars.count == 1, scalar != "\u{131}" {
                #expect(upper.folded(.caseInsensitive).hasSameScalars(as: folded), "\(value)")
            }
        }
    }

    @Test(
        "Scalars whose folding is no lower case",
        arguments: [
            ("ß", "ss"), ("ẞ", "ss"), ("ς", "σ"), ("ŉ", "ʼn"), ("ǰ", "ǰ"), ("ΐ", "ΐ"), ("և", "եւ"), ("ẖ", "ẖ"),
            ("ﬀ", "ff"), ("ﬃ", "ffi"), ("ﬆ", "st"), ("ᾳ", "αι"), ("ᾼ", "αι"), ("ͅ", "ι"), ("µ", "μ"), ("ϐ", "β"),
            ("İ", "i\u{307}"), ("ı", "ı"), ("K", "k"), ("Å", "å"), ("ꭰ", "Ꭰ"), ("Ꭰ", "Ꭰ"), ("ᏸ", "Ᏸ"), ("ᲀ", "в"),
            ("ſ", "s"), ("ẛ", "ṡ"), ("Ω", "ω"), ("ϴ", "θ"), ("ᏽ", "Ᏽ"),
        ])
    func caseFolding(text: String, folded: String) {
        #expect(text.folded(.caseInsensitive).hasSameScalars(as: folded))
    }

    @Test("ASCII and other text fold alike")
    func ascii() {
        let ascii = String(String.UnicodeScalarView((0..<128).compactMap { Unicode.Scalar(UInt8($0)) }))
        for options: Filter.Options in [.caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive]] {
            let folded = ascii.folded(options)
            #expect((ascii + "か").folded(options).hasSameScalars(as: folded + "か"))
        }
        #expect(ascii.folded(.diacriticInsensitive) == ascii)
    }

    @Test("A hundred thousand marks in a row take no quadratic time", .timeLimit(.minutes(1)))
    func manyMarks() {
        let marks = (0..<100_000).compactMap { Unicode.Scalar($0 % 2 == 0 ? 0x301 : 0x323) }
        let text = String(String.UnicodeScalarView(["1"] + marks))
        #expect(text.folded(.diacriticInsensitive).unicodeScalars.count == 100_001)
        #expect(("e" + text.dropFirst()).folded(.diacriticInsensitive).unicodeScalars.first == "e")
    }
}
