import CabinetTesting
import Foundation
import Testing

@testable import Cabinet

@Suite("The reader and the writer of JSON")
struct JSONCodingTests {
    @Test("read and write what Foundation does")
    func agreement() throws {
        var random = SeededGenerator(seed: 7)
        for _ in 0..<2_000 {
            let value = AnyJSON.random(using: &random)
            let json = try value.json
            let text = String(decoding: json, as: UTF8.self)
            #expect(try AnyJSON(json) == value, "\(text)")
            let read = try JSONSerialization.jsonObject(with: Data(json), options: .fragmentsAllowed)
            #expect(value.isEqual(read), "\(text)")
            let written = try JSONSerialization.data(
                withJSONObject: value.foundation, options: [.fragmentsAllowed, .prettyPrinted])
            let again = try AnyJSON(Array(written))
            #expect(again.isEqual(read), "\(text)")
        }
    }

    @Test("escape a character wherever it stands in a text")
    func escapes() throws {
        for character in UInt8(0)...0x7F {
            for count in 0..<18 {
                let filler = String(repeating: "é~", count: count)
                let text = filler + String(UnicodeScalar(character)) + filler
                let json = try AnyJSON.text(text).json
                #expect(try AnyJSON(json) == .text(text))
                let read = try JSONSerialization.jsonObject(with: Data(json), options: .fragmentsAllowed)
                #expect((read as? String).map { Array($0.utf8) } == Array(text.utf8), "\(character), \(count)")
            }
        }
    }

    @Test("keep every number to the last bit")
    func numbers() throws {
        var random = SeededGenerator(seed: 11)
        for _ in 0..<5_000 {
            let bits = UInt64.random(in: 0 ... .max, using: &random)
            let (int, double) = (Int64(bitPattern: bits), Double(bitPattern: bits))
            #expect(try AnyJSON(try AnyJSON.int(int).json) == .int(int))
            guard double.isFinite, case .double(let read) = try AnyJSON(try AnyJSON.double(double).json) else {
                continue
            }
            #expect(read.bitPattern == bits)
        }
    }

    /// Texts that are JSON, from RFC 8259 and the collection "Parsing JSON is a minefield".
    private static let validTexts = [
        "0", "-0", "-1.5e-3", "1E+2", "1e00", "0.0", "[]", "{}", "null", "true", " \t\r\n[ 1 , 2 ] \n", #""""#,
        #""\"\\\/\b\f\n\r\t""#, #""\u0041\u00e9\u20AC\uD83D\uDE00""#, #""\u0000""#, "\"\u{7F}\"",
        "\"\u{2028}\u{FFFF}\"",
        #"{"a":{"a":1},"b":[{"a":1}]}"#, #"{"":0}"#, #"{"a":1,"A":2}"#, #"["a","a"]"#, #"{"\u0061":1,"b":2}"#,
    ]

    @Test("accept the texts that are JSON", arguments: validTexts)
    func valid(_ text: String) throws {
        let value = try AnyJSON(Array(text.utf8))
        #expect(value.isEqual(try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)))
        #expect(try AnyJSON(try value.json) == value)
    }

    /// Texts that are not JSON, from the same collection; Foundation accepts some of them.
    private static let invalidTexts = [
        "", " ", "[", "]", "{", "}", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "[1,,2]", "[]]", "[1}", #"{"a"}"#,
        #"{"a":}"#,
        #"{"a":1,}"#, #"{,"a":1}"#, #"{"a":1 "b":2}"#, #"{"a" 1}"#, #"{"a"::1}"#, "{a:1}", "{1:1}", "{'a':1}",
        "{null:1}",
        #"{"a":1"#, #"{"a":1]"#, #"{"a":1}}"#, #"{"a":1} 1"#, "1 2", "[1]x", "nul", "True", "tru", "nulll", "NULL",
        "undefined",
        "NaN", "Infinity", "-Infinity", "inf", "+1", "-", "--1", "01", "-01", "00", "1.", ".5", "-.5", "1.e1", "1e",
        "1e+", "1e1.5",
        "0x10", "1_000", "1,000", "0e", "1ee2", "1a", "1 .5", #"""#, #""a"#, #""\""#, #""\x41""#, #""\u""#, #""\u12""#,
        #""\u12G4""#, #""\U0041""#, #""\'""#, #""\ud800""#, #""\ud800a""#, #""\ud800\u0041""#, #""\ud800\ud800""#,
        #""\udc00""#,
        #""\ud800\n""#, "'a'", "\"\u{0}\"", "\"\n\"", "\"\t\"", "\"\u{1F}\"", "\u{FEFF}[]", "[\u{A0}1]", "[\u{0B}1]",
        "[\u{0C}1]",
        "/**/1", "1//", "#1", "[1]\u{0}", #"{"a":1,"a":1}"#, #"{"a":1,"\u0061":2}"#, #"[{"b":0,"a":1,"c":2,"a":1}]"#,
        "“a”",
    ]

