import Testing

@testable import TerminalProgram

@Suite("The manual page")
struct ManualPageTests {
    @Test("Quotation marks and other characters of a shell are those of the help")
    func characters() {
        let command = Command(
            words: ["query"], summary: "Print records", details: #"JSON is {"a":"b"}"#,
            examples: [#"coins query Coin "country == 'GB'" --store ~/coins^2 `pwd`\n"#]
        ) { _ in }
        let program = Program(name: "coins", summary: "Coins", commands: [command], notes: "", exitCodes: [])
        let lines = ManualPage(program).text.split(separator: "\n")
        #expect(lines.contains(#"JSON is {\(dqa\(dq:\(dqb\(dq}"#))
        #expect(
            lines.contains(
                #".B coins query Coin \(dqcountry == \(aqGB\(aq\(dq \-\-store \(ti/coins\(ha2 \(gapwd\(ga\en"#))
    }
}
