import Testing

@testable import TerminalProgram

@Suite("Terminal: text in columns")
struct ColumnsTests {
    @Test(
        "Characters of no, one and two columns",
        arguments: [
            ("a", 1), ("é", 1), ("e\u{301}", 1), ("日", 2), ("ｱ", 1), ("Ａ", 2), ("한", 2),
            ("\u{1112}\u{1161}\u{11AB}", 2),
            ("🧀", 2), ("👩‍👩‍👧", 2), ("🇨🇭", 2), ("❤️", 2), ("❤", 1), ("\u{200B}", 0), ("\u{7}", 0), ("…", 1), ("→", 1),
            ("𠮷", 2),
        ])
    func width(text: String, columns: Int) {
        #expect(text.columns == columns)
        #expect((text + "x" + text).columns == 2 * columns + 1)
    }

    @Test("A text that is too long ends with an ellipsis, and is never wider than it may be")
    func truncation() {
        #expect("Milk".truncated(toColumns: 4) == "Milk")
        #expect("Milks".truncated(toColumns: 4) == "Mil…")
        #expect("日本語".truncated(toColumns: 5) == "日本…")
        #expect("日本語".truncated(toColumns: 4) == "日…")
        #expect("日本語".fitted(toColumns: 4) == "日… ")
        #expect("e\u{301}e\u{301}e\u{301}".truncated(toColumns: 2) == "e\u{301}…")
        for text in ["", "a", "日本語", "🧀🧀", "a日b"] {
            for columns in 0...8 {
                #expect(text.truncated(toColumns: columns).columns <= columns)
                #expect(text.fitted(toColumns: columns).columns == columns)
                #expect((StyledText(text, .bold) + "ab").fitted(toColumns: columns).columns <= columns)
            }
        }
    }

    @Test("Lines are broken between words, and within a word that is too long")
    func wrapping() {
        #expect("We walk at dawn.".wrapped(toColumns: 8) == ["We walk", "at dawn."])
        #expect("Donaudampf".wrapped(toColumns: 4) == ["Dona", "udam", "pf"])
        #expect("日本語".wrapped(toColumns: 4) == ["日本", "語"])
        #expect("a\n\nb".wrapped(toColumns: 4) == ["a", "", "b"])
        #expect("日".wrapped(toColumns: 1) == ["日"])
        #expect(String(repeating: "x", count: 100_000).wrapped(toColumns: 10).count == 10_000)
    }

    @Test("A table gives way in its widest columns")
    func table() {
        let rows = [["A very long name indeed", "12", "x"], ["日本語", "1", "y"]]
        #expect(rows.aligned() == ["A very long name indeed  12  x", "日本語                   1   y"])
        #expect(rows.aligned(toColumns: 20) == ["A very long …  12  x", "日本語         1   y"])
        let lists = [["a-long-name", "one, two, three, four, five, six", "1"]]
        #expect(lists.aligned(toColumns: 30) == ["a-long-name  one, two, thr…  1"])
        #expect(lists.aligned(toColumns: 24) == ["a-long-n…  one, two…  1"])
        for columns in 1...40 { #expect(rows.aligned(toColumns: columns).allSatisfy { $0.columns <= columns }) }
    }

    @Test("Text cannot move the cursor or reverse the text after it")
    func printable() {
        let text = "a\u{1B}[2J\u{202E}b\u{2028}\u{9B}".printable
        #expect(text == #"a\u{1B}[2J\u{202E}b\u{2028}\u{009B}"#)
        #expect("Käse 🧀 日本".printable == "Käse 🧀 日本")
    }

    @Test("A page fills every screen, at any size")
    func pages() {
        let body = (0..<50).map { StyledText("Row \($0) 日本") }
        for rows in 1...30 {
            for columns in [1, 2, 7, 80] {
                let page = Page(title: "Title", status: "1 of 50", body: body, message: "a\nb", keys: [("q", "quit")])
                let lines = page.lines(in: TerminalSize(rows: rows, columns: columns))
                #expect(lines.count == rows)
                #expect(lines.allSatisfy { $0.columns <= columns }, "\(rows) × \(columns)")
            }
        }
    }
}
