import Cabinet
import CabinetTesting
import Foundation
import Testing

@testable import CabinetWire

@Suite("Filters of CloudKit Web Services")
struct CloudKitFilterTests {
    private func read(_ json: String) throws -> Filter {
        var reader = CloudKitValueReader()
        return try CloudKitComparator.filter(try JSONText(Array(json.utf8)).root, &reader)
    }

    private func written(_ filter: Filter) throws -> String {
        var writer = JSONWriter()
        try writer.member("f", try CloudKitComparator.comparisons(of: filter)) {
            writer, comparison throws(CabinetError) in
            try comparison.write(by: CloudKitValueWriter(), to: &writer)
        }
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private static let comparators: [(String, String, String)] = [
        ("EQUALS", #"{"value":2,"type":"INT64"}"#, "number == 2"),
        ("NOT_EQUALS", #"{"value":2,"type":"INT64"}"#, "number != 2"),
        ("LESS_THAN", #"{"value":2,"type":"INT64"}"#, "number < 2"),
        ("LESS_THAN_OR_EQUALS", #"{"value":2,"type":"INT64"}"#, "number <= 2"),
        ("GREATER_THAN", #"{"value":2.5,"type":"DOUBLE"}"#, "number > 2.5"),
        ("GREATER_THAN_OR_EQUALS", #"{"value":2,"type":"INT64"}"#, "number >= 2"),
        ("IN", #"{"value":[1,2],"type":"INT64_LIST"}"#, "number IN {1, 2}"),
        ("NOT_IN", #"{"value":[1,2],"type":"INT64_LIST"}"#, "NOT number IN {1, 2}"),
        ("BEGINS_WITH", #"{"value":"a","type":"STRING"}"#, "number BEGINSWITH 'a'"),
        ("NOT_BEGINS_WITH", #"{"value":"a","type":"STRING"}"#, "NOT number BEGINSWITH 'a'"),
        ("LIST_CONTAINS", #"{"value":"a","type":"STRING"}"#, "ANY number == 'a'"),
        ("NOT_LIST_CONTAINS", #"{"value":"a","type":"STRING"}"#, "NOT (ANY number == 'a')"),
        ("LIST_CONTAINS_ANY", #"{"value":["a","b"],"type":"STRING_LIST"}"#, "ANY number IN {'a', 'b'}"),
        ("NOT_LIST_CONTAINS_ANY", #"{"value":["a","b"],"type":"STRING_LIST"}"#, "NOT (ANY number IN {'a', 'b'})"),
        (
            "NOT_LIST_CONTAINS_ALL", #"{"value":["a","b"],"type":"STRING_LIST"}"#,
            "NOT (ANY number == 'a' AND ANY number == 'b')"
        ),
        ("LIST_MEMBER_BEGINS_WITH", #"{"value":"a","type":"STRING"}"#, "ANY number BEGINSWITH 'a'"),
        ("NOT_LIST_MEMBER_BEGINS_WITH", #"{"value":"a","type":"STRING"}"#, "NOT (ANY number BEGINSWITH 'a')"),
    ]

    @Test("are read and written, for each comparator", arguments: comparators)
    func both(comparator: String, value: String, format: String) throws {
        let json = #"{"fieldName":"number","comparator":"\#(comparator)","fieldValue":\#(value)}"#
        let filter = try read(json)
        #expect(filter == (try Filter(format)))
        #expect(try written(filter) == #""f":[\#(json)]"#)
    }

    @Test("that need several filters, or have other forms, are read")
    func oneWay() throws {
        func filter(_ comparator: String, _ value: String, _ more: String = "") throws -> Filter {
            try read(#"{"fieldName":"tags","comparator":"\#(comparator)","fieldValue":{"value":\#(value)}\#(more)}"#)
        }
        #expect(try filter("LIST_CONTAINS_ALL", #"["a","b"]"#) == Filter("ANY tags == 'a' AND ANY tags == 'b'"))
        #expect(
            try filter("NOT_LIST_CONTAINS_ALL", #"["a","b"]"#) == Filter("NOT (ANY tags == 'a' AND ANY tags == 'b')"))
        #expect(try filter("CONTAINS_ANY", #"["a","b"]"#) == filter("LIST_CONTAINS_ANY", #"["a","b"]"#))
        #expect(
            try written(filter("NEAR", #"{"latitude":1,"longitude":2}"#, #","distance":100"#)).contains(
                #""comparator":"NEAR""#))
        #expect(throws: CabinetError(.invalidArguments)) { try filter("NEAR", #"{"latitude":1,"longitude":2}"#) }
        #expect(throws: CabinetError(.invalidArguments)) { try filter("IN", "1") }
        #expect(throws: CabinetError(.invalidArguments)) { try filter("MATCHES", #""a""#) }
        #expect(throws: CabinetError(.invalidArguments)) { try filter("EQUALS", "null") }
        #expect(throws: CabinetError(.invalidArguments)) {
            try read(#"{"comparator":"EQUALS","fieldValue":{"value":1}}"#)
        }
    }

    @Test("search for words, in a field and in all of them")
    func words() async throws {
        let store = try CloudKitStore()
        try await store.modify(
            #"{"operationType":"create","record":{"recordType":"Items","recordName":"milk","fields":{"name":"fresh whole milk"}}}"#
        )
        for (comparator, text, count) in [
            ("CONTAINS_ALL_TOKENS", "Milk fresh", 1), ("CONTAINS_ALL_TOKENS", "milk bread", 0),
            ("CONTAINS_ANY_TOKENS", "milk bread", 1), ("CONTAINS_ALL_TOKENS", "", 0), ("CONTAINS_ALL_TOKENS", "-", 0),
            ("CONTAINS_ANY_TOKENS", "-", 0),
        ] {
            for field in ["", #""fieldName":"name","#] {
                let answer = try await store.post(
                    .recordsQuery,
                    #"{"query":{"recordType":"Items","filterBy":[{\#(field)"comparator":"\#(comparator)","fieldValue":{"value":"\#(text)"}}]}}"#
                )
                #expect(answer.json.text("reason") == nil)
                #expect(answer.json.items("records").count == count, "\(comparator) \(text)")
            }
        }
    }

    @Test(
        "that CloudKit cannot say are refused with the part",
        arguments: [
            ("a == 1 OR b == 2", "OR"), ("a == 1 AND name LIKE 'x*'", "LIKE"), ("list.name == 'x'", "list.name"),
            ("NOT (a == 1 AND b == 2)", "NOT"),
            ("a + 1 == 2", "a + 1"), ("a == b", "a == b"), ("name ==[c] 'x'", "name"), ("a == NIL", "a"),
            ("NOT a BETWEEN {1, 2}", "BETWEEN"), ("ANY a BETWEEN {1, 2}", "BETWEEN"),
        ])
    func refused(format: String, part: String) throws {
        let filter = try Filter(format)
        #expect { try written(filter) } throws: { error in
            let error = error as? CabinetError
            return error?.code == .invalidArguments && error?.message.contains(part) == true
        }
    }

    @Test("of a distance are of the record's own field")
    func distances() throws {
        let origin = Filter.Expression.constant(.location(Location(latitude: 1, longitude: 2)))
        for (key, isRefused) in [("at", false), ("shop.at", true)] {
            let filter = Filter.comparison(
                .init(.distance(.field(key), origin), .lessThan, .constant(.double(5))))
            if isRefused {
                #expect(throws: CabinetError(.invalidArguments)) { try written(filter) }
            } else {
                #expect(try written(filter).contains("NEAR"))
            }
        }
    }

    @Test("of a distance that may be the radius, or may not, find the same records on both ways")
    func radius() async throws {
        let (origin, place) = (Location(latitude: 1, longitude: 2), Location(latitude: 1, longitude: 2.5))
        let distance = Filter.Expression.distance(.field("at"), .constant(.location(origin)))
        let radius = Filter.Expression.constant(.double(origin.distance(to: place)))
        let store = try CloudKitStore()
        let client = store.container.over(CloudKitLoopback(base: store.container.service)).privateDatabase
        var record = Record(recordType: "Items")
        record["at"] = place
        try await store.container.privateDatabase.save(record)
        let filters: [(Filter.Comparison, Int)] = [
            (.init(distance, .lessThan, radius), 0), (.init(distance, .lessThanOrEqual, radius), 1),
            (.init(radius, .greaterThan, distance), 0), (.init(radius, .greaterThanOrEqual, distance), 1),
        ]
        for (comparison, count) in filters {
            let query = Query(recordType: "Items", filter: .comparison(comparison))
            for database in [store.container.privateDatabase, client] {
                #expect(try await database.allRecords(matching: query).count == count, "\(comparison.operator)")
            }
        }
    }

    @Test("have references without an action")
    func references() throws {
        let filter = Filter.field("list") == Reference(recordID: "L1", action: .deleteSelf)
        #expect(try written(filter).contains(#""recordName":"L1","zoneID""#))
    }

    @Test("with the field on the right, and joined by AND, are written")
    func flipped() throws {
        #expect(try written(Filter("2 < number AND 'a' IN tags")).contains(#""comparator":"GREATER_THAN""#))
        #expect(try written(Filter("'a' IN tags")).contains(#""comparator":"LIST_CONTAINS""#))
        #expect(try written(.constant(true)) == #""f":[]"#)
        #expect(try written(Filter("a BETWEEN {1, 2.5}")) == written(Filter("a >= 1 AND a <= 2.5")))
        #expect(try written(.field("recordID") == Reference(recordID: "milk", action: .none)).contains("___recordID"))
    }

    @Test("that are random, and CloudKit can say, find the same records on both ways")
    func random() async throws {
        var generator = SeededGenerator(seed: 5)
        let store = try CloudKitStore()
        let direct = store.container.privateDatabase
        let client = store.container.over(CloudKitLoopback(base: store.container.service)).privateDatabase
        let records = (0..<40).map { number in
            var record = Record(recordType: "Items", recordID: RecordID(recordName: "i\(number)"))
            if number % 7 > 0 { record["number"] = number % 5 }
            record["price"] = Double(number % 4) / 2
            if number % 6 > 0 { record["name"] = ["", "a", "ab", "bä", "a\"b"][number % 5] }
            record["tags"] = (0..<(number % 3)).map { ["a", "b", "c"][($0 + number) % 3] }
            record["due"] = Date(timeIntervalSince1970: Double(number % 3))
            return record
        }
        _ = try await direct.modifyRecords(saving: records, deleting: [])
        let parts = Self.comparators.map(\.2).filter { $0.contains("ANY") || !$0.contains("'") }
        var found = 0
        for _ in 0..<80 {
            let texts = (0..<Int.random(in: 1...3, using: &generator)).map { _ -> String in
                let part = parts.randomElement(using: &generator) ?? ""
                return "(\(part.contains("ANY") ? part.replacing("number", with: "tags") : part))"
            }
            let name =
                [
                    "name BEGINSWITH 'a'", "price < 1.0", "NOT name BEGINSWITH 'a'", "name == 'ab'",
                    "price BETWEEN {0.5, 1.0}",
                ].randomElement(using: &generator) ?? ""
            let filter = try Filter((texts + [name]).joined(separator: " AND "))
            let query = Query(
                recordType: "Items", filter: filter,
                sortedBy: [Sort("price", ascending: Bool.random(using: &generator))])
            let expected = try await direct.allRecords(matching: query)
            let answered = try await client.allRecords(matching: query)
            #expect(answered.map(\.recordID) == expected.map(\.recordID), "\(filter)")
            found += expected.count
        }
        #expect(found > 100)
    }
}
