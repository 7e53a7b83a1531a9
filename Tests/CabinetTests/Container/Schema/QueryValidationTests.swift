import Cabinet
import Foundation
import Testing

@Suite("Queries against a schema")
struct QueryValidationTests {
    static let schema = Schema(recordTypes: [
        "Items": .init(fields: [
            "stage": .init(.string), "number": .init(.int64), "price": .init(.double), "list": .init(.reference),
            "due": .init(.timestamp), "data": .init(.bytes), "place": .init(.location), "photo": .init(.asset),
            "tags": .init(.list(of: .string)), "prices": .init(.list(of: .double)),
            "friends": .init(.list(of: .reference)), "modificationDate": .init(.timestamp, .sortable),
        ]),
        "Lists": .init(fields: ["name": .init(.string), "budget": .init(.double), "stage": .init(.int64)]),
    ])

    private func validate(_ format: String, _ arguments: (any FilterArgument)?...) throws {
        try Query(recordType: "Items", filter: try Filter(format: format, arguments: arguments))
            .validate(against: Self.schema)
    }

    @Test(
        "Known names and right kinds are valid",
        arguments: [
            "stage == 'new'", "stage == NIL", "NIL != number", "number == 2.5", "price > 2", "price BETWEEN {1, 2.5}",
            "stage IN {'a', NIL}", "number IN {1, 2.5}", "tags CONTAINS 'x'", "stage CONTAINS 'x'", "'x' IN tags",
            "stage IN 'a b'", "ANY tags == 'x'", "NONE prices > 3", "tags == {'a', 'b'}", "tags == {}", "tags != NIL",
            "tags.@count > 1", "prices.@sum * 2 > price", "list.name == 'x'", "list.budget > number",
            "friends.name CONTAINS 'x'", "friends[0].name == stage", "tags[SIZE] == 2",
            "list.creatorUserRecordID == NIL",
            "creationDate == modificationDate", "recordID == list", "photo == NIL", "SELF CONTAINS 'milk'",
            "number == YES", "list.stage == 'x'", "list.stage == 1", "list == parent", "number == price",
            "ANY {1, number} == 2", "stage == 'a' OR NOT (number == 1 AND stage LIKE 'b*')", "TRUEPREDICATE",
        ])
    func valid(format: String) throws {
        try validate(format)
    }

    @Test(
        "Unknown names are refused with the nearest one",
        arguments: [
            ("stgae == 'new'", "There is no field 'stgae' in Items. Did you mean 'stage'?", "stgae"),
            ("Stage == 'new'", "There is no field 'Stage' in Items. Did you mean 'stage'?", "Stage"),
            ("number > 1 AND NOT (prise > 1)", "There is no field 'prise' in Items. Did you mean 'price'?", "prise"),
            (
                "createDate == NIL", "There is no field 'createDate' in Items. Did you mean 'creationDate'?",
                "createDate"
            ),
            ("recordName == 'x'", "There is no field 'recordName' in Items. Did you mean 'recordID'?", "recordName"),
            ("ANY tgas == 'x'", "There is no field 'tgas' in Items. Did you mean 'tags'?", "tgas"),
            (
                "list.nmae == 'x'",
                "There is no field 'nmae' in any record type, as in 'list.nmae'. Did you mean 'name'?",
                "list.nmae"
            ),
            (
                "lits.name == 'x'", "There is no field 'lits' in Items, as in 'lits.name'. Did you mean 'list'?",
                "lits.name"
            ),
            (
                "friends[0].nmae == 'x'", "There is no field 'nmae' in any record type. Did you mean 'name'?", "nmae"
            ),
            (
                "colour == 'x'",
                "There is no field 'colour' in Items. The fields are: data, due, friends, list, number, photo, place, price, prices, stage, and 1 more.",
                "colour"
            ),
        ])
    func unknown(format: String, message: String, key: String) {
        let error = #expect(throws: CabinetError.self) { try validate(format) }
        #expect(error?.code == .invalidArguments)
        #expect(error?.message == message)
        #expect(error?.fieldKey == key)
    }

