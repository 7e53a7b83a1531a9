import Foundation
import Testing

@testable import Cabinet

@Suite("Parser: arithmetic, paths, indexes, searches and distances")
struct ParserExpressionTests {
    typealias Expression = Filter.Expression

    private static let a = Expression.field("a")
    private static let b = Expression.field("b")
    private static let c = Expression.field("c")
    private static func number(_ value: Int64) -> Expression { .constant(.int64(value)) }
    private static func sum(_ left: Expression, _ right: Expression) -> Expression { .arithmetic(left, .plus, right) }

    @Test(
        "** binds tighter than * and /, those tighter than + and -; a minus sign binds tightest",
        arguments: [
            ("a + b + c", sum(sum(a, b), c)), ("a+b+c", sum(sum(a, b), c)), ("a + (b + c)", sum(a, sum(b, c))),
            ("a - b - c", .arithmetic(.arithmetic(a, .minus, b), .minus, c)),
            ("a - b + c", sum(.arithmetic(a, .minus, b), c)),
            ("a + b * c", sum(a, .arithmetic(b, .times, c))), ("a * b + c", sum(.arithmetic(a, .times, b), c)),
            ("a / b * c", .arithmetic(.arithmetic(a, .dividedBy, b), .times, c)),
            ("a * b ** c", .arithmetic(a, .times, .arithmetic(b, .toThePower, c))),
            ("a ** b * c", .arithmetic(.arithmetic(a, .toThePower, b), .times, c)),
            ("a**b**c", .arithmetic(a, .toThePower, .arithmetic(b, .toThePower, c))),
            ("(a ** b) ** c", .arithmetic(.arithmetic(a, .toThePower, b), .toThePower, c)),
            ("(a + 1) * 2", .arithmetic(sum(a, number(1)), .times, number(2))), ("((a))", a),
            ("-a", .negative(a)), ("- a", .negative(a)), ("--a", .negative(.negative(a))), ("-(a)", .negative(a)),
            ("-a ** b", .arithmetic(.negative(a), .toThePower, b)),
            ("a ** -b", .arithmetic(a, .toThePower, .negative(b))),
            ("-a + b", sum(.negative(a), b)), ("-5", number(-5)), ("-(5)", .negative(number(5))),
            ("- 5", .negative(number(5))), ("--5", .negative(number(-5))),
            ("a-1", .arithmetic(a, .minus, number(1))), ("a -1", .arithmetic(a, .minus, number(1))),
            ("a - -1", .arithmetic(a, .minus, number(-1))), ("a--1", .arithmetic(a, .minus, number(-1))),
            ("a*-b", .arithmetic(a, .times, .negative(b))), ("-a[0]", .negative(.element(a, .at(number(0))))),
            ("-a.b", .negative(.field("a.b"))), ("-$x", .negative(.variable("x"))),
        ] as [(String, Expression)])
    func arithmetic(text: String, expected: Expression) throws {
        #expect(try Filter("\(text) == 1").left == expected)
        #expect(try Filter("1 == \(text)").right == expected)
        #expect(try Filter("(\(text)) == 1 AND TRUEPREDICATE") == .and([expected == 1, .constant(true)]))
        #expect(try Filter("NOT(\(text)=={\(text),'x'})") == !(expected == .list([expected, .constant(.string("x"))])))
        #expect(try Filter("ANY \(text) == 1").left == expected)
        #expect(try Filter("x[\(text)] == 1").left == .element(.field("x"), .at(expected)))
        #expect(try Filter("1 == \(expected)").right == expected)
    }

