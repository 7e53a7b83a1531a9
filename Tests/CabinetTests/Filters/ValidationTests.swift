import Cabinet
import Foundation
import Testing

@Suite("Validation: meaningless filters are refused before any record is read")
struct ValidationTests {
    static let fields: FieldTypes = [
        "s": .string, "n": .int64, "d": .double, "at": .timestamp, "data": .bytes, "ref": .reference,
        "place": .location,
        "file": .asset, "tags": .list(of: .string), "numbers": .list(of: .int64), "files": .list(of: .asset),
    ]

    @Test(
        "Refused, with the reason",
        arguments: [
            ("n BEGINSWITH 'a'", "BEGINSWITH compares text with text; the field 'n' is of type INT64."),
            ("s BEGINSWITH 5", "the value 5 is of type INT64."),
            ("tags BEGINSWITH 'a'", "the field 'tags' is of type LIST<STRING>."),
            ("missing BEGINSWITH 5", "the value 5 is of type INT64."),
            ("recordID BEGINSWITH 'a'", "is of type REFERENCE."),
            (
                "n BETWEEN 5",
                "BETWEEN takes a list of two values, the lower one first, as in {1, 5}; the value 5 is of type INT64."
            ),
            ("n BETWEEN {1, 2, 3}", "the list has 3 elements."), ("n BETWEEN {}", "the list has 0 elements."),
            ("n BETWEEN {1}", "the list has 1 element."),
            ("n BETWEEN s", "the field 's' is of type STRING."), ("ref BETWEEN {1, 2}", "has no order"),
            ("s IN 5", "IN takes a list or text on its right side; the value 5 is of type INT64."),
            ("s IN n", "the field 'n' is of type INT64."), ("s IN YES", "INT64"), ("s IN at", "TIMESTAMP"),
            ("s IN ref", "REFERENCE"),
            ("n CONTAINS 5", "CONTAINS takes a list or text on its left side; the field 'n' is of type INT64."),
            ("5 CONTAINS 5", "the value 5 is of type INT64."), ("creationDate CONTAINS 'x'", "TIMESTAMP"),
            (
                "ref < ref",
                "'<' compares text, numbers, dates and bytes; the field 'ref' is of type REFERENCE, which has no order."
            ),
            ("place >= place", "LOCATION"), ("tags > 'a'", "LIST<STRING>"), ("n <= {1, 2}", "LIST<INT64>"),
            ("file < 5", "ASSET"),
            ("file == 'x'", "An ASSET can be compared with NIL alone, and the field 'file' is of type ASSET."),
            ("file != file", "ASSET"), ("files CONTAINS 'x'", "LIST<ASSET>"), ("file IN {'x'}", "ASSET"),
            ("files == {}", "ASSET"),
            ("n ENDSWITH 'a'", "ENDSWITH compares text with text; the field 'n' is of type INT64."),
            ("n LIKE 'a'", "LIKE compares text with a pattern; the field 'n' is of type INT64."),
            ("s LIKE 5", "the value 5 is of type INT64."), ("tags LIKE[c] 'a'", "LIST<STRING>"),
            ("n MATCHES 'a'", "MATCHES compares text with a regular expression; the field 'n' is of type INT64."),
            ("s MATCHES '(a'", "'(a' is not a regular expression."),
            ("s MATCHES[cd] '*'", "is not a regular expression."),
            ("s MATCHES 'a)|(b'", "'a)|(b' is not a regular expression."),
            ("missing MATCHES '['", "not a regular expression"),
            ("ANY tags MATCHES '['", "not a regular expression"),
            ("ANY n == 5", "ANY takes a list on its left side; the field 'n' is of type INT64."),
            ("SOME s == 'x'", "ANY takes a list"), ("ALL ref == ref", "ALL takes a list"),
            ("NONE creationDate == NIL", "NONE takes a list"), ("ANY 5 == 5", "the value 5 is of type INT64."),
            ("ANY tags < tags", "the field 'tags' is of type LIST<STRING>, which has no order."),
            ("ANY numbers BEGINSWITH 'a'", "an element of the field 'numbers' is of type INT64."),
            ("ALL numbers BETWEEN 5", "BETWEEN takes a list of two values"), ("ALL {} BETWEEN 5", "BETWEEN takes"),
            ("ALL numbers BETWEEN {1, 2, 3}", "the list has 3 elements."), ("ANY numbers CONTAINS 5", "an element of"),
            ("ANY {'a', n} LIKE 'a'", "the field 'n' is of type INT64."), ("ANY tags IN 5", "IN takes a list"),
            ("NONE files == 'x'", "ASSET"), ("s ==[c] file", "ASSET"),
        ])
    func refused(format: String, reason: String) throws {
        let filter = try Filter(format)
        let error = try #require(expectInvalidArguments { try filter.validate(fields: Self.fields) })
        #expect(error.message.contains(reason))
        #expect(error.message.hasSuffix("The comparison is: \(filter)"))
        // An invalid operand is found anywhere in the filter.
        expectInvalidArguments {
            try Filter("FALSEPREDICATE AND NOT (TRUEPREDICATE OR \(format))").validate(fields: Self.fields)
        }
        expectInvalidArguments { try CompiledFilter(filter, fields: Self.fields) }
        expectInvalidArguments {
            try QueryPlan(recordType: "Items", filter: filter, fields: Self.fields)
        }
    }

