import SQLSupport
import Testing

@Suite("Texts of columns and of index ranges")
struct TextTests {
    @Test(
        "The first text after those that begin with a prefix",
        arguments: [
            ("a", "b"), ("a\u{10FFFF}\u{10FFFF}", "b"), ("\u{10FFFF}", nil), ("x\u{D7FF}", "x\u{E000}"),
            ("\0", "\u{1}"),
            ("", nil),
        ])
    func upperBound(prefix: String, bound: String?) {
        #expect(TextRange.upperBound(ofPrefix: prefix) == bound)
    }

    @Test("A quotation mark is doubled beside any other character", arguments: ["'", "x'y", "\u{600}'", "'\u{301}''"])
    func quotationMarks(text: String) {
        func doubled(_ text: String, _ mark: String) -> [UInt8] {
            Array(mark.utf8) + text.utf8.flatMap { $0 == mark.utf8.first ? [$0, $0] : [$0] } + Array(mark.utf8)
        }
        #expect(Array(SQLName.literal(text).utf8) == doubled(text, "'"))
        let name = String(decoding: text.utf8.map { $0 == UInt8(ascii: "'") ? UInt8(ascii: "\"") : $0 }, as: UTF8.self)
        #expect(Array(SQLName.quoted(name).utf8) == doubled(name, "\""))
    }

    @Test("A text with the bytes of the row before is not decoded again, and a damaged one is refused")
    func cache() {
        var cache = StringCache()
        var decoded: [String] = []
        func read(_ text: String?, isDamaged: Bool = false) -> Bool {
            guard var text else { return cache.read(nil) { _ in nil } }
            return text.withUTF8 { bytes in
                cache.read(bytes) {
                    decoded.append(String(decoding: $0, as: UTF8.self))
                    return isDamaged ? nil : decoded.last
                }
            }
        }
        #expect(read("a") && cache.isNew && cache.text == "a")
        #expect(read("a") && !cache.isNew)
        #expect(!read(nil))
        #expect(!read("b", isDamaged: true))
        #expect(read("b") && cache.isNew && cache.text == "b")
        #expect(decoded == ["a", "b", "b"])
    }
}
