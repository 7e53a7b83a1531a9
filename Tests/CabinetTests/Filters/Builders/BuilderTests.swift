import Cabinet
import Foundation
import Testing

@Suite("Builders: filters written in Swift read well and compile")
struct BuilderTests {
    let reference = Reference(recordID: RecordID(recordName: "list"), action: .deleteSelf)

    @Test("The spellings of the documentation compile where a filter is expected")
    func spellings() {
        let text: String? = nil
        let date = Date()
        let queries = [
            Query(recordType: "Items", filter: .field("list") == reference),
            Query(recordType: "Items", filter: .field("number") > 3 && .field("list") == reference),
            Query(recordType: "Items", filter: .field("name").beginsWith("M")),
            Query(recordType: "Items", filter: !(.field("number") > 3)),
            Query(recordType: "Items", filter: !.field("name").beginsWith("M")),
            Query(recordType: "Items", filter: .field("x") == nil || .field("x") != text),
            Query(recordType: "Items", filter: .field("tags").contains("x") && .field("status").isIn(["a", "b"])),
            Query(recordType: "Items", filter: .field("number").isBetween(1, 5) && .field("at").isBetween(date, date)),
            Query(recordType: "Items", filter: .field("number") < .field("stock")),
            Query(recordType: "Items", filter: .value("urgent").isIn(.field("tags"))),
            Query(recordType: "Items", filter: .field("done") == true && .field("price") >= 1.5 && .field("a") <= -1),
        ]
        #expect(queries.count == 11)

        let filter: Filter = .field("number") > 3 && .field("list") == reference && .field("a") == .field("b")
        let long: Filter =
            (.field("a") == 1 || .field("b") == "x" || .field("c") >= 2.5) && !(.field("d") != nil)
            && .field("e").beginsWith("M") && (.field("f") < 3 || .field("g") <= date)
        #expect(filter != long)
    }

    @Test("Builders and format strings give the same tree")
    func sameTrees() throws {
        let date = Date()
        let cases: [(Filter, Filter)] = [
            (.field("a") == 1, try Filter("a == 1")), (.field("a") != 1, try Filter("a != 1")),
            (.field("a") < 1.5, try Filter("a < 1.5")), (.field("a") <= 1, try Filter("a <= 1")),
            (.field("a") > date, try Filter("a > %@", date)), (.field("a") >= "x", try Filter("a >= 'x'")),
            (.field("a") == nil, try Filter("a == NIL")), (.field("a") == true, try Filter("a == YES")),
            (.field("a") < .field("b"), try Filter("a < b")),
            (.field("list") == reference, try Filter("list == %@", reference)),
            (.field("a").beginsWith("M"), try Filter("a BEGINSWITH 'M'")),
            (.field("a").beginsWith(.field("b")), try Filter("a BEGINSWITH b")),
            (.field("a").contains("M"), try Filter("a CONTAINS 'M'")),
            (.field("a").contains(.field("b")), try Filter("a CONTAINS b")),
            (.field("a").isIn(["x", "y"]), try Filter("a IN {'x', 'y'}")),
            (.field("a").isIn([1, 2]), try Filter("a IN %@", [1, 2])),
            (.field("a").isIn([Int]()), try Filter("a IN {}")),
            (.field("a").isIn([Int]()), try Filter("a IN %@", [String]())),
            (.field("list").isIn([reference]), try Filter("list IN %@", [reference])),
            (.value("x").isIn(.field("b")), try Filter("'x' IN b")), (.value(3) < .field("a"), try Filter("3 < a")),
            (.field("a").isBetween(1, 5), try Filter("a BETWEEN {1, 5}")),
            (.field("a").isBetween(1, 5.5), try Filter("a BETWEEN {1, 5.5}")),
            (.field("a").isBetween(.field("b"), .value(5)), try Filter("a BETWEEN {b, 5}")),
            (.field("a") == [1, 2], try Filter("a == {1, 2}")),
            (!(.field("a") == 1), try Filter("NOT a == 1")),
            (.field("a").beginsWith("M", options: [.caseInsensitive]), try Filter("a BEGINSWITH[c] 'M'")),
            (.field("a").endsWith("M"), try Filter("a ENDSWITH 'M'")),
            (.field("a").endsWith(.field("b"), options: [.diacriticInsensitive]), try Filter("a ENDSWITH[d] b")),
            (.field("a").like("*M?"), try Filter("a LIKE '*M?'")),
            (.field("a").matches("M+", options: [.caseInsensitive]), try Filter("a MATCHES[c] 'M+'")),
            (.field("a").contains("M", options: [.caseInsensitive]), try Filter("a CONTAINS[c] 'M'")),
            (.field("a").isIn(["x"], options: [.caseInsensitive]), try Filter("a IN[c] {'x'}")),
            (.field("a").compared(.equal, to: "x", options: [.caseInsensitive]), try Filter("a ==[c] 'x'")),
            (.field("a").compared(.lessThan, to: 5), try Filter("a < 5")),
            (.field("a").compared(.like, to: .field("b"), options: []), try Filter("a LIKE b")),
        ]
        for (built, parsed) in cases { #expect(built == parsed) }
    }

    @Test("Quantified builders and format strings give the same tree")
    func quantifiers() throws {
        let query = Query(recordType: "Items", filter: .any("tags") == "x" && !.none("tags").like("a*"))
        #expect(query.filter == .and([.any("tags") == "x", !.none("tags").like("a*")]))
        let cases: [(Filter, String)] = [
            (.any("a") == 1, "ANY a == 1"), (.any("a") != 1, "ANY a != 1"), (.all("a") < 1, "ALL a < 1"),
            (.all("a") <= 1, "ALL a <= 1"), (.none("a") > 1, "NONE a > 1"), (.none("a") >= 1, "NONE a >= 1"),
            (.any("a") == .field("b"), "ANY a == b"), (.any("a") != .field("b"), "ANY a != b"),
            (.all("a") < .field("b"), "ALL a < b"), (.all("a") <= .field("b"), "ALL a <= b"),
            (.none("a") > .field("b"), "NONE a > b"), (.none("a") >= .field("b"), "NONE a >= b"),
            (.any("a") == nil, "ANY a == NIL"), (.all("a").isBetween(1, 5), "ALL a BETWEEN {1, 5}"),
            (.none("a").isIn([1, 2]), "NONE a IN {1, 2}"),
            (.any("a").beginsWith("x", options: [.caseInsensitive]), "ANY a BEGINSWITH[c] 'x'"),
            (Filter.Elements(.all, of: .value([1, 2])) < 3, "ALL {1, 2} < 3"),
        ]
        for (built, parsed) in cases { #expect(try built == Filter(parsed)) }
    }

    @Test("Chains are one level, as in format strings")
    func chains() throws {
        let a: Filter = .field("a") == 1
        let b: Filter = .field("b") == 2
        let c: Filter = .field("c") == 3
        #expect((a && b && c) == .and([a, b, c]))
        #expect(try (a && b && c) == Filter("a == 1 AND b == 2 AND c == 3"))
        #expect(try ((a && b) && c) == Filter("(a == 1 AND b == 2) AND c == 3"))
        #expect(try (a && (b && c)) == Filter("a == 1 AND (b == 2 AND c == 3)"))
        #expect(try (a || b || c) == Filter("a == 1 OR b == 2 OR c == 3"))
        #expect(try (a || b && c) == Filter("a == 1 OR b == 2 AND c == 3"))
        #expect(try (!(a || b) && c) == Filter("NOT (a == 1 OR b == 2) AND c == 3"))
    }
}
