import CabinetTesting
import Foundation
import Testing

@testable import Cabinet

@Suite("Text: endings, patterns, regular expressions, and comparing without case and accents")
struct TextOperatorTests {
    static let record: Record = {
        var record = Record(recordType: "Items")
        record["s"] = "Milk"
        record["empty"] = ""
        record["street"] = "Hauptstraße"
        record["greek"] = "ΌΣΟΣ"
        record["composed"] = "\u{E9}"
        record["decomposed"] = "e\u{301}"
        record["nul"] = "a\0b"
        record["emoji"] = "🛒x"
        record["tags"] = ["Milk", "Crème"]
        record["n"] = 5
        return record
    }()

    @Test(
        "What holds",
        arguments: [
            // ENDSWITH.
            "s ENDSWITH 'lk'", "s ENDSWITH 'Milk'", "NOT s ENDSWITH 'LK'", "NOT s ENDSWITH ''", "NOT empty ENDSWITH ''",
            "NOT s ENDSWITH 'xMilk'", "NOT s ENDSWITH '*k'", "nul ENDSWITH 'b'", "NOT nul ENDSWITH 'ab'",
            "decomposed ENDSWITH '\u{301}'", "'a Milk' ENDSWITH s", "emoji ENDSWITH 'x'", "s ENDSWITH[c] 'LK'",
            "street ENDSWITH[c] 'STRASSE'", "decomposed ENDSWITH[d] 'e'",
            // LIKE.
            "s LIKE 'Milk'", "s LIKE 'M*'", "s LIKE '*k'", "s LIKE '*il*'", "s LIKE 'M??k'", "s LIKE '*'",
            "s LIKE '****'",
            "s LIKE '????'", "s LIKE '*?*?*'", "s LIKE 'M*l*k*'", "NOT s LIKE 'm*'", "NOT s LIKE 'il'",
            "NOT s LIKE '???'",
            "NOT s LIKE '?????'", "NOT s LIKE ''", "empty LIKE ''", "empty LIKE '*'", "NOT empty LIKE '?'",
            "NOT s LIKE 'M%'", "NOT s LIKE 'M___'", "NOT s LIKE 'M.*'", "NOT s LIKE '[A-Z]*'", "'a*b' LIKE 'a*b'",
            "'(a|b)' LIKE '(a|b)'", "'a.b' LIKE 'a.b'", "NOT 'axb' LIKE 'a.b'", "emoji LIKE '?x'", "nul LIKE 'a?b'",
            "'aXbXXb' LIKE 'a*b'", "'abab' LIKE '*ab'", "'aab' LIKE '*ab'", "NOT 'aba' LIKE '*ab'", "s LIKE[c] 'mILK'",
            "s LIKE[c] 'm*K'", "street LIKE[c] '*STRASSE'", "composed LIKE[d] 'e'", "'CRÈME' LIKE[cd] 'cr?me'",
            "s LIKE s",
            // MATCHES.
            "s MATCHES 'M.*'", "s MATCHES '[A-Z][a-z]+'", "NOT s MATCHES 'il'", "NOT s MATCHES 'Mil'",
            "s MATCHES 'Mil|Milk'",
            "s MATCHES s", "empty MATCHES ''", "NOT s MATCHES ''", "s MATCHES '\\\\w{4}'", "NOT s MATCHES 'm.*'",
            "s MATCHES[c] 'm.*'", "street MATCHES[c] '.*STRASSE'", "composed MATCHES[d] 'e'", "'e' MATCHES[d] 'é'",
            "emoji MATCHES '.x'", "nul MATCHES 'a.b'", "s MATCHES '(?x) M \\\\w+ # the rest'", "s MATCHES '\\\\QMilk'",
            "s MATCHES '(M)(.).k'", "'abab' MATCHES '(ab)\\\\1'", "'5' MATCHES '\\\\d'", "'x' MATCHES[c] '\\\\D'",
            "NOT '5' MATCHES[c] '\\\\D'",
            // [c].
            "s ==[c] 'MILK'", "NOT s !=[c] 'milk'", "s !=[c] 'silk'", "'ß' ==[c] 'SS'", "'ẞ' ==[c] 'ss'",
            "'ß' ==[c] 'ẞ'",
            "'Σ' ==[c] 'ς'", "'σ' ==[c] 'ς'", "'σ' ==[c] 'Σ'", "'İ' !=[c] 'i'", "'I' ==[c] 'i'", "'ı' !=[c] 'i'",
            "'ﬁ' ==[c] 'FI'", "'K' ==[c] 'k'", "'ſ' ==[c] 'S'", "'Ꭰ' ==[c] 'ꭰ'", "'Ж' ==[c] 'ж'", "'É' ==[c] 'é'",
            "'é' !=[c] 'e'", "'Ǆ' ==[c] 'ǅ'", "'𐐀' ==[c] '𐐨'", "'a' <[c] 'B'", "'B' >[c] 'a'", "'a' <=[c] 'A'",
            "'a' >=[c] 'A'", "NOT 'a' <[c] 'A'", "s CONTAINS[c] 'IL'", "'IL' IN[c] s", "s BEGINSWITH[c] 'mi'",
            "tags CONTAINS[c] 'MILK'", "s IN[c] {'x', 'milk'}", "'milk' IN[c] tags", "tags ==[c] {'MILK', 'CRÈME'}",
            "s BETWEEN[c] {'MA', 'MZ'}", "n ==[c] 5", "n IN[c] {5}", "NOT s ==[c] 5", "NOT missing ==[c] 'x'",
            "missing ==[c] NIL", "NOT s CONTAINS[c] ''",
            // [d].
            "composed ==[d] 'e'", "composed ==[d] decomposed", "'й' ==[d] 'и'", "'Ё' ==[d] 'Е'", "'ΐ' ==[d] 'ι'",
            "'Ǻ' ==[d] 'A'", "'ệ' ==[d] 'e'", "'Å' ==[d] 'A'", "'が' !=[d] 'か'", "'が' ==[d] 'か\u{3099}'",
            "'ø' !=[d] 'o'", "'ł' !=[d] 'l'", "'œ' !=[d] 'oe'", "'É' !=[d] 'é'", "'가' ==[d] '\u{1100}\u{1161}'",
            "'각' ==[d] '\u{1100}\u{1161}\u{11A8}'", "'א\u{5B7}' !=[d] 'א'", "'1\u{301}' !=[d] '1'",
            "'क\u{93C}' !=[d] 'क'",
            "'क़' ==[d] 'क\u{93C}'", "'か\u{3099}\u{301}' ==[d] 'が\u{301}'", "'1\u{301}\u{323}' ==[d] '1\u{323}\u{301}'",
            "'1\u{301}\u{300}' !=[d] '1\u{300}\u{301}'", "composed <[d] 'f'", "'résumé' CONTAINS[d] 'sum\u{E9}'",
            "'résumé' BEGINSWITH[d] 'res'", "'e\u{301}\u{323}\u{20DD}x' ==[d] 'ex'",
            // [cd].
            "'CRÈME' ==[cd] 'creme'", "greek ==[cd] 'οσος'", "'Ñandú' BEGINSWITH[cd] 'nan'", "'İ' ==[cd] 'i'",
            "'ÉCOLE' IN[cd] {'ecole'}", "'Ø' ==[cd] 'ø'", "'Ø' !=[cd] 'o'", "tags CONTAINS[cd] 'CREME'",
        ])
    func holds(_ format: String) throws {
        #expect(try Filter(format).matches(Self.record))
        #expect(try !Filter("NOT (\(format))").matches(Self.record))
    }