    @Test(
        "Paths are one name with dots, with any space in them",
        arguments: [
            ("list.owner.city", .field("list.owner.city")), ("list . owner .city", .field("list.owner.city")),
            ("SELF.a.b", .field("a.b")), ("self.a", .field("a")), ("SELF", .field("recordID")),
            ("SELF.SIZE", .field("SIZE")), ("#SELF", .field("SELF")), ("#self.a", .field("self.a")),
            ("a.#in.b", .field("a.in.b")), ("#in.#not", .field("in.not")), ("a.size", .field("a.size")),
            ("a.first.last", .field("a.first.last")), ("tags.@count", .field("tags.@count")),
            ("a.@sum.b", .field("a.@sum.b")), ("a.@avg.b.c", .field("a.@avg.b.c")), ("a.@min", .field("a.@min")),
            ("a.@max.SELF", .field("a.@max.SELF")), ("a.@max.self", .field("a.@max.SELF")),
            ("a.b.@count", .field("a.b.@count")), ("tokenMatches", .field("tokenMatches")),
            ("allTokens", .field("allTokens")), ("allTokens.a", .field("allTokens.a")),
            ("friends[0].name", .member(.element(.field("friends"), .at(number(0))), "name")),
            ("friends[0].a.b", .member(.element(.field("friends"), .at(number(0))), "a.b")),
            ("friends [ LAST ] . tags.@count", .member(.element(.field("friends"), .last), "tags.@count")),
            ("friends[0].@count", .member(.element(.field("friends"), .at(number(0))), "@count")),
            ("(a).b", .member(a, "b")), ("$x.a", .member(.variable("x"), "a")), ("$x", .variable("x")),
            ("$in", .variable("in")),
        ] as [(String, Expression)])
    func paths(text: String, expected: Expression) throws {
        #expect(try Filter("\(text) == 1").left == expected)
        #expect(try Filter("1 == \(expected)").right == expected)
    }

    @Test(
        "Indexes",
        arguments: [
            ("a[0]", .element(a, .at(number(0)))), ("a [ 0 ]", .element(a, .at(number(0)))),
            ("a[b]", .element(a, .at(b))), ("a[b + 1]", .element(a, .at(sum(b, number(1))))),
            ("a[FIRST]", .element(a, .first)), ("a[ last ]", .element(a, .last)), ("a[Size]", .element(a, .size)),
            ("a[#first]", .element(a, .at(.field("first")))), ("a[(last)]", .element(a, .at(.field("last")))),
            ("a[size + 1]", .element(a, .at(sum(.field("size"), number(1))))),
            ("a[0][1]", .element(.element(a, .at(number(0))), .at(number(1)))),
            ("a.b[0]", .element(.field("a.b"), .at(number(0)))),
            ("a[b[0]]", .element(a, .at(.element(b, .at(number(0)))))),
            ("{1, 2}[0]", .element(.constant(.list(.int64([1, 2]))), .at(number(0)))),
            ("(a + b)[0]", .element(sum(a, b), .at(number(0)))), ("$x[0]", .element(.variable("x"), .at(number(0)))),
            ("a[0] + b[1]", sum(.element(a, .at(number(0))), .element(b, .at(number(1))))),
        ] as [(String, Expression)])
    func indexes(text: String, expected: Expression) throws {
        #expect(try Filter("\(text) == 1").left == expected)
        #expect(try Filter("1 == \(expected)").right == expected)
    }

    @Test("An index after an option's brackets, and options after an index")
    func brackets() throws {
        let element = Expression.element(Self.b, .at(Self.number(0)))
        let expected = Filter.comparison(Filter.Comparison(element, .equal, element, options: .caseInsensitive))
        #expect(try Filter("b[0] ==[c] b[0]") == expected)
        #expect(try Filter("b[0]==[c]b[0]") == expected)
    }

