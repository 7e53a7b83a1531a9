import Foundation
import Testing

@testable import Cabinet

@Suite("Coding: filters and cursors are restored exactly, and garbage throws")
struct FilterCodingTests {
    private func coded<Value: Codable>(_ value: Value) throws -> Value {
        try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
    }

    @Test("Random filters are restored from JSON and from property lists")
    func roundTrip() throws {
        var random = RandomFilters(seed: 23)
        for index in 0..<700 {
            let filter = random.filter(depth: 4)
            #expect(try coded(filter) == filter)
            if index % 10 == 0 {
                let data = try PropertyListEncoder().encode([filter])
                #expect(try PropertyListDecoder().decode([Filter].self, from: data) == [filter])
            }
        }
    }

    @Test("Trees that builders never create are restored too")
    func otherTrees() throws {
        let a: Filter = .field("a") == 1
        let trees: [Filter] = [
            .and([]), .or([]), .and([a]), .or([.and([.or([])])]), .and([.and([a, a]), a]), .and([.and([a]), .and([])]),
            .not(.not(.constant(false))), .not(.and([])), .or([.or([.or([a, a])]), .and([a])]),
            .comparison(Filter.Comparison(.list([.constant(.int64(1))]), .contains, .list([]))),
            .comparison(
                Filter.Comparison(.constant(.list(.double([]))), .equal, .list([.constant(.list(.int64([])))]))),
            .comparison(Filter.Comparison(.negative(.constant(.int64(5))), .equal, .negative(.constant(.int64(-5))))),
        ]
        for filter in trees { #expect(try coded(filter) == filter) }
    }

    @Test("The last bit of a number and of a date is kept, and so is NaN")
    func exactness() throws {
        for seconds in [
            0.1, -0.1.nextUp, 694_224_000.000_000_1, -0.0, .leastNonzeroMagnitude, .greatestFiniteMagnitude, .infinity,
            -.infinity,
            .nan,
        ] {
            let date = Date(timeIntervalSinceReferenceDate: seconds)
            let filter: Filter = .field("x").isIn([seconds]) && .field("x") == date
            guard case .and(let parts) = try coded(filter),
                case .constant(.list(.double(let numbers)))? = parts[0].right,
                case .constant(.timestamp(let copy))? = parts[1].right
            else {
                Issue.record("\(filter)")
                return
            }
            for number in numbers + [copy.timeIntervalSinceReferenceDate] {
                #expect(number.isNaN ? seconds.isNaN : number.bitPattern == seconds.bitPattern)
            }
        }
    }

    @Test("The coded form is a string that people can read and write, in queries and subscriptions too")
    func readable() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let list = Reference(recordID: RecordID(recordName: "groceries"), action: .deleteSelf)
        let filter: Filter = .field("list") == list && .field("due") < Date(timeIntervalSinceReferenceDate: 694_224_000)
        let text = "list == CAST({'groceries', 'deleteSelf'}, 'REFERENCE') AND due < CAST(694224000.0, 'TIMESTAMP')"
        #expect(try String(decoding: encoder.encode(filter), as: UTF8.self) == "\"\(text)\"")
        let query = Query(recordType: "Items", filter: filter)
        let json = #"{"filter":"\#(text)","recordType":"Items","sortDescriptors":[]}"#
        #expect(try String(decoding: encoder.encode(query), as: UTF8.self) == json)
        #expect(try JSONDecoder().decode(Query.self, from: Data(json.utf8)) == query)
        let subscription = Subscription.query(
            QuerySubscription(recordType: "Items", filter: filter, subscriptionID: "s", options: .firesOnRecordCreation)
        )
        #expect(try String(decoding: encoder.encode(subscription), as: UTF8.self).contains(#""\#(text)""#))
        #expect(try coded(subscription) == subscription)
    }

