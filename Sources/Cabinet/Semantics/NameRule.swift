/// What a name may be made of, and the sentence that says which character is wrong.
///
/// The rules are CloudKit's (CKRecord.h, CKRecordID.h, CKRecordZoneID.h).
struct NameRule: Sendable {
    /// What the name is a name of, as the beginning of a sentence.
    let subject: String
    let code: CabinetError.Code
    let maximumLength: Int
    let allowedFirst: @Sendable (Unicode.Scalar) -> Bool
    let allowed: @Sendable (Unicode.Scalar) -> Bool
    /// The rule in words, as the end of a sentence.
    let expectation: String

    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool {
        ("0"..."9").contains(scalar)
    }

    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        (" "..."~").contains(scalar)
    }

    /// A record type: an ASCII letter, then letters, digits and underscores.
    static let recordType = identifier("The record type")

    /// A field: an ASCII letter, then letters, digits and underscores.
    static let fieldKey = identifier("The field name")

    private static func identifier(_ subject: String) -> NameRule {
        NameRule(
            subject: subject, code: .invalidArguments, maximumLength: 255, allowedFirst: isLetter,
            allowed: { isLetter($0) || isDigit($0) || $0 == "_" },
            expectation: "1 to 255 ASCII letters, digits and underscores, the first of them a letter")
    }

    /// The name of a record that a program makes.
    static let recordName = NameRule(
        subject: "The record name", code: .invalidArguments, maximumLength: 255,
        allowedFirst: { isPrintable($0) && $0 != "_" }, allowed: isPrintable,
        expectation: "1 to 255 printable ASCII characters, the first of them no underscore")

    /// The name of a record that is looked for, which may be a user's own.
    static let targetRecordName = NameRule(
        subject: "The record name", code: .invalidArguments, maximumLength: 255,
        allowedFirst: isPrintable, allowed: isPrintable,
        expectation: "1 to 255 printable ASCII characters")

    /// The name of a user's own record, as no program can name a record: nobody's record can be taken for a user's.
    static let userRecordName = NameRule(
        subject: "The account's user record name", code: .invalidArguments, maximumLength: 255,
        allowedFirst: { $0 == "_" }, allowed: isPrintable,
        expectation: "1 to 255 printable ASCII characters, the first of them an underscore")

    /// The name of a zone that a program makes.
    static let zoneName = NameRule(
        subject: "The zone name", code: .invalidArguments, maximumLength: 255,
        allowedFirst: { isPrintable($0) && $0 != "_" }, allowed: isPrintable,
        expectation: "1 to 255 printable ASCII characters, the first of them no underscore")

    /// The name of a subscription.
    static let subscriptionID = printable("The subscription's ID")

    /// The name of a device.
    static let deviceID = printable("The device's ID")

    private static func printable(_ subject: String) -> NameRule {
        NameRule(
            subject: subject, code: .invalidArguments, maximumLength: 255, allowedFirst: isPrintable,
            allowed: isPrintable, expectation: "1 to 255 printable ASCII characters")
    }

    /// A container's identifier.
    static let containerIdentifier = NameRule(
        subject: "The container identifier", code: .badContainer, maximumLength: 255,
        allowedFirst: { isLetter($0) || isDigit($0) },
        allowed: { isLetter($0) || isDigit($0) || ".-_".unicodeScalars.contains($0) },
        expectation: "1 to 255 ASCII letters, digits, dots, hyphens and underscores, the first a letter or digit")

    /// Throws an error that names the first wrong character and its place.
    func validate(_ name: String) throws(CabinetError) {
        if let complaint = complaint(about: name) { throw CabinetError(code, complaint) }
    }

    /// What is wrong with a name, and what was expected; `nil` if nothing is.
    func complaint(about name: String) -> String? {
        let expected = "expected \(expectation)"
        if name.isEmpty { return "\(subject) is empty; \(expected)." }
        for (index, scalar) in name.unicodeScalars.enumerated() {
            if index >= maximumLength {
                return "\(subject) '\(name.prefix(20))…' is longer than \(maximumLength) characters; \(expected)."
            }
            if !(index == 0 ? allowedFirst(scalar) : allowed(scalar)) {
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

extension NameRule {
    /// The names that every record has as properties, which no field can have.
    static let reservedFieldKeys: Set<String> = [
        "creationDate", "creatorUserRecordID", "etag", "lastModifiedUserRecordID", "modificationDate",
        "modifiedByDevice", "parent", "recordChangeTag", "recordID", "recordType", "share",
    ]
}
