import CabinetTesting
import Foundation
import Testing

@testable import Cabinet

@Suite struct SearchTextTests {
    /// The terms of a search: words of a phrase joined by spaces, and an asterisk after an unfinished one.
    private static func terms(_ text: String) -> [String] {
        SearchText(text).terms.map { term in
            term.map { $0.text + ($0.isUnfinished ? "*" : "") }.joined(separator: " ")
        }
    }

    @Test(
        "A search is words, and phrases in quotation marks",
        arguments: [
            ("", []), (" ", []), ("\"", []), ("\"\" - …", []), ("anvil rop", ["anvil", "rop*"]),
            ("Anvil ROP ", ["anvil", "rop"]), ("anvil,rop.", ["anvil", "rop"]), ("\"anvil rop\"", ["anvil rop"]),
            ("\"anvil rop", ["anvil rop*"]), ("a \"b c\" d", ["a", "b c", "d*"]), ("a\"b c\"d", ["a", "b c", "d*"]),
            ("“b c” d ", ["b c", "d"]), ("«b c", ["b c*"]), ("\"b\" \"\" \"c\"", ["b", "c"]), ("é", ["e*"]),
            ("e\u{301}", ["e*"]), ("o'clock", ["o", "clock*"]), ("日本", ["日本*"]),
        ] as [(String, [String])])
    func parts(text: String, expected: [String]) {
        #expect(Self.terms(text) == expected)
        #expect(SearchText(text).isEmpty == expected.isEmpty)
    }

    @Test("A search has 64 words at most, and a phrase that is cut off ends there")
    func bound() throws {
        let words = (0..<70).map { "w\($0)" }
        #expect(Self.terms(words.joined(separator: " ")) == Array(words.prefix(64)))
        let phrase = SearchText("\"" + words.joined(separator: " "))
        #expect(phrase.terms.count == 1 && phrase.words.count == 64)
        #expect(phrase.words.last?.isUnfinished == false)
        #expect(try phrase.relevance(of: [words.joined(separator: " ")]) > 0)
        #expect(Self.terms(words.prefix(64).joined(separator: " ")).last == "w63*")
    }

    @Test(
        "The points of relevance",
        arguments: [
            ("anvil rop", ["rop anvil"], 200_099_991), ("anvil rop", ["Anvil rope set"], 110_199_986),
            ("anvil rop", ["Rope", "for one anvil"], 100_099_983),
            ("anvil rop", ["An anvil, and ropes"], 100_099_981), ("anvil rop", ["Anvil", "Rope"], 110_099_991),
            ("anvil rop", ["anvil"], 0),
            ("a", ["a a a"], 110_099_995), ("a", ["ab", "b a"], 110_099_995), ("\"a b\"", ["b a b"], 200_199_995),
            ("\"a b\"", ["a", "b"], 0), ("", ["a"], 0),
            ("é", ["Élan vital"], 10_099_989), ("a ", [String(repeating: "a ", count: 60_000)], 110_000_001),
        ] as [(String, [String], Int64)])
    func points(search: String, texts: [String], points: Int64) throws {
        #expect(try SearchText(search).relevance(of: texts) == points)
    }

    @Test(
        "The parts of a text that a search found",
        arguments: [
            ("anvil rop", "Anvil with 2 Ropes", ["Anvil", "Rop"]), ("anvil ", "Anvils", []),
            ("a b ", "b c B", ["b", "B"]),
            ("\"a b\"", "a b, A-B a", ["a b", "A-B"]), ("\"a b\" b", "a b bc", ["a b", "b"]),
            ("stras", "Straße", ["Straß"]),
            ("cafe", "le Cafe\u{301}s", ["Cafe\u{301}"]), ("", "a", []), ("日", "日本語", ["日"]),
            ("\"a a\"", "a a a", ["a a a"]),
            ("x", "", []),
        ] as [(String, String, [String])])
    func ranges(search: String, text: String, expected: [String]) {
        #expect(SearchText(search).ranges(in: text).map { String(text[$0]) } == expected)
    }

    @Test("A scan of bytes finds what a comparison of tokens finds", arguments: 1...20 as ClosedRange<UInt64>)
    func scan(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let parts = ["a", "b", "ab", "ä", "Ab", "ﬁ", "日", "\"", " ", " ", "-", "e\u{301}", "\u{301}", "ß", "🛒", "9"]
        func text(_ count: ClosedRange<Int>) -> String {
            (0..<Int.random(in: count, using: &random)).map { _ in parts.randomElement(using: &random) ?? "" }.joined()
        }
        for _ in 0..<150 {
            let search = SearchText(text(0...6))
            let texts = (0..<Int.random(in: 0...3, using: &random)).map { _ in text(0...12) }
            var scan = SearchScan(search)
            for text in texts { try scan.read(text) }
            let tokens = texts.map(SearchTokens.tokens)
            let finds = search.terms.allSatisfy { term in
                tokens.contains { tokens in
                    tokens.indices.contains { start in
                        let rest = tokens[start...].prefix(term.count)
                        return rest.count == term.count
                            && zip(rest, term).allSatisfy {
                                $0 == $1.text || $1.isUnfinished && $0.utf8.starts(with: $1.text.utf8)
                            }
                    }
                }
            }
            #expect(scan.isComplete == finds, "\(search.text) in \(texts)")
            #expect((scan.relevance > 0) == (finds && !search.isEmpty), "\(search.text) in \(texts)")
            for text in texts where search.terms.count == 1 {
                let points = try search.relevance(of: [text])
                #expect(search.ranges(in: text).isEmpty == (points == 0), "\(search.text) in \(text)")
            }
        }
    }

    @Test("An order by relevance is coded as a sort key, and reads as one")
    func coding() throws {
        let query = Query(recordType: "Items", filter: .search("a"), sortedBy: .relevance)
        #expect(try JSONDecoder().decode(Query.self, from: JSONEncoder().encode(query)) == query)
        #expect(Sort("@relevance", ascending: false) == .relevance)
        #expect(query.validateForCloudKit().count == 2)
    }
}