    @Test("refuse the texts that are not, and say at which byte", arguments: invalidTexts)
    func invalid(_ text: String) throws {
        let error = try #require(throws: CabinetError.self) { try AnyJSON(Array(text.utf8)) }
        #expect(error.code == .invalidArguments)
        let position = try #require(error.message.firstMatch(of: #/^The JSON text is not valid at byte (\d+): /#))
        #expect(try #require(Int(position.1)) <= text.utf8.count)
    }

    @Test(
        "refuse bytes that are not UTF-8, in a text and outside of one",
        arguments: [
            [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF], [0xED, 0xA0, 0x80],
            [0xED, 0xBF, 0xBF],
            [0xF0, 0x8F, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF], [0xC3], [0xE2, 0x82],
            [0xF0, 0x9F, 0x98], [0xE2, 0x28, 0xA1],
        ] as [[UInt8]])
    func utf8(_ bytes: [UInt8]) {
        let quote = UInt8(ascii: "\"")
        for text in [[quote] + bytes + [quote], bytes, [UInt8(ascii: "[")] + bytes + [UInt8(ascii: "]")]] {
            #expect(throws: CabinetError.self) { try AnyJSON(text) }
        }
        #expect(throws: CabinetError.self) { try AnyJSON([quote] + bytes) }
    }

    @Test("agree with the standard library about UTF-8")
    func utf8Agreement() {
        var random = SeededGenerator(seed: 3)
        let edges: [UInt8] = [
            0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC2, 0xDF, 0xE0, 0xED, 0xEF, 0xF0, 0xF4, 0xF5,
        ]
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 1...5, using: &random)).map { _ in
                edges[Int.random(in: edges.indices, using: &random)]
            }
            let isValid = bytes.withUnsafeBufferPointer { UTF8Check.isValid($0) }
            #expect(isValid == (String(validating: bytes, as: UTF8.self) != nil), "\(bytes)")
        }
    }

    @Test("Numbers keep their kind: what has a fraction or an exponent is a DOUBLE")
    func kinds() throws {
        #expect(try AnyJSON(Array("1".utf8)) == .int(1))
        #expect(try AnyJSON(Array("1.0".utf8)) == .double(1))
        #expect(try AnyJSON(Array("1e0".utf8)) == .double(1))
        #expect(String(decoding: try AnyJSON.double(1).json, as: UTF8.self) == "1.0")
        #expect(String(decoding: try AnyJSON.double(1e22).json, as: UTF8.self) == "1e+22")
        #expect(String(decoding: try AnyJSON.int(.min).json, as: UTF8.self) == "-9223372036854775808")
        for text in ["9223372036854775808", "-9223372036854775809", "1e309", "-1e400"] {
            #expect(throws: CabinetError.self) { try AnyJSON(Array(text.utf8)) }
        }
    }

    @Test("Keys are read in any order, and unknown, repeated and missing ones are refused")
    func keys() throws {
        let parts = [#""scope":1"#, #""recordIDs":["a"]"#, #""desiredKeys":["b"]"#]
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0], [2, 0, 1]] {
            let request = try read(order.map { parts[$0] })
            #expect(request.scope.rawValue == 1)
            #expect(request.recordIDs == [RecordID(recordName: "a")])
            #expect(request.desiredKeys == ["b"])
        }
        #expect(try read([parts[0], parts[1], #""desiredKeys":null"#]).desiredKeys == nil)
        for wrong in [parts + [#""other":1"#], parts + [parts[0]], [parts[0]], [parts[0], #""recordIDs":null"#]] {
            #expect(throws: CabinetError.self) { try read(wrong) }
        }
    }

    private func read(_ parts: [String]) throws -> FetchRecordsRequest {
        try FetchRecordsRequest.coding.decode(Array("{\(parts.joined(separator: ","))}".utf8))
    }
}
