import Cabinet
import Testing

@Suite("Builders of operands: arithmetic, elements, key paths, distances, words and variables")
struct BuilderOperandTests {
    static let home = Location(latitude: 52.5, longitude: 13.4)

    @Test("A set is a list in the order of its elements, so that equal sets make equal filters")
    func sets() throws {
        let names: Set = ["Milk", "Bread", "Eggs"]
        #expect(try Filter("name IN %@", names) == Filter("name IN {'Bread', 'Eggs', 'Milk'}"))
        #expect(.field("name").isIn(.value(names)) == (try Filter("name IN %@", ["Bread", "Eggs", "Milk"])))
        #expect(try Filter("name IN %@", Set<String>()) == Filter("name IN %@", [String]()))
    }

    @Test("The spellings of the documentation compile where a filter is expected")
    func spellings() {
        let home = Self.home
        let limit = 5
        let queries = [
            Query(recordType: "Items", filter: .field("price") * .field("number") > 100),
            Query(recordType: "Items", filter: 2 * .field("width") + .field("height") <= 90),
            Query(recordType: "Items", filter: -.field("balance") > .field("limit") && .field("a") + 1 == limit),
            Query(recordType: "Items", filter: (.field("a") + 1) * 2 == 6 || .field("b") / 2 - 1 < 3.5),
            Query(recordType: "Items", filter: .field("side").toThePower(2) < 50),
            Query(recordType: "Items", filter: .field("tags")[0] == "new" && .field("tags").count > 2),
            Query(recordType: "Items", filter: .field("tags").first == "a" || .field("tags").last.beginsWith("b")),
            Query(recordType: "Items", filter: .field("friends")[0].member("name") == "Ada"),
            Query(recordType: "Items", filter: .field("place").distance(to: home) < .kilometers(2)),
            Query(recordType: "Items", filter: .field("start").distance(to: .field("end")) >= .meters(500)),
            Query(recordType: "Items", filter: .text("milk bread") && .field("name").matchesTokens("milk")),
            Query(recordType: "Items", filter: .field("price") < .variable("limit")),
            Query(recordType: "Items", filter: .field("list.owner.city").isIn(["Berlin", "Paris"])),
            Query(recordType: "Items", filter: .field("list") == Record(recordType: "Lists")),
        ]
        #expect(queries.count == 14)

        // One expression with every construct, to check that the compiler takes little time.
        let long: Filter =
            .field("price") * .field("number") + .field("fee") > 100 && .field("a") - 1 == .field("b") * 2
            && !(.field("place").distance(to: home) < .kilometers(2) || .field("tags").count >= 3)
            && (.field("x") / 2 + 1.5 < 10 || .field("list.name") == "Groceries") && .text("milk")
        #expect(long.fieldKeys.count == 9)
    }

    @Test("Builders and format strings give the same tree")
    func sameTrees() throws {
        let cases: [(Filter, String)] = [
            (.field("a") + .field("b") > 1, "a + b > 1"), (.field("a") + 1 > 1, "a + 1 > 1"),
            (1 + .field("a") > 1, "1 + a > 1"), (.field("a") - .field("b") > 1, "a - b > 1"),
            (.field("a") - 1 > 1, "a - 1 > 1"), (1 - .field("a") > 1, "1 - a > 1"),
            (.field("a") * .field("b") > 1, "a * b > 1"), (.field("a") * 1.5 > 1, "a * 1.5 > 1"),
            (2 * .field("a") > 1, "2 * a > 1"), (.field("a") / .field("b") > 1, "a / b > 1"),
            (.field("a") / 2 > 1, "a / 2 > 1"), (2 / .field("a") > 1, "2 / a > 1"),
            (.field("a") + .field("b") * 2 == 6, "a + b * 2 == 6"), ((.field("a") + 1) * 2 == 6, "(a + 1) * 2 == 6"),
            (.field("a") - 1 - 2 == 6, "a - 1 - 2 == 6"), (.field("a") - (.field("b") - 2) == 6, "a - (b - 2) == 6"),
            (.field("a").toThePower(2) < 9, "a ** 2 < 9"), (.value(2).toThePower(.field("a")) < 9, "2 ** a < 9"),
            (-.field("a") < 9, "-a < 9"), (-.value(5) < .field("a"), "-5 < a"),
            (-.value(1.5) < .field("a"), "-1.5 < a"),
            (.field("a") < -(.field("b") + 1), "a < -(b + 1)"),
            (.field("tags")[0] == "x", "tags[0] == 'x'"),
            (.field("tags")[.field("i") + 1] == "x", "tags[i + 1] == 'x'"),
            (.field("tags").first == "x", "tags[FIRST] == 'x'"), (.field("tags").last == "x", "tags[LAST] == 'x'"),
            (.field("tags").count > 2, "tags[SIZE] > 2"), (.value([1, 2])[1] == 2, "{1, 2}[1] == 2"),
            (.field("friends")[0].member("name") == "Ada", "friends[0].name == 'Ada'"),
            (.field("friends")[0].member("a").member("b") == "Ada", "friends[0].a.b == 'Ada'"),
            (.field("list").member("name") == "x", "list.name == 'x'"),
            (.field("list.name") == "x", "list.name == 'x'"),
            (.field("tags.@count") > 2, "tags.@count > 2"),
            (.text("milk bread"), "SELF CONTAINS 'milk bread'"),
            (.text("milk bread"), "allTokens TOKENMATCHES[cdl] 'milk bread'"),
            (.field("name").matchesTokens("milk bread"), "name TOKENMATCHES 'milk bread'"),
            (.field("name").matchesTokens(.field("words")), "name TOKENMATCHES words"),
            (.any("names").matchesTokens("milk"), "ANY names TOKENMATCHES 'milk'"),
            (.field("a") < .variable("limit"), "a < $limit"), (.variable("tag").isIn(.field("tags")), "$tag IN tags"),
        ]
        for (built, format) in cases { #expect(try built == Filter(format)) }
    }

    @Test("Distances, and records as values, give the tree of a format string with arguments")
    func arguments() throws {
        let list = Record(recordType: "Lists", recordID: RecordID(recordName: "list"))
        let distance = "distanceToLocation:fromLocation:(place, %@)"
        let cases: [(Filter, Filter)] = [
            (.field("place").distance(to: Self.home) < .kilometers(2), try Filter("\(distance) < 2000.0", Self.home)),
            (.field("place").distance(to: Self.home) < .meters(1.5), try Filter("\(distance) < %f", Self.home, 1.5)),
            (
                .field("a").distance(to: .field("b")) > .meters(0),
                try Filter("distanceToLocation:fromLocation:(a, b) > 0.0")
            ),
            (.field("list") == list, try Filter("list == %@", list)),
            (.field("list") == list, .field("list") == Reference(recordID: list.recordID, action: .none)),
            (.field("list").isIn([list]), try Filter("list IN %@", [list])),
            (.any("lists") == list, try Filter("ANY lists == %@", list)),
        ]
        for (built, parsed) in cases { #expect(built == parsed) }
    }

    @Test("A value that a field cannot hold is refused when the filter is used, also within arithmetic")
    func unstorable() {
        let filter: Filter = .field("a") + UInt64.max > 1
        expectInvalidArguments { try filter.validate(fields: ["a": .int64]) }
        #expect(-Filter.Expression.constant(.int64(.min)) == .negative(.constant(.int64(.min))))
    }
}