    @Test(
        "Values of another kind are refused, and the expected kind is named",
        arguments: [
            (
                "stage == 3",
                "'==' compares values of one kind; the field 'stage' is of type STRING, and the value 3 is of type INT64. Expected STRING."
            ),
            ("3 != stage", "the field 'stage' is of type STRING, and the value 3 is of type INT64. Expected STRING."),
            ("stage > 3", "Expected STRING."), ("number == 'x'", "Expected INT64."),
            ("price < 'x'", "Expected DOUBLE."),
            ("number IN {1, 'x'}", "the value 'x' is of type STRING. Expected INT64."),
            ("number IN {'x', 'y'}", "an element of the value {'x', 'y'} is of type STRING. Expected INT64."),
            ("number IN 'x'", "the value 'x' is of type STRING. Expected INT64."),
            ("price BETWEEN {'a', 'b'}", "is of type STRING. Expected DOUBLE."),
            ("stage BETWEEN {'a', 3}", "the value 3 is of type INT64. Expected STRING."),
            ("tags CONTAINS 3", "an element of the field 'tags' is of type STRING, and the value 3 is of type INT64."),
            ("stage CONTAINS 3", "Expected STRING."), ("3 IN tags", "Expected STRING."),
            ("ANY prices == 'x'", "an element of the field 'prices' is of type DOUBLE"),
            ("tags == 'x'", "Expected LIST<STRING>; for an element of the list, use CONTAINS."),
            ("stage == {'x', 'y'}", "Expected STRING; for one of several values, use IN."),
            ("tags == prices", "Expected LIST<STRING>."), ("tags IN {'x', 'y'}", "Expected LIST<STRING>"),
            (
                "list == 'x'",
                "Expected REFERENCE; compare with a record, its ID, or a Reference; in a text, CAST('x', 'REFERENCE')."
            ),
            ("recordID == 'x'", "in a text, CAST('x', 'REFERENCE')."),
            ("list IN {'x', 'y'}", "in a text, CAST('x', 'REFERENCE')."),
            ("due > 3", "Expected TIMESTAMP; compare with a Date."), ("due == '2026-01-01'", "compare with a Date."),
            ("data == 'x'", "Expected BYTES."), ("place == 'x'", "Expected LOCATION."),
            ("list.name == 3", "the path 'list.name' is of type STRING"), ("number == stage", "Expected INT64."),
            ("number + 1 == stage", "the value of number + 1 is of type INT64"), ("list.budget == tags[0]", "Expected"),
            ("tags.@count == 'x'", "Expected INT64."),
        ])
    func kinds(format: String, end: String) {
        let error = #expect(throws: CabinetError.self) { try validate(format) }
        #expect(error?.code == .invalidArguments)
        #expect(error?.message.contains(end) == true, "\(error?.message ?? "")")
        #expect(error?.message.contains(" The comparison is: ") == true)
    }

    @Test("Arguments are checked as literals are")
    func arguments() throws {
        let reference = Reference(recordID: RecordID(recordName: "a"), action: .none)
        try validate("list == %@ AND due < %@ AND data == %@", reference, Date(), Data([1]))
        try validate("friends CONTAINS %@ AND list IN %@", reference, [reference])
        for (format, argument) in [
            ("stage == %@", reference), ("list == %@", "a"), ("due == %@", 3), ("stage == %@", Date()),
            ("tags == %@", [1]),
            ("list IN %@", ["a"]),
        ] as [(String, any FilterArgument)] {
            expectInvalidArguments { try validate(format, argument) }
        }
        try validate("tags == %@", [String]())
    }

    @Test("A query that is refused without a schema is refused with one")
    func otherMistakes() {
        for format in [
            "number CONTAINS 'x'", "place > NIL", "$x == 1", "stage MATCHES '('", "photo == stage", "stage.name == 1",
        ] {
            expectInvalidArguments { try validate(format) }
        }
        var deep = Filter.constant(true)
        for _ in 0..<200 { deep = .not(.and([deep, .constant(false)])) }
        expectInvalidArguments { try Query(recordType: "Items", filter: deep).validate(against: Self.schema) }
    }

    @Test("Record types, sort keys and desired keys are checked")
    func otherParts() throws {
        func message(_ query: Query, _ keys: [String]? = nil) -> String? {
            #expect(throws: CabinetError.self) { try query.validate(against: Self.schema, desiredKeys: keys) }?.message
        }
        #expect(
            message(Query(recordType: "Itmes")) == "There is no record type 'Itmes'. Did you mean 'Items'?")
        #expect(
            message(Query(recordType: "Notes"))
                == "There is no record type 'Notes'. The record types are: Items, Lists.")
        #expect(
            message(Query(recordType: "User")) == "There is no record type 'User'. The record types are: Items, Lists.")
        #expect(message(Query(recordType: "Users"))?.contains("cannot be queried") == true)
        #expect(
            message(Query(recordType: "Items", sortedBy: [Sort("stage"), Sort("prcie")]))
                == "There is no field 'prcie' in Items. Did you mean 'price'?")
        #expect(
            message(Query(recordType: "Items", sortedBy: [Sort("list.nam")]))?.contains("Did you mean 'name'?") == true)
        #expect(message(Query(recordType: "Items", sortedBy: [Sort("place")]))?.contains("have no order") == true)
        #expect(
            message(Query(recordType: "Items"), ["stage", "budget"])?.hasPrefix("There is no field 'budget' in Items.")
                == true)
        #expect(message(Query(recordType: "Items"), ["list.name"]) != nil)
        let query = Query(
            recordType: "Items",
            sortedBy: [
                Sort("list.name"), Sort("modificationDate"),
                Sort("place", distanceFrom: Location(latitude: 1, longitude: 2)),
            ])
        try query.validate(
            against: Self.schema, desiredKeys: ["stage", "creationDate", "recordType", "share", "modificationDate"])
        try query.validate(against: Self.schema, desiredKeys: [])
        let empty = Query(recordType: "Items").validate
        expectInvalidArguments { try empty(Schema(), nil) }
    }

    @Test("A long name is shortened in the message")
    func longNames() {
        let name = String(repeating: "x", count: 1_000_000)
        let error = #expect(throws: CabinetError.self) {
            try Query(recordType: "Items", filter: .field(name) == 1).validate(against: Self.schema)
        }
        #expect(error?.message.utf8.count ?? .max < 400)
    }
}
