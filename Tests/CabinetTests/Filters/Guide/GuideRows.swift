import Cabinet
import Foundation

/// The rows of the tables in the guide to the operators.
///
/// Their Swift spellings are compiled here.
enum GuideRows {
    /// A filter in both spellings.
    struct Row {
        let built: Filter
        let format: String
        let arguments: [(any FilterArgument)?]
    }

    private static let list = Record(recordType: "Lists")
    private static let home = Location(latitude: 52.5, longitude: 13.4)
    private static let date = Date(timeIntervalSinceReferenceDate: 0)

    static let all: [Row] = [
        // Comparisons
        row(.field("name") == "Milk", "name == 'Milk'"),
        row(.field("name") != "Milk", "name != 'Milk'"),
        row(.field("number") < 3, "number < 3"),
        row(.field("number") <= 3, "number <= 3"),
        row(.field("number") > 3, "number > 3"),
        row(.field("number") >= .field("stock"), "number >= stock"),
        row(.field("due") < date, "due < %@", date),
        row(.field("done") == true, "done == YES"),
        row(.field("due") == nil, "due == NIL"),
        row(.field("number").isBetween(1, 5), "number BETWEEN {1, 5}"),
        row(.field("list") == list, "list == %@", list),
        row(.field("list").isIn([list]), "list IN %@", [list]),
        // Logic
        row(.field("number") > 3 && .field("done") == false, "number > 3 AND done == NO"),
        row(.field("number") > 3 || .field("done") == false, "number > 3 OR done == NO"),
        row(!(.field("number") > 3), "NOT number > 3"),
        row(.constant(true), "TRUEPREDICATE"),
        row(.constant(false), "FALSEPREDICATE"),
        row(.and([.field("number") > 3]), "AND {number > 3}"),
        row(.or([]), "OR {}"),
        // Text
        row(.field("name").beginsWith("M"), "name BEGINSWITH 'M'"),
        row(.field("name").endsWith("lk"), "name ENDSWITH 'lk'"),
        row(.field("name").contains("il"), "name CONTAINS 'il'"),
        row(.value("il").isIn(.field("name")), "'il' IN name"),
        row(.field("name").like("M?l*"), "name LIKE 'M?l*'"),
        row(.field("name").matches("[A-Z].*"), "name MATCHES '[A-Z].*'"),
        row(.field("name").beginsWith("m", options: .caseInsensitive), "name BEGINSWITH[c] 'm'"),
        row(
            .field("name").compared(.equal, to: "creme", options: [.caseInsensitive, .diacriticInsensitive]),
            "name ==[cd] 'creme'"),
        // Words
        row(.text("milk bread"), "SELF CONTAINS 'milk bread'"),
        row(.text("milk bread"), "allTokens TOKENMATCHES[cdl] 'milk bread'"),
        row(.text("milk") && .text("bread"), "SELF CONTAINS 'milk' AND SELF CONTAINS 'bread'"),
        row(.field("name").matchesTokens("milk bread"), "name TOKENMATCHES 'milk bread'"),
        row(.search("milk bre"), "SELF SEARCH 'milk bre'"),
        row(.field("name").search("milk bre"), "name SEARCH 'milk bre'"),
        row(.search("\"fresh milk\" bread "), "allTokens SEARCH '\"fresh milk\" bread '"),
        row(
            .referring("Items", by: "list", where: .search("milk bre")) > 0,
            "SUBQUERY(Items.list, $item, $item SEARCH 'milk bre').@count > 0"),
        // Lists
        row(.field("name").isIn(["Milk", "Bread"]), "name IN {'Milk', 'Bread'}"),
        row(.field("tags").contains("cold"), "tags CONTAINS 'cold'"),
        row(.value("cold").isIn(.field("tags")), "'cold' IN tags"),
        row(.field("tags") == ["cold", "new"], "tags == {'cold', 'new'}"),
        row(.any("tags") == "cold", "ANY tags == 'cold'"),
        row(.all("prices") < 5, "ALL prices < 5"),
        row(.none("tags").beginsWith("old"), "NONE tags BEGINSWITH 'old'"),
        row(.field("tags")[0] == "cold", "tags[0] == 'cold'"),
        row(.field("tags")[.field("number")] == "cold", "tags[number] == 'cold'"),
        row(.field("tags").first == "cold", "tags[FIRST] == 'cold'"),
        row(.field("tags").last == "cold", "tags[LAST] == 'cold'"),
        row(.field("tags").count > 2, "tags[SIZE] > 2"),
        row(.field("prices.@sum") < 100, "prices.@sum < 100"),
        // Key paths through references
        row(.field("list.name") == "Groceries", "list.name == 'Groceries'"),
        row(.field("list.owner.city").isIn(["Rome", "Oslo"]), "list.owner.city IN {'Rome', 'Oslo'}"),
        row(.field("list.creationDate") > date, "list.creationDate > %@", date),
        row(.field("parent.name") == "Groceries", "parent.name == 'Groceries'"),
        row(.any("friends.name") == "Ada", "ANY friends.name == 'Ada'"),
        row(.field("friends")[0].member("name") == "Ada", "friends[0].name == 'Ada'"),
        row(.field("friends.@avg.age") > 30, "friends.@avg.age > 30"),
        row(.field("friends.@count") == 0, "friends.@count == 0"),
        // JSON
        row(.field("address.@string.city") == "Rome", "address.@string.city == 'Rome'"),
        row(.field("order.@int64.lines.0.number") > 3, "order.@int64.lines.0.number > 3"),
        row(.field("order.@double.total").isBetween(10, 20.5), "order.@double.total BETWEEN {10, 20.5}"),
        row(.field("order.@int64.isPaid") == false, "order.@int64.isPaid == NO"),
        row(.field("order.@timestamp.due") < date, "order.@timestamp.due < %@", date),
        row(.field("list.address.@string.city") == "Rome", "list.address.@string.city == 'Rome'"),
        row(.any("lines.@double.price") > 5, "ANY lines.@double.price > 5"),
        row(.field("order.@string.my name") == nil, "#'order.@string.my name' == NIL"),
        // Records that refer to the record
        row(.referring("Items", by: "list") == 0, "SUBQUERY(Items.list, $item, TRUEPREDICATE).@count == 0"),
        row(
            .referring("Items", by: "list", where: .field("done") == false) > 0,
            "SUBQUERY(Items.list, $item, $item.done == NO).@count > 0"),
        row(.referring("Notes", by: "parent") > 3, "SUBQUERY(Notes.parent, $note, TRUEPREDICATE).@count > 3"),
        // Arithmetic
        row(.field("price") * .field("number") > 100, "price * number > 100"),
        row((.field("a") + 1) * 2 == 6, "(a + 1) * 2 == 6"),
        row(.field("price") / 2 < 5, "price / 2 < 5"),
        row(.field("stock") - .field("number") >= 0, "stock - number >= 0"),
        row(.field("side").toThePower(2) < 50, "side ** 2 < 50"),
        row(-.field("balance") > .field("limit"), "-balance > limit"),
        // Distances
        row(
            .field("place").distance(to: home) < .kilometers(2), "distanceToLocation:fromLocation:(place, %@) < 2000.0",
            home),
        row(
            .field("start").distance(to: .field("end")) >= .meters(500),
            "distanceToLocation:fromLocation:(start, end) >= 500.0"),
        // Values
        row(
            .field("due") < Date(timeIntervalSinceReferenceDate: 694_224_000), "due < CAST(694224000.0, 'TIMESTAMP')"),
        row(.field("data") == Data([0, 1, 2]), "data == CAST('AAEC', 'BYTES')"),
        row(.field("list") == RecordID(recordName: "groceries"), "list == CAST('groceries', 'REFERENCE')"),
        row(
            .field("list") == Reference(recordID: RecordID(recordName: "groceries"), action: .deleteSelf),
            "list == CAST({'groceries', 'deleteSelf'}, 'REFERENCE')"),
        row(
            .field("list") == RecordID(recordName: "groceries", zoneID: RecordZone.ID(zoneName: "Home")),
            "list == CAST({'groceries', 'none', 'Home'}, 'REFERENCE')"),
        row(
            .field("place") == Location(latitude: 52.5, longitude: 13.4),
            "place == CAST({52.5, 13.4}, 'LOCATION')"),
        row(
            .field("place") == Location(latitude: 52.5, longitude: 13.4, horizontalAccuracy: 5),
            "place == CAST({52.5, 13.4, NIL, 5.0}, 'LOCATION')"),
        row(.field("price") < Double.infinity, "price < CAST('inf', 'DOUBLE')"),
        // Names
        row(.field("size") > 3, "#size > 3"),
        row(.field("my field") > 3, "#'my field' > 3"),
        row(.field("price") < .variable("limit"), "price < $limit"),
        row(.field("price") < .variable("my limit"), "price < $'my limit'"),
    ]

    private static func row(_ built: Filter, _ format: String, _ arguments: (any FilterArgument)?...) -> Row {
        Row(built: built, format: format, arguments: arguments)
    }
}
