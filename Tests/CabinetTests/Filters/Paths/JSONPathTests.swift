import Foundation
import Testing

@testable import Cabinet

@Suite("Values in the JSON of a text")
struct JSONPathTests {
    private static func value(_ step: String, in text: String) throws -> FieldValue? {
        try #require(FieldPath.JSON(step)).value(in: text)
    }

    /// Single values, most of which are JSON.
    static let values = [
        "0", "-0", "7", "-12", "3.0", "2.5", "1e2", "1E+2", "5e-1", "50e-1", "0.5e1", "01", "1.", ".5", "+1",
        "-", "1e",
        "9223372036854775807", "-9223372036854775808", "9223372036854775808",
        "9007199254740993",
        "9007199254740993.00", "1e400", "1e18", "1e19", "true", "false", "null",
        "True",
        "nul", "\"\"", "\"a\"", "\"\\u0041\\n\"", "\"\\ud83d\\ude00\"", "\"\\ud83d\"", "\"\\ude00\"", "\"\\u00g0\"",
        "\"\\x\"",
        "\"\u{1F}\"", "\"a", "é", "\"é\"", "{}", "[]", "[1]", "{\"a\":1}", "{\"a\"}", "[1 2]", "[1,]", "NaN",
        "\"\\u0000\"",
    ]

    @Test("Numbers, texts and booleans are those of Foundation's decoder", arguments: values)
    func decoder(value: String) throws {
        let text = " { \"x\" : [ \(value) ] } "
        func decoded<Value: Decodable>(_ type: Value.Type) -> Value? {
            (try? JSONDecoder().decode([String: [Value?]].self, from: Data(text.utf8)))?["x"]?.first ?? nil
        }
        let bool = decoded(Bool.self)
        #expect(
            try Self.value("@int64.x.0", in: text)
                == (bool.map { $0 ? 1 : 0 } ?? decoded(Int64.self)).map { .int64($0) })
        #expect(
            try Self.value("@double.x.0", in: text)
                == (bool.map { $0 ? 1 : 0 } ?? decoded(Double.self)).map { .double($0) })
        #expect(try Self.value("@timestamp.x.0", in: text) == decoded(Date.self).map { .timestamp($0) })
        if !value.hasPrefix("{"), !value.hasPrefix("[") {
            #expect(try Self.value("@string.x.0", in: text) == decoded(String.self).map { .string($0) })
        }
    }

    @Test("Whole numbers are exact in every form")
    func wholeNumbers() throws {
        for (text, number) in [
            ("9223372036854775807.0", Int64.max), ("92233720368547758070e-1", .max), ("-922337203685477580.8e1", .min),
            ("0e9", 0), ("-0.00", 0), ("1e-400", nil), ("0.0e99999999999", 0), ("1e99999999999", nil), ("12.0e-1", nil),
        ] {
            #expect(try Self.value("@int64", in: text) == number.map { .int64($0) }, "\(text)")
        }
    }

    @Test("An object or an array is its text, as JSON of the same value is stored")
    func objects() throws {
        struct Inner: JSONRecordValue {
            var path: String
            var list: [Double]
        }
        let inner = Inner(path: "a/\"b\"\n", list: [1, 2.5])
        let text = try #require(JSONText(of: ["inner": inner, "other": inner])?.text)
        #expect(try Self.value("@string.inner", in: text) == inner.fieldValue)
        guard case .string(let part)? = inner.fieldValue else { return #expect(Bool(false)) }
        #expect(try Self.value("@double.list.1", in: part) == .double(2.5))
        #expect(try Self.value("@string", in: text) == .string(text))
        #expect(try Self.value("@int64.inner", in: text) == nil)
    }

    @Test("The first member with a name counts, and no other member is taken for it")
    func members() throws {
        #expect(try Self.value("@int64.a.b", in: #"{"a":1,"a":{"b":2}}"#) == nil)
        #expect(try Self.value("@int64.a.b", in: #"{"c":{"a":{"b":1}},"\u0061":{"b":2},"a":{"b":3}}"#) == .int64(2))
        #expect(try Self.value("@int64.0", in: #"{"1":5,"0":6}"#) == .int64(6))
        #expect(try Self.value("@int64.00", in: "[5]") == nil && Self.value("@int64.-1", in: "[5]") == nil)
        #expect(try Self.value("@int64.é", in: "{\"e\u{301}\":1}") == nil)
    }

    @Test("Depth is limited, and work is counted")
    func limits() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + "1" + String(repeating: "]", count: depth)
        }
        let members = [String](repeating: "0", count: 50).joined(separator: ".")
        #expect(try Self.value("@string.\(members)", in: nested(512)) == .string(nested(462)))
        #expect(try Self.value("@string.\(members)", in: nested(513)) == nil)
        #expect(try Self.value("@string.0", in: String(repeating: "[", count: 1_000_000)) == nil)
        let text = "\"" + String(repeating: "x", count: 10_000) + "\""
        #expect(throws: CabinetError(.limitExceeded)) {
            try WorkMeter.$current.withValue(WorkMeter(limit: 1000)) { try Self.value("@string", in: text) }
        }
    }

    /// Texts of filters, for ``FilterTextTests``.
    static let formats = [
        "a.@string.b == 'x'", "a.b.@int64.lines.0.n > 3", "ANY a.@double.b > 1.5", "a[0].@string.b == 'x'",
        "a.@string.#size == 'x' AND a.@string.#SELF == 'y' AND a.@string.FIRST == 'z'", "a.@sum.@int64.n == 3",
        "#'a.@string.my name' == 'x'", "#'a.@string.b~1c' == 'x'", "a.@string.2nd.3 == NIL", "a.@string == 'x'",
        "SUBQUERY(Items.list, $x, $x.a.@int64.0 == 1 AND ANY $x.b.@string.c == 'd').@count > 0",
        "a.@string.b.@int64.c == 1",
        "(a.@string.b).c == 1",
    ]
}
