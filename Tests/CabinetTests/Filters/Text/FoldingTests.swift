import Foundation
import Testing

@testable import Cabinet

@Suite("Folding: every scalar, and texts made to be slow")
struct FoldingTests {
    @Test(
        "Decomposition is Foundation's, for every scalar that both know",
        arguments: Array(stride(from: UInt32(0), through: 0x10_0000, by: 0x1_0000)))
    func decomposition(plane: UInt32) {
        var different: [String] = []
        for value in plane...(plane + 0xFFFF) {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let category = scalar.properties.generalCategory
            if category == .unassigned || category == .privateUse { continue }
            // A later version of Unicode may have more; `Scripts/generate-decompositions.swift` updates the table.
            if let age = scalar.properties.age, age.major > 15 { continue }
            // After a digit no mark is removed.
            let parts = CanonicalDecomposition.withoutDiacritics(["1", scalar]).dropFirst()
            let whole = Array(String(scalar).decomposedStringWithCanonicalMapping.unicodeScalars)
            let isAccented = whole.first?.isAccentedLetter == true
            let expected = isAccented ? whole.filter { !$0.isCombiningMark } : whole
            if !parts.elementsEqual(expected) { different.append(String(value, radix: 16)) }
        }
        #expect(different == [])
    }

    @Test("Scalars without a character decompose to themselves")
    func unassigned() {
        // Nearly all scalars of the later planes are alike.
        for value in UInt32(0xC0)...0x10_FFFF where value < 0x2_0000 || value % 31 == 0 {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let category = scalar.properties.generalCategory
            guard category == .unassigned || category == .privateUse else { continue }
            if !CanonicalDecomposition.withoutDiacritics([scalar]).elementsEqual([scalar]) {
                Issue.record("\(String(value, radix: 16))")
            }
        }
    }

    @Test("Case folding is the composition of three mappings, for every scalar")
    func caseMappings() {
        var different: [String] = []
        for value in UInt32(0)...0x10_FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            var folded = String.UnicodeScalarView()
            CaseFolding.append(scalar, to: &folded)
            if !folded.elementsEqual(Self.folding(of: scalar)) { different.append(String(value, radix: 16)) }
        }
        #expect(different == [])
    }

    /// The rule from which tables were originally built.
    private static func folding(of scalar: Unicode.Scalar) -> [Unicode.Scalar] {
        switch scalar.value {
        case 0x131, 0x13A0...0x13F5: return [scalar]
        case 0x13F8...0x13FD, 0xAB70...0xABBF: return Array(scalar.properties.uppercaseMapping.unicodeScalars)
        case 0x2_0000...: return [scalar]
        default:
            return scalar.properties.lowercaseMapping.unicodeScalars
                .flatMap(\.properties.uppercaseMapping.unicodeScalars)
                .flatMap(\.properties.lowercaseMapping.unicodeScalars)
        }
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
        "Scalars whose folding is not their lowercase form",
        arguments: [
            ("ß", "ss"), ("ẞ", "ss"), ("ς", "σ"), ("\u{149}", "\u{2BC}n"), ("\u{1F0}", "j\u{30C}"),
            ("\u{390}", "\u{3B9}\u{308}\u{301}"), ("\u{587}", "\u{565}\u{582}"), ("\u{1E96}", "h\u{331}"),
            ("\u{FB00}", "ff"), ("\u{FB03}", "ffi"), ("\u{FB06}", "st"), ("\u{1FB3}", "\u{3B1}\u{3B9}"),
            ("\u{1FBC}", "\u{3B1}\u{3B9}"), ("\u{345}", "\u{3B9}"), ("\u{B5}", "\u{3BC}"), ("\u{3D0}", "\u{3B2}"),
            ("\u{130}", "i\u{307}"), ("\u{131}", "\u{131}"), ("\u{212A}", "k"), ("\u{212B}", "\u{E5}"),
            ("\u{AB70}", "\u{13A0}"), ("\u{13A0}", "\u{13A0}"), ("\u{13F8}", "\u{13F0}"), ("\u{1C80}", "\u{432}"),
            ("\u{17F}", "s"), ("\u{1E9B}", "\u{1E61}"), ("\u{2126}", "\u{3C9}"), ("\u{3F4}", "\u{3B8}"),
        ] as [(String, String)])
    func caseFolding(text: String, folded: String) {
        #expect(text.folded(.caseInsensitive).hasSameScalars(as: folded))
    }

    @Test("ASCII and other text fold alike")
    func ascii() {
        let ascii = String(String.UnicodeScalarView((0..<128).compactMap { Unicode.Scalar(UInt8($0)) }))
        for options in (1...3).map(Filter.Options.init) {
            let folded = ascii.folded(options)
            #expect((ascii + "か").folded(options).hasSameScalars(as: folded + "か"))
        }
        #expect(ascii.folded(.diacriticInsensitive) == ascii)
    }

    @Test("A hundred thousand marks in a row take no quadratic time", .timeLimit(.minutes(15)))
    func manyMarks() {
        let marks = (0..<100_000).compactMap { Unicode.Scalar($0 % 2 == 0 ? 0x301 : 0x323) }
        let text = String(String.UnicodeScalarView(["1"] + marks))
        #expect(text.folded(.diacriticInsensitive).unicodeScalars.count == 100_001)
        #expect(("e" + text.dropFirst()).folded(.diacriticInsensitive).unicodeScalars.first == "e")
    }
}
