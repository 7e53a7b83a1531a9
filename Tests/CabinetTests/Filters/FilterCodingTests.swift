import Foundation
import Testing

@testable import Cabinet

@Suite("Coding: filters and cursors come back exactly, and garbage throws")
struct FilterCodingTests {
    private func coded<Value: Codable>(_ value: Value) throws -> Value {
        try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
    }

    @Test("Random filters come back from JSON and from property lists")
    func roundTrip() throws {
        var random = RandomFilters(seed: 23)
        for index in 0..<300 {
            let filter = random.filter(depth: 4)
            #expect(try coded(filter) == filter)
            if index % 10 == 0 {
                let data = try PropertyListEncoder().encode([filter])
                #expect(try PropertyListDecoder().decode([Filter].self, from: data) == [filter])
            }
        }
    }

    @Test("Constants of every type, and trees that builders never make, come back too")
    func constants() throws {
        let reference = Reference(recordID: RecordID(recordName: "list"), action: .deny)
        let values: [any RecordValue] = [
            Date(timeIntervalSinceReferenceDate: 0.1), Data([0, 255]), reference, Location(latitude: 1, longitude: 2),
            Double.infinity,
            -Double.infinity, [reference], [1.5, .infinity], UInt64.max, "\0\u{301}",
        ]
        for value in values {
            let filter: Filter = .field("x") == value
            #expect(try coded(filter) == filter)
        }
        for filter in [Filter.and([]), .or([.and([.or([])])]), .not(.not(.constant(false)))] {
            #expect(try coded(filter) == filter)
        }
    }

    @Test("A comparison without options and quantifier is coded without them, and read")
    func missingKeys() throws {
        let json = #"[{"comparison":{"left":[{"field":"a"}],"operator":"equal","right":[{"field":"b"}]}}]"#
        let filter = try JSONDecoder().decode(Filter.self, from: Data(json.utf8))
        #expect(filter == (.field("a") == .field("b")))
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        #expect(try String(decoding: encoder.encode(filter), as: UTF8.self) == json)
        let full = try Filter("NONE a ==[cd] b")
        let text = try String(decoding: encoder.encode(full), as: UTF8.self)
        #expect(text.contains(#""options":"cd","quantifier":"none""#))
        #expect(try coded(full) == full)
    }

    @Test("The deepest filter is coded without depth")
    func deep() throws {
        let filter = try Filter(String(repeating: "NOT ", count: Filter.maximumDepth - 1) + "a == 1")
        #expect(try coded(filter) == filter)
    }

    @Test(
        "Garbage is no filter",
        arguments: [
            "", "{}", "[]", "null", "5", "[5]", "[{}]", #"[{"and": 1}]"#, #"[{"and": -1}]"#, #"[{"not": 1}]"#,
            #"[{"constant": true}, {"constant": true}]"#, #"[{"constant": true}, {"or": 9223372036854775807}]"#,
            #"[{"constant": true, "and": 0}]"#, #"[{"like": 1}]"#, #"[{"constant": 1}]"#,
            #"[{"comparison": {"left": [], "operator": "equal", "right": []}}]"#,
            #"[{"comparison": {"left": [{"field": "a"}], "operator": "likes", "right": [{"field": "a"}]}}]"#,
            #"[{"comparison": {"left": [{"field": "a"}], "operator": "like", "right": [{"field": "a"}], "options": "x"}}]"#,
            #"[{"comparison": {"left": [{"field": "a"}], "operator": "like", "right": [{"field": "a"}], "options": 1}}]"#,
            #"[{"comparison": {"left": [{"field": "a"}], "operator": "like", "right": [{"field": "a"}], "quantifier": "most"}}]"#,
            #"[{"comparison": {"left": [{"field": "a"}], "operator": "equal", "right": [{"list": 2}]}}]"#,
            #"[{"comparison": {"left": [{"negative": 1}], "operator": "equal", "right": [{"list": 0}]}}]"#,
            #"[{"comparison": {"left": [{"field": "a"}, {"at": 1}], "operator": "equal", "right": [{"list": 0}]}}]"#,
            #"[{"comparison": {"left": [{"field": "a"}, {"field": "b"}, {"arithmetic": "%"}], "operator": "equal", "right": [{"list": 0}]}}]"#,
            #"[{"comparison": {"left": [{"member": "a"}], "operator": "equal", "right": [{"list": 0}]}}]"#,
            #"[{"comparison": {"left": [{"constant": {"type": "X", "value": 1}}], "operator": "equal", "right": [{"list": 0}]}}]"#,
        ])
    func garbage(json: String) {
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(Filter.self, from: Data(json.utf8)) }
    }

    @Test("Bytes that stand for a tree too deep are refused")
    func hostile() {
        let nots = String(repeating: #",{"not":1}"#, count: 100_000)
        let lists = String(repeating: #",{"list":1}"#, count: 100_000)
        let signs = String(repeating: #",{"negative":1}"#, count: 100_000)
        let texts = [
            #"[{"constant":true}\#(nots)]"#,
            #"[{"comparison":{"left":[{"field":"a"}],"operator":"in","right":[{"field":"a"}\#(lists)]}}]"#,
            #"[{"comparison":{"left":[{"field":"a"}],"operator":"in","right":[{"field":"a"}\#(signs)]}}]"#,
        ]
        for text in texts {
            #expect(throws: DecodingError.self) { try JSONDecoder().decode(Filter.self, from: Data(text.utf8)) }
        }
    }

    private static let cursor = Query.Cursor(
        query: Query(
            recordType: "Items", filter: .field("at") < Date(timeIntervalSinceReferenceDate: 0.123456789),
            sortedBy: [Sort("d", ascending: false), Sort("at"), Sort("x")]),
        zoneID: RecordZone.ID(zoneName: "Z"),
        position: QueryPosition(
            values: [.double(-.infinity), .timestamp(Date(timeIntervalSinceReferenceDate: 0.987654321)), nil],
            recordID: RecordID(recordName: "r")),
        origin: Query.Cursor.Origin(containerIdentifier: "com.example", scope: .private, userRecordName: "_user"))

    @Test("A cursor comes back exactly, whatever the coder's strategies")
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

    @Test("Garbage is no cursor")
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
        }
    }
}
