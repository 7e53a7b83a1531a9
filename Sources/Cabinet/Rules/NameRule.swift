/// What a name may be made of, and the sentence that says which character is wrong.
///
/// The rules are CloudKit's (CKRecord.h, CKRecordID.h, CKRecordZoneID.h).
struct NameRule: Sendable {
    /// What the name is a name of, as the beginning of a sentence.
    let subject: String
    let code: CabinetError.Code
    let allowedFirst: Characters
    let allowed: Characters
    /// The rule in words, as the end of a sentence.
    let expectation: String

    /// The most characters of any name.
    static let maximumLength = 255

    private init(
        _ subject: String, _ code: CabinetError.Code = .invalidArguments, first: Characters, others: Characters,
        _ expectation: String
    ) {
        self.subject = subject
        self.code = code
        allowedFirst = first
        allowed = others
        self.expectation = "1 to \(Self.maximumLength) \(expectation)"
    }

    /// A record type: an ASCII letter, then letters, digits and underscores.
    static let recordType = identifier("The record type")

    /// A field: an ASCII letter, then letters, digits and underscores.
    static let fieldKey = identifier("The field name")

    private static func identifier(_ subject: String) -> NameRule {
        NameRule(
            subject, first: .letters, others: [.letters, .digits, .underscore],
            "ASCII letters, digits and underscores, the first of them a letter")
    }

    /// The name of a record that a program makes.
    static let recordName = NameRule(
        "The record name", first: .printable.subtracting(.underscore), others: .printable,
        "printable ASCII characters, the first of them no underscore")

    /// The name of a record that is looked for, which may be a user's own.
    static let targetRecordName = printable("The record name")

    /// The name of a user's own record, as no program can name a record: nobody's record can be taken for a user's.
    static let userRecordName = NameRule(
        "The account's user record name", first: .underscore, others: .printable,
        "printable ASCII characters, the first of them an underscore")

    /// The name of a zone that a program makes.
    static let zoneName = NameRule(
        "The zone name", first: .printable.subtracting(.underscore), others: .printable,
        "printable ASCII characters, the first of them no underscore")

    /// The name of a subscription.
    static let subscriptionID = printable("The subscription's ID")

    /// The name of a device.
    static let deviceID = printable("The device's ID")

    private static func printable(_ subject: String) -> NameRule {
        NameRule(subject, first: .printable, others: .printable, "printable ASCII characters")
    }

    /// A container's identifier.
    static let containerIdentifier = NameRule(
        "The container identifier", .badContainer, first: [.letters, .digits],
        others: [.letters, .digits, .underscore, .dotAndHyphen],
        "ASCII letters, digits, dots, hyphens and underscores, the first a letter or digit")

    /// Whether a name is as the rule demands, which nearly all are.
    func allows(_ name: String) -> Bool {
        name.withScalars { bytes in
            guard let first = bytes.first, bytes.count <= Self.maximumLength, allowedFirst.contains(first) else {
                return false
            }
            // Without a way out the loop takes many bytes at once.
            if allowed == .printable { return bytes.reduce(true) { $0 && Characters.isPrintable($1) } }
            return bytes.dropFirst().allSatisfy(allowed.contains)
        }
    }

    /// Throws an error that names the first wrong character and its place.
    func validate(_ name: String) throws(CabinetError) {
        if let complaint = complaint(about: name) { throw CabinetError(code, complaint) }
    }

    /// What is wrong with a name, and what was expected; `nil` if nothing is.
    func complaint(about name: String) -> String? {
        if allows(name) { return nil }
        let expected = "expected \(expectation)"
        if name.isEmpty { return "\(subject) is empty; \(expected)." }
        for (index, scalar) in name.unicodeScalars.enumerated() {
            if index >= Self.maximumLength {
                return "\(subject) '\(name.prefix(20))…' is longer than \(Self.maximumLength) characters; \(expected)."
            }
            if !(index == 0 ? allowedFirst : allowed).contains(scalar) {
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
    /// A set of ASCII characters.
    struct Characters: OptionSet, Sendable {
        /// A bit for each group of characters.
        let rawValue: UInt8

        static let letters = Characters(rawValue: 1)
        static let digits = Characters(rawValue: 2)
        static let underscore = Characters(rawValue: 4)
        static let dotAndHyphen = Characters(rawValue: 8)
        private static let others = Characters(rawValue: 16)

        /// All that are seen on paper, and the space.
        static let printable: Characters = [.letters, .digits, .underscore, .dotAndHyphen, .others]

        static func isPrintable(_ byte: UInt8) -> Bool { (UInt8(ascii: " ")...UInt8(ascii: "~")).contains(byte) }

        func contains(_ scalar: Unicode.Scalar) -> Bool {
            scalar.isASCII && contains(UInt8(truncatingIfNeeded: scalar.value))
        }

        func contains(_ byte: UInt8) -> Bool {
            let group: Characters =
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): .letters
                case UInt8(ascii: "0")...UInt8(ascii: "9"): .digits
                case UInt8(ascii: "_"): .underscore
                case UInt8(ascii: "."), UInt8(ascii: "-"): .dotAndHyphen
                case _ where Self.isPrintable(byte): .others
                default: []
                }
            return rawValue & group.rawValue != 0
        }
    }

    /// The names that every record has as properties, which no field can have.
    static let reservedFieldKeys: Set<String> = [
        "creationDate", "creatorUserRecordID", "etag", "lastModifiedUserRecordID", "modificationDate",
        "modifiedByDevice", "parent", "recordChangeTag", "recordID", "recordType", "share",
    ]
}