    @Test(
        "Accepted, though it may never hold",
        arguments: [
            "s == 5", "n < 'a'", "s IN {1, 2}", "5 IN s", "tags CONTAINS 5", "file == NIL", "files != NIL",
            "NIL BEGINSWITH 'a'",
            "missing BETWEEN NIL", "n BETWEEN numbers", "missing IN missing", "place == place", "ref == ref",
            "tags == {1}",
            "n BETWEEN {'a', 5}", "numbers == tags", "data < data", "ANY tags == 5", "ALL missing LIKE 'x'",
            "NONE NIL == 5", "ANY {} == 5", "ANY tags IN {1}", "ALL tags CONTAINS 'x'", "n ==[cd] 5", "s MATCHES NIL",
            "s MATCHES s", "s MATCHES ''", "s LIKE NIL", "NIL ENDSWITH s", "n BETWEEN[c] {1, 2}",
            "ANY numbers BETWEEN numbers",
        ])
    func accepted(format: String) throws {
        try Filter(format).validate(fields: Self.fields)
    }

    @Test("The error names the field")
    func fieldKey() throws {
        let error = expectInvalidArguments { try Filter("n BEGINSWITH 'a'").validate(fields: Self.fields) }
        #expect(error?.fieldKey == "n")
    }

    @Test(
        "A regular expression that is too large exceeds a limit",
        arguments: [
            (String(repeating: "a", count: 2_001), Int.max), (String(repeating: "[ab]", count: 51), .max),
            ("[ab]", 1_000),
        ])
    func largeExpressions(pattern: String, work: Int) throws {
        let filter = try Filter("s MATCHES %@", pattern)
        let error = #expect(throws: CabinetError.self) {
            try WorkMeter.$current.withValue(WorkMeter(limit: work)) { try filter.validate(fields: Self.fields) }
        }
        #expect(error?.code == .limitExceeded && error?.fieldKey == "s")
        #expect(error?.message.contains("The comparison is: s MATCHES") == true)
    }

    @Test("Long operands are shortened in messages")
    func abbreviated() throws {
        let error = expectInvalidArguments {
            try Filter("n BEGINSWITH %@", String(repeating: "x", count: 1_000_000)).validate(fields: Self.fields)
        }
        #expect((error?.message.count ?? .max) < 300)
    }

    @Test("Values that no field can hold are refused when a built filter is used")
    func built() throws {
        let unstorable: Filter = .field("n") == UInt64.max
        #expect(
            expectInvalidArguments { try unstorable.validate(fields: [:]) }?.message.contains("18446744073709551615")
                == true)
        let nested: Filter = .field("n").isBetween(1, UInt64.max)
        expectInvalidArguments { try nested.validate(fields: [:]) }
    }

    @Test("Sorting by an unordered field is refused")
    func sorts() throws {
        for key in ["place", "file", "tags", "numbers"] {
            #expect(expectInvalidArguments { try Sort(key).validate(fields: Self.fields) }?.fieldKey == key)
        }
        expectInvalidArguments { try Sort("ref.name").validate(fields: Self.fields) }
        for key in ["s", "n", "d", "at", "data", "ref", "missing"] + SystemField.allCases.map(\.rawValue) {
            try Sort(key).validate(fields: Self.fields)
        }
    }

    @Test("Plans with a position of another order, or without room, are refused")
    func plans() throws {
        @discardableResult
        func plan(_ values: [FieldValue?], limit: Int = 1) throws -> QueryPlan {
            try QueryPlan(
                recordType: "Items", filter: .constant(true), order: [Sort("n"), Sort("creationDate")],
                position: QueryPosition(values: values, insertionNumber: 1), limit: limit,
                fields: Self.fields)
        }
        try plan([.int64(1), .timestamp(Date())])
        try plan([nil, nil])
        expectInvalidArguments { try plan([]) }
        expectInvalidArguments { try plan([.int64(1)]) }
        expectInvalidArguments { try plan([.int64(1), nil, nil]) }
        expectInvalidArguments { try plan([.string("x"), nil]) }
        expectInvalidArguments {
            try QueryPlan(
                recordType: "Items", filter: .constant(true), order: [Sort("d")],
                position: QueryPosition(values: [.double(.nan)], insertionNumber: 1), fields: Self.fields)
        }
        // A query without an order cannot continue at a position.
        expectInvalidArguments {
            try QueryPlan(
                recordType: "Items", filter: .constant(true), isOrdered: false,
                position: QueryPosition(values: [], insertionNumber: 1), fields: Self.fields)
        }
        expectInvalidArguments { try plan([nil, .int64(1)]) }
        expectInvalidArguments { try plan([nil, nil], limit: 0) }
    }

    @Test("The fields that a filter reads")
    func fieldKeys() throws {
        let filter = try Filter("a == 1 OR NOT (b IN {c, {d}, 5} AND creationDate != NIL)")
        #expect(filter.fieldKeys == ["a", "b", "c", "d", "creationDate"])
    }
}