    @Test("The deepest filter is coded, and a deeper one is refused when it is encoded")
    func deep() throws {
        let a: Filter = .field("a") == 1
        let levels = Filter.maximumDepth - 1
        let kinds: [(Filter) -> Filter] = [
            { .not($0) }, { .and([$0]) }, { .or([$0]) }, { .and([.constant(true), $0]) },
        ]
        for kind in kinds {
            let deepest = (0..<levels).reduce(a) { filter, _ in kind(filter) }
            #expect(try coded(deepest) == deepest)
            expectInvalidArguments { try JSONEncoder().encode(kind(deepest)) }
        }
        let operands: [(Filter.Expression) -> Filter.Expression] = [
            { .list([$0]) }, { .negative($0) }, { .member($0, "b") }, { .element($0, .last) },
            { .element(.field("b"), .at($0)) },
        ]
        for kind in operands {
            for leaf in [Filter.Expression.field("a"), .constant(.timestamp(.distantPast))] {
                let deepest = (0..<levels).reduce(leaf) { operand, _ in kind(operand) }
                let filter = Filter.comparison(Filter.Comparison(deepest, .equal, .field("a")))
                #expect(try coded(filter) == filter)
                expectInvalidArguments {
                    try JSONEncoder().encode(Filter.comparison(Filter.Comparison(kind(deepest), .equal, .field("a"))))
                }
            }
        }
    }

    @Test("A filter without a text is refused when it is encoded, with the reason")
    func unwritable() throws {
        let file = URL(fileURLWithPath: "/tmp/photo")
        let tokens = Filter.Comparison(.field("a"), .equal, .searchableText)
        let filters: [(Filter, String)] = [
            (.field("n") == UInt64.max, "No field can hold 18446744073709551615 (UInt64)"),
            (.field("file") == Asset(fileURL: file), "An asset that was not saved has no text"),
            (.field("files").isIn([Asset(fileURL: file)]), "An asset that was not saved has no text"),
            (.comparison(tokens), "they cannot be operands of anything else"),
            (.field("") == 1, "The key path '' has an empty step."),
            (.field("a..b") == 1, "The key path 'a..b' has an empty step."),
            (.field("@count") == 1, "The key path '@count' begins with '@count'"),
            (.field("a").first.member("@nope") == 1, "The key path '@nope' has the step '@nope'"),
            (.field("a.@count.b") == 1, "goes on after '@count'"),
            (.field(String(repeating: "a.", count: 100) + "a") == 1, "has more than 100 steps"),
        ]
        for (filter, expectedMessage) in filters {
            let error = try #require(throws: CabinetError.self, "\(filter)") { try JSONEncoder().encode(filter) }
            #expect(error.code == .invalidArguments && error.message.contains(expectedMessage), "\(error)")
            // The description of such a part never parses to another filter.
            expectInvalidArguments { try Filter(filter.description) }
        }
    }

    @Test("TOKENMATCHES has no options, and others that are unknown are dropped, so that every comparison has a text")
    func options() throws {
        var comparison = Filter.Comparison(.field("a"), .tokenMatches, .field("b"), options: .caseInsensitive)
        #expect(comparison.options == [])
        comparison.operator = .equal
        comparison.options = Filter.Options(rawValue: 7)
        #expect(comparison.options == [.caseInsensitive, .diacriticInsensitive])
        comparison.operator = .tokenMatches
        #expect(comparison.options == [])
        comparison.options = .diacriticInsensitive
        #expect(comparison.options == [])
    }

