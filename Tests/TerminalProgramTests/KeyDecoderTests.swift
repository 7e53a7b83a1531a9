import Testing

@testable import TerminalProgram

@Suite("Terminal: the bytes of keys")
struct KeyDecoderTests {
    @Test(
        "The keys of xterm, of the Linux console and of a key pad",
        arguments: [
            ("a", [.character("a")]), ("é", [.character("é")]), ("日", [.character("日")]), ("🧀", [.character("🧀")]),
            ("\r", [.enter]), ("\t", [.tab]), ("\u{7F}", [.backspace]), ("\u{8}", [.backspace]),
            ("\u{4}", [.control("d")]),
            ("\u{1B}[A\u{1B}[B\u{1B}[C\u{1B}[D", [.up, .down, .right, .left]), ("\u{1B}OA\u{1B}OH", [.up, .home]),
            ("\u{1B}[1;5A", [.up]), ("\u{1B}[5~\u{1B}[6~", [.pageUp, .pageDown]), ("\u{1B}[3~", [.delete]),
            ("\u{1B}[1~\u{1B}[4~", [.home, .end]), ("\u{1B}[7~\u{1B}[8~", [.home, .end]), ("\u{1B}[Z", [.backTab]),
            (
                "\u{1B}[<0;3;5M\u{1B}[<0;3;5m\u{1B}[<64;1;1M\u{1B}[<65;1;1M",
                [.click(row: 4, column: 2), .scrollUp, .scrollDown]
            ),
            (
                "\u{1B}[<0;1;9223372036854775807M\u{1B}[<0;65536;1M\u{1B}[<0;65535;65535M",
                [.click(row: 65534, column: 65534)]
            ),
            ("\u{1B}[<0;0;1M\u{1B}[<35;2;2Mx", [.character("x")]), ("\u{1B}[99~x", [.character("x")]),
            ("\u{1B}x", [.escape, .character("x")]),
            ("\u{1B}[200~q\n\u{1B}[A\u{1B}[201~q", [.paste("q\n\u{1B}[A"), .character("q")]),
        ] as [(String, [Key])])
    func keys(bytes: String, keys: [Key]) {
        var decoder = KeyDecoder()
        #expect(decoder.take(Array(bytes.utf8)) == keys)
        #expect(!decoder.isWaiting)

        // Byte by byte, as over a slow connection.
        var slow = KeyDecoder()
        #expect(Array(bytes.utf8).flatMap { slow.take([$0]) } == keys)
    }

    @Test("Escape alone is a key as soon as nothing follows")
    func escape() {
        var decoder = KeyDecoder()
        #expect(decoder.take([0x1B]) == [])
        #expect(decoder.isWaiting)
        #expect(decoder.flush() == [.escape])
        #expect(!decoder.isWaiting)
    }

    @Test("Pasted text is searched once for its end, however slowly it arrives, and its end may come in parts")
    func longPaste() {
        let text = String(repeating: "a\u{1B}[201", count: 1 << 13)
        let bytes = Array("\u{1B}[200~\(text)\u{1B}[201~x\u{1B}[200~b\u{1B}[201~".utf8)
        for size in [1, 4_096] {
            var decoder = KeyDecoder()
            var keys: [Key] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                keys += decoder.take(bytes[start..<min(start + size, bytes.count)])
            }
            #expect(keys == [.paste(text), .character("x"), .paste("b")])
            // Each byte is read again as a possible beginning of the end.
            #expect(decoder.searchCount <= 7 * bytes.count, "\(decoder.searchCount)")
        }
    }

    @Test("Bytes without a meaning are skipped, and never kept")
    func nonsense() {
        var decoder = KeyDecoder()
        #expect(decoder.take([0xFF, 0xC3, 0x28, 0x00, 0x1C, 0x61]) == [.character("("), .character("a")])
        _ = decoder.take(Array("\u{1B}[".utf8) + Array(repeating: 0x31, count: 100_000))
        #expect(!decoder.isWaiting)
        _ = decoder.take(Array("\u{1B}[200~".utf8) + Array(repeating: 0x61, count: 2_000_000))
        #expect(!decoder.isWaiting)

        var random = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            let bytes = (0..<20).map { _ in UInt8.random(in: 0...255, using: &random) }
            _ = decoder.take(bytes)
            _ = decoder.flush()
            #expect(!decoder.isWaiting, "\(bytes)")
        }
    }
}
