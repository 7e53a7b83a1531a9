import Testing

@testable import Cabinet

@Suite("Names: the message says which character is wrong")
struct NameRuleTests {
    @Test(
        "Good names",
        arguments: [
            (NameRule.recordType, "A"), (.recordType, "aZ_09"), (.fieldKey, "x"), (.recordName, "a b'c\"~!"),
            (.recordName, "0"),
            (.targetRecordName, "_user"), (.userRecordName, "_"), (.containerIdentifier, "iCloud.com.example-1_a"),
            (.recordName, String(repeating: "n", count: 255)),
        ])
    func good(_ rule: NameRule, _ name: String) {
        #expect(rule.violation(in: name) == nil)
    }

    @Test(
        "Bad names",
        arguments: [
            (NameRule.recordType, "", "The record type is empty"),
            (.recordType, "1a", #"The record type "1a" begins with '1' (U+0031)"#),
            (.fieldKey, "first name", #"The field name "first name" has U+0020 at position 6"#),
            (.recordName, "_a", #"The record name "_a" begins with '_' (U+005F)"#),
            (.recordName, "a\u{0}", #"The record name "a\0" has U+0000 at position 2"#),
            (.targetRecordName, "e\u{301}", "The record name \"e\u{301}\" has '\u{301}' (U+0301) at position 2"),
            (.containerIdentifier, "a/b", #"The container identifier "a/b" has '/' (U+002F) at position 2"#),
            (
                .targetRecordName, String(repeating: "n", count: 256),
                "The record name 'nnnnnnnnnnnnnnnnnnnn…' is longer than 255 characters"
            ),
        ])
    func bad(_ rule: NameRule, _ name: String, _ finding: String) throws {
        #expect(rule.violation(in: name)?.message == "\(finding); expected \(rule.expectation).")
        let error = try #require(throws: CabinetError.self) { try rule.validate(name) }
        #expect(error.code == rule.code)
    }

    @Test("The message names the expected form")
    func expectation() {
        #expect(
            NameRule.recordName.violation(in: "")?.message == """
                The record name is empty; expected 1 to 255 printable ASCII characters, the first of them no underscore.
                """)
    }

    @Test("A megabyte of a bad name makes a short message")
    func longNames() throws {
        let bad = "\u{E9}" + String(repeating: "n", count: 1_000_000)
        let violation = try #require(NameRule.recordName.violation(in: bad))
        #expect(violation.message.count < 300)
    }
}
