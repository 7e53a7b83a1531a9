/// The type of a field's values: one of eight types, a list of values of one of them, or an encrypted type.
///
/// A field's type is fixed by the first record saved with a value in it. Saving a value of another type throws
/// ``CabinetError/Code/invalidArguments``, except that whole numbers also fit DOUBLE fields. <doc:RecordsAndValues> lists
/// the Swift types of each.
public struct FieldType: Sendable, Hashable {
    /// The type before encryption, or the type itself.
    private let plainScalar: Scalar
    private let isPlainList: Bool

    /// A Boolean value that indicates whether the values are encrypted.
    public let isEncrypted: Bool

    /// Creates a field type.
    public init(_ scalar: Scalar, isList: Bool = false) {
        self.init(scalar, isList: isList, isEncrypted: false)
    }

    private init(_ scalar: Scalar, isList: Bool, isEncrypted: Bool) {
        plainScalar = scalar
        isPlainList = isList
        self.isEncrypted = isEncrypted
    }

    /// Returns the type of lists with elements of a type.
    public static func list(of scalar: Scalar) -> FieldType { FieldType(scalar, isList: true) }

    /// The type of one value as it is stored: the field's own, or that of its list's elements.
    ///
    /// A store keeps an encrypted value, and also an encrypted list, as BYTES.
    public var scalar: Scalar { isEncrypted ? .bytes : plainScalar }

    /// A Boolean value that indicates whether the field holds a list.
    ///
    /// An encrypted list is stored as one value.
    public var isList: Bool { !isEncrypted && isPlainList }

    /// The type whose values are those of this one, encrypted; `nil` for references, assets and encrypted types.
    public var encrypted: FieldType? {
        if isEncrypted || plainScalar == .reference || plainScalar == .asset { return nil }
        return FieldType(plainScalar, isList: isPlainList, isEncrypted: true)
    }

    /// The type of an encrypted field's values after decryption; `nil` if the type is not encrypted.
    public var decrypted: FieldType? { isEncrypted ? FieldType(plainScalar, isList: isPlainList) : nil }

    /// Text.
    public static let string = FieldType(.string)
    /// A whole number of 64 bits; booleans are 1 and 0.
    public static let int64 = FieldType(.int64)
    /// A floating-point number of 64 bits.
    public static let double = FieldType(.double)
    /// An instant.
    public static let timestamp = FieldType(.timestamp)
    /// Bytes.
    public static let bytes = FieldType(.bytes)
    /// A reference to a record.
    public static let reference = FieldType(.reference)
    /// A place on Earth.
    public static let location = FieldType(.location)
    /// A file.
    public static let asset = FieldType(.asset)

    /// Encrypted text.
    public static let encryptedString = FieldType(.string, isList: false, isEncrypted: true)
    /// An encrypted whole number of 64 bits.
    public static let encryptedInt64 = FieldType(.int64, isList: false, isEncrypted: true)
    /// An encrypted floating-point number of 64 bits.
    public static let encryptedDouble = FieldType(.double, isList: false, isEncrypted: true)
    /// An encrypted instant.
    public static let encryptedTimestamp = FieldType(.timestamp, isList: false, isEncrypted: true)
    /// Encrypted bytes.
    public static let encryptedBytes = FieldType(.bytes, isList: false, isEncrypted: true)
    /// An encrypted place on Earth.
    public static let encryptedLocation = FieldType(.location, isList: false, isEncrypted: true)
}

extension FieldType {
    /// The eight types of single values, spelled as in CloudKit's schema language.
    public enum Scalar: String, Sendable, Hashable, Codable, CaseIterable {
        /// Text.
        case string = "STRING"
        /// A whole number of 64 bits; booleans are 1 and 0.
        case int64 = "INT64"
        /// A floating-point number of 64 bits.
        case double = "DOUBLE"
        /// An instant.
        case timestamp = "TIMESTAMP"
        /// Bytes.
        case bytes = "BYTES"
        /// A reference to a record.
        case reference = "REFERENCE"
        /// A place on Earth.
        case location = "LOCATION"
        /// A file.
        case asset = "ASSET"
    }
}

extension FieldType: LosslessStringConvertible {
    /// The type in the schema language: `STRING`, `LIST<INT64>`, `LIST<ENCRYPTED INT64>`.
    public var description: String { isPlainList ? "LIST<\(elementName)>" : elementName }

    /// The name of the type, or of the type of a list's elements: `STRING`, `ENCRYPTED INT64`.
    fileprivate var elementName: String { (isEncrypted ? Self.encryptedPrefix : "") + plainScalar.rawValue }

    /// Creates a type from its ``description``, or returns `nil` if the text is not one.
    public init?(_ description: String) {
        if description.hasPrefix("LIST<"), description.hasSuffix(">") {
            self.init(elementName: String(description.dropFirst(5).dropLast()), isList: true)
        } else {
            self.init(elementName: description, isList: false)
        }
    }

    fileprivate init?(elementName: String, isList: Bool) {
        let isEncrypted = elementName.hasPrefix(Self.encryptedPrefix)
        let name = isEncrypted ? String(elementName.dropFirst(Self.encryptedPrefix.count)) : elementName
        guard let scalar = Scalar(rawValue: name) else { return nil }
        let type = FieldType(scalar, isList: isList)
        guard let type = isEncrypted ? type.encrypted : type else { return nil }
        self = type
    }

    private static let encryptedPrefix = "ENCRYPTED "
}

extension FieldType: Codable {
    private enum CodingKeys: String, CodingKey {
        case scalar, isList
    }

    /// Decodes what ``encode(to:)`` wrote.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let name = try values.decode(String.self, forKey: .scalar)
        guard let type = FieldType(elementName: name, isList: try values.decode(Bool.self, forKey: .isList)) else {
            throw DecodingError.dataCorruptedError(
                forKey: .scalar, in: values, debugDescription: "'\(name)' is not a field type")
        }
        self = type
    }

    /// Encodes the name of the type, or of a list's elements, and whether it is a list.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(elementName, forKey: .scalar)
        try values.encode(isPlainList, forKey: .isList)
    }
}
