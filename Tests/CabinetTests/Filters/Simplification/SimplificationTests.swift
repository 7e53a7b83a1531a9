import Cabinet
import Testing

@Suite("Simplified filters: the same meaning, in fewer words")
struct SimplificationTests {
    @Test(
        "The simplified forms",
        arguments: [
            // Chains.
            ("a == 1 AND (b == 2 AND c == 3)", "a == 1 AND b == 2 AND c == 3"),
            ("a == 1 OR (b == 2 OR (c == 3 OR d == 4))", "a == 1 OR b == 2 OR c == 3 OR d == 4"),
            ("a == 1 AND TRUEPREDICATE AND b == 2", "a == 1 AND b == 2"), ("a == 1 AND TRUEPREDICATE", "a == 1"),
            ("a == 1 AND FALSEPREDICATE", "FALSEPREDICATE"), ("a == 1 OR TRUEPREDICATE", "TRUEPREDICATE"),
            ("a == 1 OR FALSEPREDICATE", "a == 1"), ("TRUEPREDICATE AND TRUEPREDICATE", "TRUEPREDICATE"),
            ("FALSEPREDICATE OR FALSEPREDICATE", "FALSEPREDICATE"),
            ("b == 2 AND a == 1 AND b == 2", "b == 2 AND a == 1"),
            ("a == 1 OR a == 1", "a == 1"), ("a == 1 AND (a == 1 OR b == 2)", "a == 1 AND (a == 1 OR b == 2)"),
            ("a == 1 OR (b == 2 AND TRUEPREDICATE AND (c == 3 OR FALSEPREDICATE))", "a == 1 OR b == 2 AND c == 3"),
            ("a == 1 AND NOT (NOT (b == 2 AND c == 3))", "a == 1 AND b == 2 AND c == 3"),
            // Negations.
            ("NOT a == 1", "a != 1"), ("NOT a != 1", "a == 1"), ("NOT NOT a < 1", "a < 1"), ("NOT a < 1", "NOT a < 1"),
            ("NOT TRUEPREDICATE", "FALSEPREDICATE"), ("NOT a ==[c] 'x'", "a !=[c] 'x'"),
            ("NOT NONE a == 1", "ANY a == 1"), ("NOT ANY a == 1", "NOT ANY a == 1"),
            ("NOT ALL a == 1", "NOT ALL a == 1"),
            ("NOT (a == 1 AND 1 == 1)", "a != 1"), ("NOT (a == 1 AND b == 2)", "NOT (a == 1 AND b == 2)"),
            ("NOT (NOT a == 1)", "a == 1"),
            // Constants.
            ("1 < 2", "TRUEPREDICATE"), ("'a' == 5", "FALSEPREDICATE"), ("NIL == NIL", "TRUEPREDICATE"),
            ("NIL < 5", "FALSEPREDICATE"), ("'É' ==[cd] 'e'", "TRUEPREDICATE"), ("'Milk' LIKE 'M*'", "TRUEPREDICATE"),
            ("3 IN {1, 2}", "FALSEPREDICATE"), ("ANY {1, 2} > 1", "TRUEPREDICATE"),
            ("ALL {1, 2} > 1", "FALSEPREDICATE"),
            ("NONE {1, 2} > 2", "TRUEPREDICATE"), ("a == 1 AND 2 BETWEEN {1, 3}", "a == 1"),
            ("n > 60 * 60", "n > 3600"), ("n > 5 / 2 + n", "n > 2.5 + n"), ("n > -(1 + 1)", "n > -2"),
            ("n == 1 / 0", "n == NIL"),
            ("n + 2 * 3 < 2 ** 3", "n + 6 < 8"), ("n + 1 + 2 < 3", "n + 1 + 2 < 3"), ("n IN {1 + 1, 3}", "n IN {2, 3}"),
            ("s == {'a', 'b'}[1]", "s == 'b'"), ("s == {'a', 'b'}[2]", "s == NIL"), ("n == {1, 2}[SIZE]", "n == 2"),
            ("1 + 1 == 2", "TRUEPREDICATE"), ("tags[1 + 1] == 'x'", "tags[2] == 'x'"),
            ("n == {1, 'a'}[0]", "n == {1, 'a'}[0]"),
            // A part that fails during evaluation stays.
            ("'a' BEGINSWITH 5", "'a' BEGINSWITH 5"), ("'a' MATCHES '('", "'a' MATCHES '('"),
            ("ANY 5 == 5", "ANY 5 == 5"),
            ("s MATCHES {'('}[0]", "s MATCHES {'('}[0]"), ("n == 'a' + 1", "n == 'a' + 1"),
            ("n < 1e308 * 10", "n < 1e308 * 10"),
            // Empty lists.
            ("a IN {}", "FALSEPREDICATE"), ("NOT a IN {}", "TRUEPREDICATE"), ("{} CONTAINS a", "FALSEPREDICATE"),
            ("ANY a IN {}", "FALSEPREDICATE"), ("NONE a IN {}", "TRUEPREDICATE"), ("ALL a IN {}", "ALL a IN {}"),
            ("ANY {} == a", "FALSEPREDICATE"), ("SOME {} == a", "FALSEPREDICATE"), ("ALL {} == a", "TRUEPREDICATE"),
            ("NONE {} == a", "TRUEPREDICATE"), ("ANY NIL == a", "FALSEPREDICATE"), ("a == {}", "a == {}"),
            // Fields stay, in comparisons with any operand.
            ("a == a", "a == a"), ("a == NIL", "a == NIL"), ("a < 1 AND a >= 1", "a < 1 AND a >= 1"),
        ])
    func simplified(_ format: String, _ expected: String) throws {
        let simplified = try Filter(format).simplified()
        #expect(try simplified == Filter(expected))
        #expect(simplified.simplified() == simplified)
    }

    @Test("Trees that no format string makes: chains of one or none, and lists of constants")
    func handmade() {
        let a: Filter = .field("a") == 1
        #expect(Filter.and([]).simplified() == .constant(true))
        #expect(Filter.or([]).simplified() == .constant(false))
        #expect(Filter.and([.or([.and([a])])]).simplified() == a)
        #expect(Filter.not(.or([])).simplified() == .constant(true))
        let list = Filter.Expression.list([.constant(.int64(1)), .constant(.int64(2))])
        #expect(Filter.comparison(.init(.field("a"), .in, list)).simplified() == .field("a").isIn([1, 2]))
        let empty = Filter.comparison(.init(.field("a"), .in, .constant(.list(.int64([])))))
        #expect(empty.simplified() == .constant(false))
    }

    @Test("Parts that differ by record stay: key paths of constants, variables, words, type errors")
    func kept() {
        let target = Record(recordType: "Lists")
        let filters: [Filter] = [
            .value(target).member("name") == "x", .variable("x") == 1, .text("milk"), .value(1) == UInt64.max,
        ]
        for filter in filters { #expect(filter.simplified() == filter) }
    }

    @Test("A filter that is too deep is returned unchanged; one of many terms does not take quadratic time")
    func scale() {
        let deep = (0..<2_000).reduce(Filter.field("a") == 1) { filter, _ in .not(filter) }
        expectInvalidArguments { try deep.simplified().validate(fields: [:]) }
        let terms = (0..<20_000).map { Filter.field("a") != $0 % 10_000 }
        #expect(Filter.and([.and(terms), .and(terms)]).simplified() == .and(Array(terms.prefix(10_000))))
    }
}
