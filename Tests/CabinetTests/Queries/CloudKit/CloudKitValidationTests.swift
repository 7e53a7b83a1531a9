import Cabinet
import Foundation
import Testing

@Suite("CloudKit's own service: accepted filters, and the refused part of others")
struct CloudKitValidationTests {
    static let fields: FieldTypes = [
        "name": .string, "n": .int64, "tags": .list(of: .string), "list": .reference, "lists": .list(of: .reference),
        "place": .location, "at": .timestamp,
    ]
    static let home = Location(latitude: 52.5, longitude: 13.4)
    static let list = Record(recordType: "Lists")

    @Test(
        "Documented filters give no incompatibility, with and without the types of the fields",
        arguments: [
            "TRUEPREDICATE", "FALSEPREDICATE", "n = 1", "n == 1", "n != 1", "n <> 1", "n < 1", "n <= 1", "n =< 1",
            "n > 1", "n >= 1", "n => 1", "1 < n", "n == YES", "name == 'Milk'", "name != 'Milk'", "n BETWEEN {1, 5}",
            "n BETWEEN {1, 5.5}", "n == 1 AND name == 'x'", "n == 1 && name == 'x' && n < 3", "NOT n == 1",
            "!(name == 'x') AND NOT n < 3", "NOT name BEGINSWITH 'M'", "name BEGINSWITH 'M'", "n IN {1, 2}",
            "n IN {1, 2.5}", "n IN {}", "name IN {'a', 'b'}", "tags CONTAINS 'x'", "'x' IN tags", "ANY tags = 'x'",
            "SOME tags == 'x'", "ANY {'a', 'b'} = name", "ANY tags BEGINSWITH 'r'", "NOT tags CONTAINS 'x'",
            "ANY tags IN {'a', 'b'}", "SOME tags IN {'a'}", "NOT ANY tags IN {'a', 'b'}",
        ])
    func accepted(_ format: String) throws {
        let filter = try Filter(format)
        #expect(filter.validateForCloudKit().isEmpty)
        #expect(filter.validateForCloudKit(fields: Self.fields).isEmpty)
    }

    @Test("References, locations, dates and words are accepted in the documented forms")
    func acceptedArguments() {
        let filters: [Filter] = [
            .field("list") == Self.list, .field("list").isIn([Self.list]), .field("lists").contains(Self.list),
            .field("recordID") == Self.list, .field("creatorUserRecordID") == Self.list,
            .field("creationDate") > Date() && .field("at") <= Date(),
            .field("place").distance(to: Self.home) < 2, .field("place").distance(to: Self.home) <= .kilometers(2),
            .value(2) > .field("place").distance(to: Self.home),
            .text("milk bread") && .text("butter"), .text("milk") && .field("n") > 3,
        ]
        for filter in filters {
            #expect(filter.validateForCloudKit().isEmpty, "\(filter)")
            #expect(filter.validateForCloudKit(fields: Self.fields).isEmpty, "\(filter)")
        }
    }