    @Test(
        "With nil on either side they are false", arguments: ["ENDSWITH", "LIKE", "MATCHES", "ENDSWITH[c]", "LIKE[cd]"])
    func nils(_ operation: String) throws {
        for format in [
            "missing \(operation) 's'", "s \(operation) missing", "s \(operation) NIL", "NIL \(operation) NIL",
        ] {
            #expect(try !Filter(format).matches(Self.record), "\(format)")
            #expect(try Filter("NOT \(format)").matches(Self.record), "\(format)")
        }
    }

    @Test("A pattern of a field that is not a regular expression fails for its record alone")
    func patternFields() throws {
        var compiled = try CompiledFilter(Filter("'Milk' MATCHES s"), fields: ["s": .string])
        func record(_ text: String) -> StoredRecord {
            StoredRecord(
                recordID: RecordID(recordName: "r"), recordType: "Items", sequenceNumber: 1, creationDate: Date(),
                creatorName: "u", modificationDate: Date(), lastModifierName: "u",
                fields: FieldValues(names: FieldNames(["s"]), values: [.string(text)]))
        }
        #expect(try compiled.matches(record("M.*")))
        expectInvalidArguments { try compiled.matches(record("(")) }
        #expect(try !compiled.matches(record("m.*")))
    }

    @Test("An expression that takes too long is ended with an error", .timeLimit(.minutes(15)))
    func catastrophe() throws {
        var record = Record(recordType: "Items")
        record["s"] = String(repeating: "a", count: 60)
        let error = #expect(throws: CabinetError.self) { try Filter("s MATCHES '(a|aa)*b'").matches(record) }
        #expect(error?.code == .limitExceeded)
        #expect(error?.message.contains("takes too many steps on a text of 60 characters") == true)
    }

    @Test("LIKE needs no exponential time", .timeLimit(.minutes(15)))
    func manyWildcards() throws {
        let text = String(repeating: "a", count: 20_000)
        let pattern = String(repeating: "*a", count: 200)
        #expect(try WildcardPattern(pattern).matches(text))
        #expect(try !WildcardPattern(pattern + "*b").matches(text))
        #expect(try WildcardPattern(String(repeating: "*", count: 100_000)).matches(text))
    }

    @Test("Random patterns match as defined")
    func patterns() throws {
        var generator = SeededGenerator(seed: 5)
        func text(_ letters: [String], _ count: Int) -> String {
            (0..<Int.random(in: 0...count, using: &generator)).map { _ in
                letters.randomElement(using: &generator) ?? ""
            }.joined()
        }
        /// By definition: recursion is sufficient for texts this short.
        func matches(_ pattern: Substring.UnicodeScalarView, _ text: Substring.UnicodeScalarView) -> Bool {
            guard let first = pattern.first else { return text.isEmpty }
            if first == "*" {
                return matches(pattern.dropFirst(), text) || (!text.isEmpty && matches(pattern, text.dropFirst()))
            }
            guard let scalar = text.first, first == "?" || first == scalar else { return false }
            return matches(pattern.dropFirst(), text.dropFirst())
        }
        var count = 0
        for _ in 0..<20_000 {
            let pattern = text(["a", "b", "*", "?"], 7)
            let sample = text(["a", "b", "\u{301}"], 8)
            let expected = matches(Substring(pattern).unicodeScalars, Substring(sample).unicodeScalars)
            #expect(try WildcardPattern(pattern).matches(sample) == expected, "\(pattern) \(sample)")
            count += expected ? 1 : 0
        }
        #expect(count > 1_000)
    }
}
