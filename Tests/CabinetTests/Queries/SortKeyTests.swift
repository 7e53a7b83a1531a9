import Cabinet
import Testing

@Suite("Sort keys: text under options")
struct SortKeyTests {
    private func precedes(_ left: String, _ right: String, _ options: Sort.Options) -> Bool {
        options.key(of: left).unicodeScalars.lexicographicallyPrecedes(options.key(of: right).unicodeScalars)
    }

    @Test("Numbers in text are ordered as numbers")
    func numeric() {
        let ordered = [
            "", "a", "a0", "a1", "a2", "a9", "a10", "a10b", "a11", "a100", "a100a2", "a100a10", "a:", "b",
        ]
        for (index, left) in ordered.enumerated() {
            #expect(!precedes(left, left, .numeric))
            for right in ordered[(index + 1)...] {
                #expect(precedes(left, right, .numeric), "\(left) comes before \(right)")
                #expect(!precedes(right, left, .numeric))
            }
        }
        #expect(Sort.Options.numeric.key(of: "a007b") == Sort.Options.numeric.key(of: "a7b"))
        #expect(Sort.Options.numeric.key(of: "000") == Sort.Options.numeric.key(of: "0"))
        #expect(Sort.Options.numeric.key(of: "abc") == "abc")
    }

    @Test("Numbers of absurd length are ordered too")
    func longNumbers() {
        let lengths = [1, 2, 0xCFFE, 0xCFFF, 0xD000, 0x19FFD, 0x19FFE, 0x19FFF, 200_000]
        for (shorter, longer) in zip(lengths, lengths.dropFirst()) {
            #expect(
                precedes(
                    String(repeating: "9", count: shorter), "1" + String(repeating: "0", count: longer - 1), .numeric))
        }
    }

    @Test("Case and accents are left out of account")
    func folded() {
        #expect(Sort.Options.caseInsensitive.key(of: "Straße") == "strasse")
        #expect(Sort.Options.diacriticInsensitive.key(of: "Élan") == "Elan")
        #expect(Sort.Options([.caseInsensitive, .diacriticInsensitive, .numeric]).key(of: "É2") == "e0\u{2}2")
        #expect(Sort.Options([]).key(of: "É2") == "É2")
        #expect(Filter.Options([.caseInsensitive, .diacriticInsensitive]).folded("Éß") == "ess")
    }
}
