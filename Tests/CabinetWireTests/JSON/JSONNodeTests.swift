import Cabinet
import Foundation
import Testing

@testable import CabinetWire

@Suite("Values of a checked JSON text")
struct JSONNodeTests {
    private func root(_ text: String) throws -> JSONNode { try JSONText(Array(text.utf8)).root }

    @Test("are read by key and by position")
    func reading() throws {
        let node = try root(#"{"a":[1,-9223372036854775808,2.5,"x\n",true,null],"b\u0063":{"d":"é😀"},"e":"AQI="}"#)
        let list = Array(try #require(node["a"]).elements)
        #expect(try list[0].int64() == 1)
        #expect(try list[1].int64() == .min)
        #expect(try list[2].double() == 2.5)
        #expect(try list[3].string() == "x\n")
        #expect(try list[4].bool())
        #expect(list[5].isNull)
        #expect(try node["bc"]?["d"]?.string() == "é😀")
        #expect(try node["e"]?.data() == Data([1, 2]))
        #expect(node["z"] == nil)
        #expect(node.members.map(\.key) == ["a", "bc", "e"])
        #expect(node.has("bc") && !node.has("c"))
        #expect(try root(#"{"a":null}"#).has("a"))
        #expect(try root(#"{"a":null}"#)["a"] == nil)
    }

    @Test(
        "of another kind are refused with their path",
        arguments: [
            (#"{"records":[{"a":1},{"fields":{"name":7}}]}"#, "records[1].fields.name"),
            (#"{"a":[[0,[1]]]}"#, "a[0][1][0]"),
            (#"{"a":{},"b":[],"c":{"d":1}}"#, "c.d"),
        ])
    func path(text: String, path: String) throws {
        var node = try root(text)
        while let last = Array(node.members).last?.value ?? Array(node.elements).last { node = last }
        #expect { try node.string() } throws: {
            ($0 as? CabinetError)?.message == "'\(path)' is not valid: expected a text."
        }
    }

    @Test("are refused with the path of a missing member")
    func missing() throws {
        let node = try root(#"{"a":[{"b":1}]}"#)
        let element = try #require(node["a"].map { Array($0.elements) }?.first)
        #expect { try element.required("c") } throws: { ($0 as? CabinetError)?.message == "'a[0].c' is missing." }
        #expect { try node.required("c") } throws: { ($0 as? CabinetError)?.message == "'c' is missing." }
    }

    @Test(
        "are not read from a hostile text",
        arguments: [
            "", "{", "nul", "01", "1.", "1e", "-", "+1", "NaN", "[1,]", "{\"a\":1,}", "{\"a\":1 \"b\":2}", "\u{FEFF}{}",
            "{} {}",
            #"{"a":1,"a":2}"#, #"{"a":{"b":1,"\u0062":2}}"#, #""\ud800""#, #""\udc00\ud800""#, #""\x""#, "\"\u{1}\"",
            "\"a",
            String(repeating: "[", count: 10_000),
            String(repeating: "[", count: 65) + String(repeating: "]", count: 65),
            "{\"a\":\0}",
        ])
    func hostile(_ text: String) {
        #expect(throws: CabinetError(.invalidArguments)) { try JSONText(Array(text.utf8)) }
    }

    @Test(
        "are not read from bytes that are not UTF-8",
        arguments: [[0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF], [0xE2, 0x82]] as [[UInt8]])
    func encoding(_ bytes: [UInt8]) {
        #expect(throws: CabinetError(.invalidArguments)) { try JSONText([0x22] + bytes + [0x22]) }
    }

    @Test("may be numbers of any size, which are refused where they do not fit")
    func numbers() throws {
        for text in [
            "9223372036854775808", "-9223372036854775809", "1e999", "1.5", "1" + String(repeating: "0", count: 400),
        ] {
            let node = try root(text)
            #expect(throws: CabinetError(.invalidArguments)) { try node.int64() }
        }
        #expect(try root("9223372036854775808").double() == 9223372036854775808)
        #expect(throws: CabinetError(.invalidArguments)) { try root("1e999").double() }
        #expect(try root("-0").int64() == 0)
        #expect(try root("1E2").double() == 100)
    }
}
