import Testing

@testable import Cabinet

@Suite("The text of counts of referring records")
struct ReferringTextTests {
    /// Texts of filters, for ``FilterTextTests``.
    static let formats = [
        "SUBQUERY(Items.list, $x, TRUEPREDICATE).@count == 0",
        "SUBQUERY(Items.list, $x, $x.a == 1 AND NOT ($x.b.c > 2 OR $x == 'd')).@count * 2 > n",
        "SUBQUERY(Items.list, $x1, $x1.price < $x).@count == 0",
        "SUBQUERY(Items.list, $x, SUBQUERY(Notes.item, $x, $x.d == NIL).@count > 0).@count == 0",
        "SUBQUERY(Items.list, $x, ANY $x.tags BEGINSWITH[c] 'a').@count IN {1, 2}",
        "SUBQUERY(Items.list, $x, $x CONTAINS 'milk bread').@count > 0",
        "SUBQUERY(Items.list, $x, $x SEARCH '\"fresh milk\" br' AND NOT $x.name SEARCH 'a').@count > 0",
        "SUBQUERY(Items.list, $x1, $x1 SEARCH $x OR $x1.allTokens SEARCH 'a').@count > 0",
        "SUBQUERY(Items.list, $x, $x.friends[0].name == 'Ada').@count > 0",
        "SUBQUERY(Items.list, $x, $x.#size == 1 AND $x.#'my field' == 2 AND $x.allTokens == 'a').@count > 0",
        "SUBQUERY(Items.#order, $x, -$x.n < ($x.a + 1) * 2).@count > 0",
        "SUBQUERY(Items.#'my list', $x, AND {$x.a == 1}).@count > 0",
        "-SUBQUERY(Items.list, $x, TRUEPREDICATE).@count < {1, n}[0]",
    ]

    @Test("The variable alone is all words before CONTAINS, TOKENMATCHES and SEARCH")
    func words() throws {
        for (format, filter) in [
            ("$i CONTAINS 'milk'", Filter.text("milk")), ("$i TOKENMATCHES 'milk'", .text("milk")),
            ("$i SEARCH 'milk br'", .search("milk br")),
        ] {
            #expect(
                try Filter("SUBQUERY(Items.list, $i, \(format)).@count == 0")
                    == (.referring("Items", by: "list", where: filter) == 0))
        }
    }

    @Test("Filters with different variables are equal")
    func variable() throws {
        let filter = try Filter("SUBQUERY(Items.list, $item, $item.recordID == 'a' AND $item.n > 3).@count >= 1")
        #expect(
            try filter
                == Filter("subquery ( Items . list , $'x y' , $'x y' == 'a' and $'x y' . n > %d ) . @COUNT >= 1", 3))
        let count = Filter.Expression.referring(
            "Items", by: "list", where: .field("recordID") == "a" && .field("n") > 3)
        #expect(filter == (count >= 1))
        #expect(filter.fieldKeys.isEmpty)
    }

    @Test("A filter within a filter is substituted, simplified, and limited in depth")
    func traversal() throws {
        let filter = try Filter(
            "SUBQUERY(%K, $i, NOT (NOT $i.n < $limit) AND TRUEPREDICATE).@count == $count", "Items.list")
        #expect(filter.variables == ["limit", "count"])
        let simple = filter.substituting(["limit": 3, "count": 0]).simplified()
        #expect(try simple == Filter("SUBQUERY(Items.list, $i, $i.n < 3).@count == 0"))
        var nested: Filter = .constant(true)
        for _ in 0..<200 { nested = Filter.Expression.referring("Items", by: "list", where: nested) > 0 }
        #expect(throws: CabinetError(.invalidArguments)) { try nested.validate(fields: [:]) }
    }

    @Test("CloudKit refuses it, and a filter in memory says what is missing")
    func refusals() throws {
        let filter = Filter.Expression.referring("Items", by: "list") == 0
        #expect(filter.validateForCloudKit().count == 1)
        let query = Query(recordType: "Lists", sortedBy: Sort(countOf: "Items", referringBy: "list"))
        #expect(query.validateForCloudKit().count == 1)
        let error = try #require(throws: CabinetError.self) { try filter.matches(Record(recordType: "Lists")) }
        #expect(error.message.contains("Items"))
    }
}
