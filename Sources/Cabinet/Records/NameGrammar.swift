/// The characters that a name may contain.
///
/// The rules are CloudKit's (CKRecord.h, CKRecordID.h, CKRecordZoneID.h).
struct NameGrammar: Sendable {
    /// The characters that a name may begin with.
    let first: Characters

    /// The characters that may follow the first one.
    let others: Characters

    /// The maximum length of every name, in characters.
    static let maximumLength = 255

    /// A record type or a field: an ASCII letter, then letters, digits and underscores.
    static let identifier = NameGrammar(first: .letters, others: [.letters, .digits, .underscore])

    /// A record or a zone: printable characters that do not begin with an underscore.
    static let recordName = NameGrammar(first: .printable.subtracting(.underscore), others: .printable)

    /// A user record: printable characters that begin with an underscore.
    static let userRecordName = NameGrammar(first: .underscore, others: .printable)

    /// Printable characters.
    static let printable = NameGrammar(first: .printable, others: .printable)

    /// A container's identifier: a letter or digit, then letters, digits, dots, hyphens and underscores.
    static let containerIdentifier = NameGrammar(
        first: [.letters, .digits], others: [.letters, .digits, .underscore, .dotAndHyphen])

    /// The names that every record has as properties, which no field can have.
    static let reservedFieldKeys: Set<String> = [
        "creationDate", "creatorUserRecordID", "lastModifiedUserRecordID", "modificationDate",
        "modifiedByDevice", "parent", "recordChangeTag", "recordID", "recordType", "share",
    ]

    /// Returns why a field cannot have the name of a property; `nil` if it can.
    static func refusal(ofReserved key: Record.FieldKey) -> String? {
        reservedFieldKeys.contains(key)
            ? "'\(key)' is a property of every record, and no field can have that name." : nil
    }

    /// Returns a Boolean value that indicates whether a name follows the grammar.
    func allows(_ name: String) -> Bool {
        name.withScalars { bytes in
            guard let start = bytes.first, bytes.count <= Self.maximumLength, first.contains(start) else {
                return false
            }
            // Without branches, the loop processes many bytes at once.
            if others == .printable {
                let space = UInt8(ascii: " ")
                return bytes.reduce(0) { max($0, $1 &- space) } <= UInt8(ascii: "~") - space
            }
            return bytes.allSatisfy { others.contains($0) }
        }
    }
}

extension NameGrammar {
    /// A set of ASCII characters.
    struct Characters: OptionSet, Sendable {
        /// A bit for each group of characters.
        let rawValue: UInt8

        static let letters = Characters(rawValue: 1)
        static let digits = Characters(rawValue: 2)
        static let underscore = Characters(rawValue: 4)
        static let dotAndHyphen = Characters(rawValue: 8)
        private static let others = Characters(rawValue: 16)

        /// All characters that are visible in print, and the space.
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
}
