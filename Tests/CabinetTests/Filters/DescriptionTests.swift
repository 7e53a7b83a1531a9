import Cabinet
import Foundation
import Testing

@Suite("Description: a format string that parses to the same tree")
struct DescriptionTests {
    @Test("Random trees are restored from their descriptions, and from their coded form")
    func roundTrip() throws {
        var random = RandomFilters(seed: 11)
        for _ in 0..<1_000 {
            let filter = random.filter(depth: 4)
            #expect(try Filter(filter.description) == filter)
        }
    }

    @Test(
        "A filter's description",
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

    @Test("Chains that operators between filters do not make are written with braces")
    func otherTrees() throws {
        let a: Filter = .field("a") == 1
        let cases: [(Filter, String)] = [
            (.and([]), "AND {}"), (.or([]), "OR {}"), (.and([a]), "AND {a == 1}"),
            (.or([.and([a])]), "OR {AND {a == 1}}"), (.and([.and([a, a]), a]), "AND {a == 1 AND a == 1, a == 1}"),
            (.not(.and([])), "NOT (AND {})"), (.and([a, .and([a, a])]), "a == 1 AND (a == 1 AND a == 1)"),
            (.or([.constant(true)]), "OR {TRUEPREDICATE}"),
        ]
        for (filter, description) in cases {
            #expect(filter.description == description)
            #expect(try Filter(description) == filter)
        }
    }

    @Test("Constants without a literal of their own")
    func casts() throws {
        let zoneID = RecordZone.ID(zoneName: "Home")
        let place = Location(latitude: 52.5, longitude: -0.5)
        var accurate = place
        accurate.horizontalAccuracy = 5
        accurate.timestamp = Date(timeIntervalSinceReferenceDate: 0.5)
        let checksum = Asset.Checksum(of: Data())
        let cases: [((any FilterArgument)?, String)] = [
            (Date(timeIntervalSinceReferenceDate: 0.1), "CAST(0.1, 'TIMESTAMP')"),
            (Data([0, 1, 255]), "CAST('AAH/', 'BYTES')"), (Data(), "CAST('', 'BYTES')"),
            (RecordID(recordName: "list"), "CAST('list', 'REFERENCE')"),
            (
                Reference(recordID: RecordID(recordName: "list"), action: .deleteSelf),
                "CAST({'list', 'deleteSelf'}, 'REFERENCE')"
            ),
            (RecordID(recordName: "list", zoneID: zoneID), "CAST({'list', 'none', 'Home'}, 'REFERENCE')"),
            (
                RecordID(recordName: "list", zoneID: RecordZone.ID(zoneName: "Home", ownerName: "_ada")),
                "CAST({'list', 'none', 'Home', '_ada'}, 'REFERENCE')"
            ),
            (place, "CAST({52.5, -0.5}, 'LOCATION')"),
            (accurate, "CAST({52.5, -0.5, NIL, 5.0, NIL, NIL, NIL, CAST(0.5, 'TIMESTAMP')}, 'LOCATION')"),
            (Asset(data: Data([1])), "CAST('AQ==', 'ASSET')"),
            (Asset(StoredAsset(checksum: checksum, size: 0)), "CAST({'\(checksum)', 0}, 'ASSET')"),
            (Double.infinity, "CAST('inf', 'DOUBLE')"), (-Double.infinity, "CAST('-inf', 'DOUBLE')"),
            (Double.nan, "CAST('nan', 'DOUBLE')"), (-Double.nan, "CAST('nan', 'DOUBLE')"),
            ([1, .infinity], "{1.0, CAST('inf', 'DOUBLE')}"),
            ([Data([1])], "{CAST('AQ==', 'BYTES')}"),
        ]
        for (value, description) in cases {
            let filter: Filter = .field("x") == value
            #expect(filter.description == "x == \(description)")
            #expect(try Filter(filter.description) == filter)
        }
        let empty = Filter.Comparison(.field("x"), .in, .constant(.list(.int64([]))))
        #expect(empty.description == "x IN CAST({}, 'LIST<INT64>')")
        let operands = Filter.Comparison(.field("x"), .in, .list([.constant(.int64(1))]))
        #expect(operands.description == "x IN CAST({1}, 'LIST')")
    }

    @Test("Names that are not names in the language are quoted")
    func names() throws {
        let cases: [(Filter, String)] = [
            (.field("my field") == 1, "#'my field' == 1"), (.field("list.it's") == 1, #"#'list.it\'s' == 1"#),
            (.field("1st") == .variable("my limit"), "#'1st' == $'my limit'"), (.field("Größe") == 1, "#'Größe' == 1"),
            (.field("a")[0].member("b c") == 1, "a[0].#'b c' == 1"), (.field("CAST") == 1, "#CAST == 1"),
            (.field("a b.@sum") == .variable(""), "#'a b.@sum' == $''"),
        ]
        for (filter, description) in cases {
            #expect(filter.description == description)
            #expect(try Filter(description) == filter)
        }
    }

    @Test("An error shows values without a literal of their own as people read them")
    func errors() throws {
        let cases: [((any FilterArgument)?, String)] = [
            (Data([1]), "n BEGINSWITH <1 bytes>"), (Double.infinity, "n BEGINSWITH <inf>"),
            (RecordID(recordName: "list"), "n BEGINSWITH <→ list (none)>"),
        ]
        for (value, shown) in cases {
            let filter = Filter.comparison(Filter.Comparison(.field("n"), .beginsWith, .value(value)))
            let error = try #require(throws: CabinetError.self) { try filter.validate(fields: ["n": .string]) }
            #expect(error.message.hasSuffix("The comparison is: \(shown)"))
        }
    }
}