    /// A filter that CloudKit refuses, the part that the incompatibility names, and a word of the reason.
    private static let refused: [(filter: Filter, part: Filter, word: String)] = {
        let n: Filter = .field("n") == 1
        let m: Filter = .field("m") == 2
        let between: Filter = .field("n").isBetween(1, 5)
        let near: Filter = .field("place").distance(to: home) < .kilometers(2)
        let whole: [(Filter, String)] = [
            (n || m, "OR"), (!(n && m), "NOT"), (!between, "BETWEEN"), (!near, "distance"), (!.text("milk"), "words"),
            (.field("name").endsWith("k"), "ENDSWITH"), (.field("name").like("M*"), "LIKE"),
            (.field("name").matches("M.*"), "MATCHES"), (.field("name").matchesTokens("milk"), "SELF CONTAINS"),
            (.search("milk"), "SELF CONTAINS"),
            (.field("name").beginsWith("M", options: .caseInsensitive), "[c]"),
            (.field("name").compared(.equal, to: "milk", options: .caseInsensitive), "ignore case"),
            (.field("name").isIn(["a"], options: .diacriticInsensitive), "[d]"),
            (.all("tags") == "x", "ALL"), (.none("tags") == "x", "NONE"), (.any("tags") < "x", "ANY"),
            (.any("tags").contains("x"), "without ANY"),
            (.field("list.name") == "x", "key path"), (.field("friends")[0].member("name") == "x", "key path"),
            (.field("tags.@count") > 2, "@count"), (.field("name.@string.city") == "x", "JSON"),
            (.field("tags")[0] == "x", "single elements"),
            (.field("tags").count > 2, "counts"), (.field("tags").first == "x", "single elements"),
            (.field("a") + 1 == 2, "arithmetic"), (-.field("a") == 2, "arithmetic"),
            (.field("a") == .variable("x"), "$x"),
            (.field("a") == nil, "nil"), (.field("a") != nil, "nil"), (.field("a").isIn(.value(nil)), "nil"),
            (.field("a") < .field("b"), "no constant"), (.value(1) == 1, "no field"),
            (.field("parent") == list, "parent"), (.field("a") == UInt64.max, "hold"),
            (.field("name").isIn(.value("milk")), "part of a text"),
            (.value("milk").contains(.field("name")), "part of a text"),
            (.value("milk").beginsWith(.field("name")), "left side"),
            (.value(1).isBetween(.field("a"), .field("b")), "lists"),
            (.value([1, 2]).contains(.field("a")), "IN"), (.field("place").distance(to: home) > .kilometers(2), "less"),
            (.field("place").distance(to: .field("b")) < .kilometers(2), "less"),
            (.field("place").distance(to: home) == .kilometers(2), "less"),
            (.field("place").distance(to: home) < .field("n"), "less"),
            (.field("a") == Filter.Expression(list: [.value(1), .field("b")]), "lists"),
        ]
        return whole.map { ($0, $0, $1) } + [
            (n && .field("name").like("M*"), .field("name").like("M*"), "LIKE"),
            (n && .constant(true), .constant(true), "whole"), (!.constant(true), .constant(true), "whole"),
            (n && (n || m), n || m, "OR"), (!(n || m), n || m, "OR"),
            (!.field("name").like("M*"), .field("name").like("M*"), "LIKE"),
            (n && !(n && m), !(n && m), "NOT"),
            (!(.field("place").distance(to: home) > 2), .field("place").distance(to: home) > 2, "less"),
        ]
    }()

    @Test("A filter that CloudKit refuses gives one incompatibility, which names the smallest part and the reason")
    func refused() {
        for (filter, part, word) in Self.refused {
            for fields in [nil, Self.fields] {
                let incompatibilities = filter.validateForCloudKit(fields: fields)
                #expect(incompatibilities.map(\.part) == [.filter(part)], "\(filter)")
                #expect(
                    incompatibilities.allSatisfy { $0.reason.contains(word) && $0.reason.hasSuffix(".") },
                    "\(incompatibilities)")
            }
        }
    }

    @Test("With the types of the fields, CONTAINS on text is distinguished from CONTAINS on a list")
    func types() {
        for filter: Filter in [.field("name").contains("x"), .value("x").isIn(.field("name"))] {
            #expect(filter.validateForCloudKit().isEmpty)
            #expect(filter.validateForCloudKit(fields: Self.fields).map(\.part) == [.filter(filter)])
        }
    }

    @Test("Several parts are named from left to right, those within an OR too")
    func several() {
        let like: Filter = .field("name").like("a*")
        let path: Filter = .field("list.name") == "x"
        let filter = .field("n") == 1 && (like || path)
        #expect(filter.validateForCloudKit().map(\.part) == [.filter(like || path), .filter(like), .filter(path)])
        #expect(filter.validateForCloudKit()[1].description.hasPrefix("name LIKE 'a*': CloudKit takes no LIKE"))
    }

    @Test("Sort keys: a field and a distance are taken; key paths, options and the parent are not")
    func sorting() {
        let good = [Sort("name"), Sort("creationDate", ascending: false), Sort("place", distanceFrom: Self.home)]
        let bad = [Sort("list.name"), Sort("name", options: .numeric), Sort("parent")]
        #expect(Query(recordType: "Items", sortedBy: good).validateForCloudKit().isEmpty)
        let incompatibilities = Query(recordType: "Items", filter: .all("tags") == "x", sortedBy: good + bad)
            .validateForCloudKit(fields: Self.fields)
        #expect(incompatibilities.map(\.part) == [.filter(.all("tags") == "x")] + bad.map { .sort($0) })
        #expect(incompatibilities.last?.description.hasPrefix("sorting by parent: ") == true)
    }
}