    @Test(
        "Garbage is not a filter",
        arguments: [
            "", "{}", "[]", "null", "5", "true", "\"\"", "\"a ==\"", "\"a == %@\"", "\"%K == 1\"", "\"a == <5 bytes>\"",
            #"[{"constant": true}]"#, "[\"a == 1\"]", "\"AND {\"", "\"a == CAST(1, 'X')\"",
        ])
    func garbage(json: String) {
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(Filter.self, from: Data(json.utf8)) }
    }

    @Test("The error of decoding has the position in the text")
    func decodingError() throws {
        let error = try #require(throws: DecodingError.self) {
            try JSONDecoder().decode(
                Query.self, from: Data(#"{"recordType":"A","filter":"a === 1","sortDescriptors":[]}"#.utf8))
        }
        guard case .dataCorrupted(let context) = error else {
            Issue.record(error)
            return
        }
        #expect(context.debugDescription.hasPrefix("The filter cannot be read at position 3: '===' is not an operator"))
        #expect(context.codingPath.map(\.stringValue) == ["filter"])
        #expect((context.underlyingError as? CabinetError)?.code == .invalidArguments)
    }

    @Test("Text that stands for a tree too deep is refused, and casts in casts take no quadratic time")
    func hostile() {
        func nested(_ open: String, _ leaf: String, _ close: String) -> String {
            String(repeating: open, count: 20_000) + leaf + String(repeating: close, count: 20_000)
        }
        let numbers = (0..<20_000).map(String.init).joined(separator: ",")
        let texts = [
            nested("NOT ", "a == 1", ""), nested("AND {", "a == 1", "}"), nested("OR{", "", "}"),
            nested("AND {", "", ""),
            "a IN " + nested("{", "a", "}"), nested("-", "a", "") + " == 1",
            "a == " + nested("CAST(", "1", ", 'TIMESTAMP')"),
            "a == " + nested("CAST(", "{\(numbers)}", ", 'LIST<DOUBLE>')"),
            "a == " + nested("CAST(", "{\(numbers)}", ", 'LIST')") + " OR", "a == " + nested("CAST(", "", ""),
            "a IN CAST({\(numbers)}, 'LOCATION')",
        ]
        for text in texts {
            #expect(throws: DecodingError.self, "\(text.prefix(20))") {
                try JSONDecoder().decode(Filter.self, from: JSONEncoder().encode(text))
            }
        }
    }

    private static let cursor = Query.Cursor(
        query: Query(
            recordType: "Items", filter: .field("at") < Date(timeIntervalSinceReferenceDate: 0.123456789),
            sortedBy: [Sort("d", ascending: false), Sort("at"), Sort("x")]),
        zoneID: RecordZone.ID(zoneName: "Z"),
        position: QueryPosition(
            values: [.double(-.infinity), .timestamp(Date(timeIntervalSinceReferenceDate: 0.987654321)), nil],
            insertionNumber: 7),
        origin: Query.Cursor.Origin(containerIdentifier: "com.example", scope: .private, userRecordName: "_user"))

    @Test("A cursor is restored exactly, with any of the coder's strategies")
    func cursors() throws {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.keyEncodingStrategy = .convertToSnakeCase
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        #expect(try decoder.decode([Query.Cursor].self, from: encoder.encode([Self.cursor])) == [Self.cursor])
        #expect(try coded(Self.cursor) == Self.cursor)
        let list = try PropertyListEncoder().encode([Self.cursor])
        #expect(try PropertyListDecoder().decode([Query.Cursor].self, from: list) == [Self.cursor])
    }

    @Test("Garbage is not a cursor")
    func cursorGarbage() throws {
        func string(_ content: String) -> Data { Data("\"\(Data(content.utf8).base64EncodedString())\"".utf8) }
        let json = try JSONEncoder().encode(Self.cursor)
        let text = try #require(Data(base64Encoded: JSONDecoder().decode(String.self, from: json)))
        let content = String(decoding: text, as: UTF8.self)
        let versions = content.replacingOccurrences(of: "\"version\":1", with: "\"version\":2")
        let positions = content.replacingOccurrences(of: "\"ascending\":false", with: "\"ascending\":5")
        #expect(versions != content && positions != content)
        let garbage = [
            Data("5".utf8), Data("{}".utf8), Data("\"\"".utf8), Data("\"%%\"".utf8), string(""), string("{}"),
            string("[]"),
            string(versions), string(positions), Data(json.dropLast(9)) + Data("\"".utf8),
        ]
        for data in garbage {
            #expect(throws: DecodingError.self) { try JSONDecoder().decode(Query.Cursor.self, from: data) }
            #expect(throws: DecodingError.self) { try JSONDecoder().decode(ServerChangeToken.self, from: data) }
        }
        #expect {
            try JSONDecoder().decode(Query.Cursor.self, from: string(versions))
        } throws: {
            "\($0)".contains("not a cursor of a query: it is of version 2, and this program reads version 1")
        }
    }
}
