import Cabinet
import Foundation
import Testing

@Suite("Description: a format string that parses to the same tree")
struct DescriptionTests {
    @Test("Random trees come back from their descriptions, and from their coded form")
    func roundTrip() throws {
        var random = RandomFilters(seed: 11)
        for _ in 0..<3_000 {
            let filter = random.filter(depth: 4)
            #expect(try Filter(filter.description) == filter)
        }
    }

    @Test(
        "What it looks like",
        arguments: [
            ("a==1&&b!='x'||NOT c IN{1,2}", "(a == 1 AND b != 'x') OR NOT (c IN {1, 2})"),
            ("NOT(a==1 AND b==2)", "NOT (a == 1 AND b == 2)"), ("!TRUEPREDICATE", "NOT TRUEPREDICATE"),
            ("a = YES", "a == 1"), ("a <> null", "a != NIL"), ("a =< 1e3", "a <= 1000.0"), ("#in => .5", "#in >= 0.5"),
            ("a beginswith \"it's\"", #"a BEGINSWITH 'it\'s'"#), ("a IN {}", "a IN {}"),
            ("a between {1, b}", "a BETWEEN {1, b}"), ("some a like [DC]'x?'", "ANY a LIKE[cd] 'x?'"),
            ("a ==[c] 'x' and none b endswith'y'", "a ==[c] 'x' AND NONE b ENDSWITH 'y'"),
            ("(a+b)*c-(d-(-5)**2)/-e>1", "(a + b) * c - (d - -5 ** 2) / -e > 1"),
            ("((a*b)+c)==(a**b)**(c**d)", "a * b + c == (a ** b) ** c ** d"), ("- 5 < -(a+b)", "-(5) < -(a + b)"),
            ("self.a.#in.@sum.self == a[ first ]", "a.#in.@sum.SELF == a[FIRST]"),
            ("f[$i+1] . name.@count==SELF", "f[$i + 1].name.@count == recordID"),
            ("(a).b == (-a)[#last]", "(a).b == (-a)[#last]"),
            ("self contains[cd]'x y'", "SELF CONTAINS 'x y'"), ("a tokenmatches[cdl]'x'", "a TOKENMATCHES 'x'"),
            ("#allTokens == 1 or allTokens.a == 1", "#allTokens == 1 OR allTokens.a == 1"),
            ("distanceToLocation:fromLocation:(a,b)<1", "distanceToLocation:fromLocation:(a, b) < 1"),
            ("!(all a>1)", "NOT (ALL a > 1)"), ("#any matches '[a-z]'", "#any MATCHES '[a-z]'"),
        ])
    func examples(format: String, description: String) throws {
        #expect(try Filter(format).description == description)
    }

    @Test("Trees that builders never make come back as the shortest of the same meaning")
    func otherTrees() throws {
        let a: Filter = .field("a") == 1
        #expect(try Filter(Filter.and([]).description) == .constant(true))
        #expect(try Filter(Filter.or([]).description) == .constant(false))
        #expect(try Filter(Filter.and([a]).description) == a)
        #expect(try Filter(Filter.or([.and([a])]).description) == a)
        #expect(try Filter(Filter.and([.and([a, a]), a]).description) == .and([a, a, a]))
        #expect(try Filter(Filter.not(.and([])).description) == .not(.constant(true)))
    }

    @Test("Constants without literals are written for a reader")
    func readable() {
        let reference = Reference(recordID: RecordID(recordName: "list"), action: .deleteSelf)
        let cases: [(Filter, String)] = [
            (.field("list") == reference, "list == <→ list (deleteSelf)>"),
            (.field("data") == Data([1]), "data == <1 bytes>"),
            (.field("d") < Double.infinity, "d < <inf>"),
            (.field("n") == UInt64.max, "n == <18446744073709551615 (UInt64)>"),
        ]
        for (filter, description) in cases { #expect(filter.description == description) }
    }
}
