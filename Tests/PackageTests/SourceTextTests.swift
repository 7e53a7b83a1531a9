import Testing

@Suite("Source text: code, comments, and the text of strings")
struct SourceTextTests {
    @Test(
        "Comments and strings turn into spaces, code stays",
        arguments: [
            ("let a = 1 // b", "let a = 1     "),
            ("let a = 1 /* b /* c */ d */ + 2", "let a = 1                   + 2"),
            (#"let a = "b // c" + d"#, #"let a = "      " + d"#),
            (#"let a = "b\"c" + d"#, #"let a = "    " + d"#),
            (#"let a = "b \(c.d("e")) f" + g"#, #"let a = "  \(c.d(" "))  " + g"#),
            (##"let a = #"b "c" \(d) \#(e)"# + f"##, ##"let a = #"           \#(e)"# + f"##),
            ("let a = \"\"\"\n  b \"c\" // d\n  \"\"\" + e", "let a = \"\"\"\n            \n  \"\"\" + e"),
            (#"let a = "" + b // """#, #"let a = "" + b      "#),
            (#"if a.contains(/"b/) { c }"#, #"if a.contains(/  /) { c }"#),
            ("let a = b / c // d / e", "let a = b / c         "),
            ("let a = #/ \" /# + b", "let a = #/   /# + b"),
        ])
    func code(text: String, expected: String) {
        let code = SourceText(path: "Test.swift", text: text).code
        #expect(code.joined(separator: "\n") == expected)
    }

    @Test("The text of strings stays if only comments are hidden")
    func linesWithoutComments() {
        let source = SourceText(path: "Test.swift", text: "let a = \"b // c\" // d\n\nlet e = 1\n")
        #expect(source.linesWithoutComments == ["let a = \"b // c\"     ", "", "let e = 1"])
        #expect(source.lines == ["let a = \"b // c\" // d", "", "let e = 1"])
    }
}
