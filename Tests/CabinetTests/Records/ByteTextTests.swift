import Cabinet
import Foundation
import Testing

@Suite("Bytes as texts")
struct ByteTextTests {
    @Test("Hexadecimal digits are lowercase, and are read in either case, in pairs")
    func hexadecimal() {
        let all = Data(0...255)
        #expect(Data(hexadecimal: all.hexadecimal) == all)
        #expect(Data([0, 0x0A, 0xF9]).hexadecimal == "000af9" && Data().hexadecimal.isEmpty)
        #expect(Data(hexadecimal: "0Af9") == Data([0x0A, 0xF9]) && Data(hexadecimal: "") == Data())
        for text in ["0", "0af", "0g", "0x", "\u{FF10}\u{FF11}", "é"] {
            #expect(Data(hexadecimal: text) == nil, "\(text)")
        }
    }

    @Test("Base64 for URLs has no padding, and is read strictly where a text has one spelling alone")
    func base64() {
        for count in 0..<9 {
            let bytes = RandomBytes.make(count)
            let text = URLBase64.encode(bytes)
            #expect(bytes.count == count && text.utf8.count == (4 * count + 2) / 3)
            #expect(URLBase64.decode(text) == bytes && URLBase64.decodeStrictly(text) == bytes)
        }
        #expect(URLBase64.encode([0xFB, 0xFF]) == "-_8" && URLBase64.decode("+/8") == [0xFB, 0xFF])
        for text in ["+/8", "-_8=", "-_9"] { #expect(URLBase64.decodeStrictly(text) == nil, "\(text)") }
        #expect(URLBase64.random(16).utf8.count == 22 && URLBase64.random(16) != URLBase64.random(16))
    }
}