    @Test("%K inserts a path unchanged, and steps may follow it")
    func keys() throws {
        #expect(try Filter("%K == 1", "list.in.name").left == .field("list.in.name"))
        #expect(try Filter("%K == 1", "tags.@count").left == .field("tags.@count"))
        #expect(try Filter("%K == 1", "SELF").left == .field("SELF"))
        #expect(try Filter("%K.name == 1", "list").left == .field("list.name"))
        #expect(
            try Filter("%K[0].name == 1", "a.b").left == .member(.element(.field("a.b"), .at(Self.number(0))), "name"))
        #expect(try Filter("%K TOKENMATCHES 'x'", "allTokens").left == .field("allTokens"))
    }

    @Test(
        "A search for words, in CloudKit's spellings",
        arguments: [
            "self CONTAINS 'milk bread'", "SELF CONTAINS 'milk bread'", "SELF CONTAINS[cd] 'milk bread'",
            "SELF contains [CDL] 'milk bread'", "(SELF) CONTAINS 'milk bread'", "SELF TOKENMATCHES 'milk bread'",
            "allTokens TOKENMATCHES[cdl] 'milk bread'", "allTokens tokenMatches 'milk bread'",
            "allTokens TOKENMATCHES('milk bread')", "SELF CONTAINS tokenize:using:('milk bread', 'cdl')",
            "allTokens TOKENMATCHES[l] tokenize:using: (\"milk bread\", \"cdl\")",
        ])
    func search(text: String) throws {
        let expected = Filter.comparison(
            Filter.Comparison(.searchableText, .tokenMatches, .constant(.string("milk bread"))))
        #expect(try Filter(text) == expected)
        #expect(try Filter("NOT \(text) AND a == 1") == .and([!expected, Self.a == 1]))
        #expect(expected.description == "SELF CONTAINS 'milk bread'")
    }

    @Test(
        "A search as people write it, of all searchable text and of a field called search",
        arguments: ["SELF SEARCH 'anvil rop'", "self search[cd] 'anvil rop'", "allTokens SEARCH %@"])
    func searchText(text: String) throws {
        let filter = try text.hasSuffix("%@") ? Filter(text, "anvil rop") : Filter(text)
        #expect(filter == .search("anvil rop"))
        #expect(filter.description == "SELF SEARCH 'anvil rop'")
        #expect(
            try Filter("search SEARCH 'x' AND #allTokens search 'y'").description
                == "search SEARCH 'x' AND #allTokens SEARCH 'y'")
        #expect(try Filter("search SEARCH 'x'") == Expression.field("search").search("x"))
    }

    @Test("A search in one field, and a comparison that resembles a search")
    func words() throws {
        let field = Filter.comparison(Filter.Comparison(Self.a, .tokenMatches, .constant(.string("x"))))
        #expect(try Filter("a TOKENMATCHES 'x'") == field)
        #expect(try Filter("a tokenmatches[cd]tokenize:using:(%@, 'cdl')", "x") == field)
        #expect(try Filter("#allTokens TOKENMATCHES 'x'").left == .field("allTokens"))
        #expect(try Filter("allTokens CONTAINS 'x'") == Expression.field("allTokens").contains("x"))
        #expect(try Filter("recordID CONTAINS 'x'") == Expression.field("recordID").contains("x"))
        #expect(try Filter("SELF IN %@", ["x"]).left == .field("recordID"))
        #expect(try Filter("ANY SELF CONTAINS 'x'").left == .searchableText)
        #expect(
            try Filter("a == tokenMatches AND a TOKENMATCHES tokenMatches").description
                == "a == tokenMatches AND a TOKENMATCHES tokenMatches")
    }

    @Test("A distance between two locations, each of any kind")
    func distance() throws {
        let place = Location(latitude: 1, longitude: 2)
        let filter = try Filter("distanceToLocation:fromLocation:(a, %@) < 500", place)
        #expect(filter == (Expression.distance(Self.a, .value(place)) < 500))
        let other = try Filter("distanceToLocation:fromLocation: ( list.place , b[0] ) / 1000 < 2")
        let distance = Expression.distance(.field("list.place"), .element(Self.b, .at(Self.number(0))))
        #expect(other == (Expression.arithmetic(distance, .dividedBy, Self.number(1000)) < 2))
        #expect(try Filter(other.description) == other)
    }

    @Test("Records, their IDs and references are arguments, and lists of them")
    func references() throws {
        let list = Record(recordType: "Lists", recordID: RecordID(recordName: "groceries"))
        let other = Record(recordType: "Lists")
        let reference = Reference(recordID: list.recordID, action: .none)
        #expect(try Filter("list == %@", list).right == .constant(.reference(reference)))
        #expect(try Filter("list == %@", list.recordID).right == .constant(.reference(reference)))
        #expect(
            try Filter("list IN %@", [list, other]).right
                == (try Filter("list IN %@", [list.recordID, other.recordID]).right))
        #expect(try Filter("list IN %@", [reference]).right == .constant(.list(.reference([reference]))))
        #expect(try Filter("list IN {%@, %@}", list, other).right == (try Filter("list IN %@", [list, other]).right))
        #expect(try Filter("list IN %@", [Record]()).right == .list([]))
        #expect(try Filter("%@.name == 'x'", list).left == .member(.constant(.reference(reference)), "name"))
        #expect(
            try Filter(format: "list == %@ AND a == %d", arguments: [list, 5])
                == .and([.field("list") == list, Self.a == 5]))
        expectInvalidArguments { try Filter("a == %d", list) }
    }
}
