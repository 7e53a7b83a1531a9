/// The grammar of a kind of names, and the description of a violation.
package struct NameRule: Sendable {
    /// The named thing, as the beginning of a sentence.
    let subject: String
    let code: CabinetError.Code
    let grammar: NameGrammar
    /// The rule in words, as the end of a sentence.
    let expectation: String

    private init(
        _ subject: String, _ grammar: NameGrammar, _ expectation: String, code: CabinetError.Code = .invalidArguments
    ) {
        self.subject = subject
        self.code = code
        self.grammar = grammar
        self.expectation = "1 to \(NameGrammar.maximumLength) \(expectation)"
    }

    /// A record type: an ASCII letter, then letters, digits and underscores.
    package static let recordType = identifier("The record type")

    /// A field: an ASCII letter, then letters, digits and underscores.
    package static let fieldKey = identifier("The field name")

    /// A role that a schema creates.
    package static let role = identifier("The role")

    private static func identifier(_ subject: String) -> NameRule {
        NameRule(subject, .identifier, "ASCII letters, digits and underscores, the first of them a letter")
    }

    /// The name of a record that a program creates.
    package static let recordName = NameRule(
        "The record name", .recordName, "printable ASCII characters, the first of them no underscore")

    /// The name of a record to fetch or delete, which may be a user's own.
    package static let targetRecordName = printable("The record name")

    /// The name of a user's own record, which no record of a program can have.
    package static let userRecordName = NameRule(
        "The account's user record name", .userRecordName,
        "printable ASCII characters, the first of them an underscore")

    /// The name of a zone that a program creates.
    static let zoneName = NameRule(
        "The zone name", .recordName, "printable ASCII characters, the first of them no underscore")

    /// The name of a subscription.
    static let subscriptionID = printable("The subscription's ID")

    /// The name of a migration.
    static let migration = printable("The migration's name")

    /// The name of a device.
    static let deviceID = printable("The device's ID")

    private static func printable(_ subject: String) -> NameRule {
        NameRule(subject, .printable, "printable ASCII characters")
    }

    /// A container's identifier.
    package static let containerIdentifier = NameRule(
        "The container identifier", .containerIdentifier,
        "ASCII letters, digits, dots, hyphens and underscores, the first a letter or digit", code: .badContainer)

    /// Whether a name follows the rule.
    func allows(_ name: String) -> Bool { grammar.allows(name) }

    /// Throws an error that names the first wrong character and its position.
    package func validate(_ name: String) throws(CabinetError) {
        if let violation = violation(in: name) { throw violation }
    }

    /// Returns the error that names the first wrong character and its position; `nil` if the name is valid.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - recordID: The record that the name belongs to.
    ///   - fieldKey: The field that has the name, or refers to it.
    package func violation(
        in name: String, recordID: RecordID? = nil, fieldKey: Record.FieldKey? = nil
    ) -> CabinetError? {
        message(about: name).map { CabinetError(code, $0, recordID: recordID, fieldKey: fieldKey) }
    }

    /// Returns the first wrong character of a name and the expectation; `nil` if the name is valid.
    private func message(about name: String) -> String? {
        if allows(name) { return nil }
        let expected = "expected \(expectation)"
        if name.isEmpty { return "\(subject) is empty; \(expected)." }
        for (index, scalar) in name.unicodeScalars.enumerated() {
            if index >= NameGrammar.maximumLength {
                return
                    "\(subject) '\(name.prefix(20))…' is longer than \(NameGrammar.maximumLength) characters; \(expected)."
            }
            if !(index == 0 ? grammar.first : grammar.others).contains(scalar) {
                let place = index == 0 ? "begins with" : "has"
                let position = index == 0 ? "" : " at position \(index + 1)"
                let shown = name.unicodeScalars.count > 60 ? "\(name.prefix(60))…" : name
                return "\(subject) \(shown.debugDescription) \(place) \(describe(scalar))\(position); \(expected)."
            }
        }
        return nil
    }

    private func describe(_ scalar: Unicode.Scalar) -> String {
        let number = String(scalar.value, radix: 16, uppercase: true)
        let padded = String(repeating: "0", count: max(0, 4 - number.count)) + number
        return scalar.properties.isWhitespace || scalar.value < 32 ? "U+\(padded)" : "'\(scalar)' (U+\(padded))"
    }
}
