import Foundation
import Testing

@testable import Cabinet

@Suite("Parser: every production of the language")
struct ParserTests {
    typealias Expression = Filter.Expression

    private static func compare(_ left: Expression, _ operation: Filter.Operator, _ right: Expression) -> Filter {
        .comparison(Filter.Comparison(left, operation, right))
    }

    private static func constant(_ value: FieldValue) -> Expression { .constant(value) }

    @Test(
        "Every spelling of an operator, in any case and with any space",
        arguments: [
            ("=", Filter.Operator.equal), ("==", .equal), ("!=", .notEqual), ("<>", .notEqual), ("<", .lessThan),
            ("<=", .lessThanOrEqual), ("=<", .lessThanOrEqual), (">", .greaterThan), (">=", .greaterThanOrEqual),
            ("=>", .greaterThanOrEqual),
        ])
    func signs(spelling: String, operation: Filter.Operator) throws {
        let expected = Self.compare(.field("age"), operation, .constant(.int64(5)))
        #expect(try Filter("age\(spelling)5") == expected)
        #expect(try Filter("  age \n\(spelling)\t5 ") == expected)
    }

    @Test(
        "Operators that are words ignore case",
        arguments: [
            ("BETWEEN {1,2}", Filter.Operator.between), ("between{1,2}", .between), ("In {1, 2}", .in),
            ("IN{1,2}", .in),
            ("contains{1,2}", .contains), ("CONTAINS {1,2}", .contains), ("BeginsWith {1,2}", .beginsWith),
            ("endswith{1,2}", .endsWith), ("LIKE{1,2}", .like), ("Matches {1,2}", .matches),
        ])
    func words(text: String, operation: Filter.Operator) throws {
        #expect(try Filter("a \(text)") == Self.compare(.field("a"), operation, .constant(.list(.int64([1, 2])))))
    }

    @Test(
        "Options stand after any operator, in brackets, in any case and order",
        arguments: [
            ("a ==[c] 'x'", Filter.Options.caseInsensitive), ("a==[d]'x'", .diacriticInsensitive),
            ("a == [cd] 'x'", [.caseInsensitive, .diacriticInsensitive]),
            ("a ==[ D C ]'x'", [.caseInsensitive, .diacriticInsensitive]),
            ("a == 'x'", []),
        ] as [(String, Filter.Options)])
    func options(format: String, options: Filter.Options) throws {
        let expected = Filter.Comparison(.field("a"), .equal, .constant(.string("x")), options: options)
        #expect(try Filter(format) == .comparison(expected))
        for operation in Filter.Operator.allCases where !operation.findsWords {
            let text = format.replacing("==", with: " \(operation.rule.symbol) ")
            let comparison = try Filter(text).comparison
            #expect(comparison?.operator == operation && comparison?.options == options, "\(text)")
        }
    }

