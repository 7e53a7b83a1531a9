import Testing

@testable import TerminalProgram

@Suite("Terminal: lists and editors")
struct EditorTests {
    /// Whether each of some keys is handled.
    private func handled(_ keys: [Key], by handle: (Key) -> Bool) -> Bool {
        keys.map(handle).allSatisfy(\.self)
    }

    @Test("Editing in the middle of a line; a combining mark joins the letter before it")
    func line() {
        var field = TextField("Mik")
        #expect(
            handled([.left, .character("l"), .end, .character("e"), .character("\u{301}"), .backspace, .home] as [Key])
            { field.handle($0) })
        #expect(field.text == "Milk")
        #expect(
            handled([.delete, .character("S"), .paste("a\nb"), .control("k"), .control("w"), .left] as [Key]) {
                field.handle($0)
            })
        #expect(field.text == "Sa ")
        #expect(handled([.enter, .up]) { !field.handle($0) })
    }

    @Test("The cursor is always visible")
    func visible() {
        for text in ["", "abc", "日本語日本語", String(repeating: "x", count: 100)] {
            var field = TextField(text)
            for _ in 0...text.count {
                for columns in 3...12 {
                    let visible = field.visible(columns: columns)
                    #expect(visible.text.columns <= columns && visible.cursor < columns)
                }
                _ = field.handle(.left)
            }
        }
    }

    @Test("Several lines: breaking, joining, pasting, moving")
    func lines() {
        var area = TextArea("one\ntwo")
        #expect(handled([.enter, .paste("a\nb"), .up, .up, .home, .backspace] as [Key]) { area.handle($0) })
        #expect(area.text == "onetwo\na\nb")
        #expect(handled([.enter]) { area.handle($0) })
        #expect(area.text == "one\ntwo\na\nb")
        #expect(handled([.end, .delete]) { area.handle($0) })
        #expect(area.text == "one\ntwoa\nb")
        #expect(handled([.down]) { area.handle($0) })
        #expect(handled([.down]) { !area.handle($0) })
        let visible = area.visible(rows: 2, columns: 10, hasFocus: true)
        #expect(visible.lines == ["twoa", "b"])
        #expect(visible.cursor.row == 1)
    }

    @Test("A form: fields, and the keys that save or cancel it")
    func form() {
        var form = Form([.line("Name", "Milk"), .text("Text", ""), .line("Number", "1")])
        for key in [.character("!"), .tab, .character("a"), .enter, .character("b"), .down, .character("2")] as [Key] {
            _ = form.handle(key)
        }
        #expect(form.texts == ["Milk!", "a\nb", "12"])
        #expect(handled([.enter, .control("s")]) { form.handle($0) == .save })
        #expect(handled([.escape]) { form.handle($0) == .cancel })
        for rows in 1...8 {
            for columns in 1...20 {
                let lines = form.lines(rows: rows, columns: columns).lines
                #expect(lines.count >= 3)
            }
        }
    }

    @Test("A selection stays with its row, and a row that was deleted gives it to its successor")
    func selection() {
        var rows = RowList<Int>()
        #expect(rows.selection == nil)
        #expect(handled([.down]) { rows.handle($0) })
        rows.resize(toHeight: 3)
        rows.update(Array(0..<10))
        _ = rows.handle(.end)
        #expect(rows.selection == 9)
        #expect(rows.visible == 7..<10)
        rows.update([20, 21] + Array(0..<10))
        #expect(rows.selection == 9)
        rows.update(Array(0..<9))
        #expect(rows.selection == 8)
        #expect(rows.visible == 6..<9)
        rows.selectLater(30)
        rows.update([30] + Array(0..<9))
        #expect(rows.selection == 30)
        #expect(rows.visible == 0..<3)
        _ = rows.handle(.pageDown)
        #expect(rows.selection == 2)
        rows.update([])
        #expect(rows.selection == nil)
        #expect(rows.visible.isEmpty)
    }

    @Test("A search takes the keys while it is typed, apart from those that move the selection")
    func search() {
        var search = RowSearch()
        let rows = ["Milk", "Oat milk", "Käse"]
        #expect(handled([.character("m"), .escape, .enter, .up]) { !search.handle($0) })
        #expect(handled([.character("/"), .character("m"), .paste("I"), .character("q")]) { search.handle($0) })
        #expect(search.found(in: rows, \.self) == [])
        #expect(handled([.backspace] as [Key]) { search.handle($0) })
        #expect(search.found(in: rows, \.self) == ["Milk", "Oat milk"])
        #expect(handled([.down, .pageUp]) { !search.handle($0) })
        #expect(handled([.enter]) { search.handle($0) })
        #expect(handled([.character("q"), .left, .enter]) { !search.handle($0) })
        #expect(search.found(in: rows, \.self) == ["Milk", "Oat milk"])
        #expect(handled([.character("/"), .control("u"), .character("k"), .character("a")]) { search.handle($0) })
        #expect(search.found(in: rows, \.self) == ["Käse"])
        #expect(handled([.escape]) { search.handle($0) } && handled([.escape]) { !search.handle($0) })
        #expect(search.found(in: rows, \.self) == rows)
    }

    @Test("The nearest word is suggested, and none if all are far away")
    func suggestions() {
        let words = ["lists", "items", "items add", "demo", "interactive"]
        for (typed, meant) in [
            ("list", "lists"), ("itmes", "items"), ("item add", "items add"), ("dmeo", "demo"), ("xyz", nil), ("", nil),
            ("interactiev", "interactive"),
        ] {
            #expect(typed.nearest(of: words) == meant)
        }
    }
}