    @Test(
        "Quantifiers stand before a comparison, in any case",
        arguments: [
            ("ANY", Filter.Quantifier.any), ("some", .any), ("All", .all), ("none", .none),
        ])
    func quantifiers(word: String, quantifier: Filter.Quantifier) throws {
        let comparison = Filter.Comparison(.field("a"), .equal, .constant(.int64(1)), quantifier: quantifier)
        let expected = Filter.comparison(comparison)
        let b: Filter = .field("b") == 2
        let cases: [(String, Filter)] = [
            ("\(word) a == 1", expected), ("(\(word)(a)==(1))", expected), ("NOT \(word) a == 1", .not(expected)),
            ("\(word) a == 1 AND b == 2", .and([expected, b])), ("b == 2 OR \(word) a == 1", .or([b, expected])),
            ("#\(word) == 2", .field(word) == 2),
        ]
        for (text, filter) in cases { #expect(try Filter(text) == filter, "\(text)") }
    }

    @Test(
        "Literals",
        arguments: [
            ("27", .int64(27)), ("-27", .int64(-27)), ("0", .int64(0)), ("007", .int64(7)), ("0x1F", .int64(31)),
            ("0X1f", .int64(31)), ("-0x1F", .int64(-31)), ("0o17", .int64(15)), ("0b101", .int64(5)),
            ("9223372036854775807", .int64(.max)), ("-9223372036854775808", .int64(.min)),
            ("-0x8000000000000000", .int64(.min)), ("9007199254740993", .int64(9_007_199_254_740_993)),
            ("19.75", .double(19.75)), ("-19.75", .double(-19.75)), ("9.2e-5", .double(9.2e-5)), ("1E3", .double(1000)),
            ("1e+3", .double(1000)), (".5", .double(0.5)), ("-.5", .double(-0.5)), ("2.5e-300", .double(2.5e-300)),
            ("TRUE", .int64(1)), ("yes", .int64(1)), ("False", .int64(0)), ("NO", .int64(0)),
            ("''", .string("")), ("\"it's\"", .string("it's")), (#"'say "x"'"#, .string(#"say "x""#)),
            (#"'it\'s \"x\" \\ \n\r\t'"#, .string("it's \"x\" \\ \n\r\t")), ("'%@ %K $x #a'", .string("%@ %K $x #a")),
            ("'AND OR'", .string("AND OR")), ("'e\u{301}👩‍👩‍👧'", .string("e\u{301}👩‍👩‍👧")), ("'a\nb\0'", .string("a\nb\0")),
        ] as [(String, FieldValue)])
    func literals(text: String, value: FieldValue) throws {
        #expect(try Filter("a == \(text)").right == .constant(value))
    }

    @Test("Nil and lists")
    func lists() throws {
        #expect(try Filter("a == NIL").right == .constant(nil))
        #expect(try Filter("a == null").right == .constant(nil))
        #expect(try Filter("a IN {}").right == .list([]))
        #expect(try Filter("a IN {'x'}").right == .constant(.list(.string(["x"]))))
        #expect(
            try Filter("a IN { 1, 2.5, 'x', NIL, b }").right
                == .list([
                    .constant(.int64(1)), .constant(.double(2.5)), .constant(.string("x")), .constant(nil), .field("b"),
                ]))
        #expect(try Filter("a IN {{1}, {}}").right == .list([.constant(.list(.int64([1]))), .list([])]))
        #expect(try Filter("{1, 2} CONTAINS a").left == .constant(.list(.int64([1, 2]))))
        #expect(try Filter("a IN {(1), ((2))}").right == .constant(.list(.int64([1, 2]))))
    }

    @Test(
        "Names that begin like words, reserved words after #, and a few that are common",
        arguments: [
            ("order", "order"), ("inStock", "inStock"), ("nil_", "nil_"), ("_a1", "_a1"), ("#order", "order"),
            ("#IN", "IN"), ("#not", "not"), ("#SELF", "SELF"), ("size", "size"), ("first", "first"),
            ("Trueish", "Trueish"),
        ])
    func names(text: String, name: String) throws {
        #expect(try Filter("\(text) == 1").left == .field(name))
    }

    @Test("NOT binds tightest, then AND, then OR; parentheses bind all")
    func precedence() throws {
        let a = try Filter("a == 1")
        let b = try Filter("b == 2")
        let c = try Filter("c == 3")
        let cases: [(String, Filter)] = [
            ("a == 1 OR b == 2 AND c == 3", .or([a, .and([b, c])])),
            ("a == 1 AND b == 2 OR c == 3", .or([.and([a, b]), c])),
            ("(a == 1 OR b == 2) AND c == 3", .and([.or([a, b]), c])),
            ("NOT a == 1 AND b == 2", .and([.not(a), b])),
            ("NOT (a == 1 AND b == 2)", .not(.and([a, b]))),
            ("NOT(a==1)", .not(a)), ("!a==1", .not(a)), ("! ! a == 1", .not(.not(a))),
            ("not NOT a == 1", .not(.not(a))),
            ("a==1&&b==2||c==3", .or([.and([a, b]), c])), ("a == 1 and b == 2 Or c == 3", .or([.and([a, b]), c])),
            ("a == 1 AND b == 2 AND c == 3", .and([a, b, c])), ("(a == 1 AND b == 2) AND c == 3", .and([a, b, c])),
            ("a == 1 AND (b == 2 AND c == 3)", .and([a, .and([b, c])])),
            ("a == 1 OR b == 2 OR c == 3", .or([a, b, c])),
            ("((a)) == 1", a), ("((a == 1))", a), ("(((a)) == (1))", a), ("TRUEPREDICATE", .constant(true)),
            ("falsepredicate OR (TruePredicate)", .or([.constant(false), .constant(true)])),
            ("NOT TRUEPREDICATE", .not(.constant(true))),
            ("1 == a", Self.compare(.constant(.int64(1)), .equal, .field("a"))),
        ]
        for (text, expected) in cases { #expect(try Filter(text) == expected, "\(text)") }
    }

    @Test(
        "Specifiers bind arguments from left to right",
        arguments: [
            ("%@", "x", .constant(.string("x"))), ("%@", 5, .constant(.int64(5))), ("%@", true, .constant(.int64(1))),
            ("%@", nil, .constant(nil)), ("%@", 2.5, .constant(.double(2.5))),
            ("%@", [1, 2], .constant(.list(.int64([1, 2])))),
            ("%@", [String](), .list([])), ("%@", "' OR TRUEPREDICATE", .constant(.string("' OR TRUEPREDICATE"))),
            ("%d", 5, .constant(.int64(5))), ("%i", Int8(-5), .constant(.int64(-5))),
            ("%u", UInt8(5), .constant(.int64(5))),
            ("%x", 255, .constant(.int64(255))), ("%o", 8, .constant(.int64(8))),
            ("%ld", Int64.min, .constant(.int64(.min))),
            ("%lld", Int64.max, .constant(.int64(.max))), ("%llu", 5, .constant(.int64(5))),
            ("%lx", 5, .constant(.int64(5))),
            ("%d", true, .constant(.int64(1))), ("%f", 2.5, .constant(.double(2.5))), ("%f", 2, .constant(.double(2))),
            ("%lf", Float(0.5), .constant(.double(0.5))), ("%e", 1e300, .constant(.double(1e300))),
            ("%g", Int64.max, .constant(.int64(.max))), ("%K", "IN", .field("IN")), ("%K", "a b", .field("a b")),
        ] as [(String, (any RecordValue)?, Filter.Expression)])
    func specifiers(specifier: String, argument: (any RecordValue)?, expected: Filter.Expression) throws {
        #expect(try Filter(format: "a == \(specifier)", arguments: [argument]).right == expected)
        #expect(
            try Filter(format: "a==\(specifier)AND b==1", arguments: [argument]) != .constant(true), "no space needed")
    }

    @Test("Arguments in lists, on both sides, and variadic")
    func arguments() throws {
        let date = Date(timeIntervalSinceReferenceDate: 0.25)
        let filter = try Filter(
            "%K == %@ AND at BETWEEN {%@, %@} AND x IN %@ AND y == %@", "name", "Milk", date, date, ["a"], nil)
        let parts: [Filter] = [
            .field("name") == "Milk", .field("at").isBetween(date, date), .field("x").isIn(["a"]), .field("y") == nil,
        ]
        #expect(filter == .and(parts))
    }
}

extension Filter {
    var comparison: Comparison? {
        if case .comparison(let comparison) = self { comparison } else { nil }
    }

    var left: Expression? { comparison?.left }
    var right: Expression? { comparison?.right }
}
