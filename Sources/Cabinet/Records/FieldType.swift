/// The type of a field's values: one of eight types, or a list of values of one of them.
///
/// A field's type is fixed by the first record saved with a value in it. Saving a value of another type throws
/// ``CabinetError/Code/invalidArguments``, except that whole numbers also fit DOUBLE fields. <doc:RecordsAndValues> lists
/// the Swift types of each.
public struct FieldType: Sendable, Hashable, Codable {
    /// The type of one value: the field's own, or that of its list's elements.
    public let scalar: Scalar

    /// Whether the field holds a list.
    public let isList: Bool

    /// Creates a field type.
    public init(_ scalar: Scalar, isList: Bool = false) {
        self.scalar = scalar
        self.isList = isList
    }

    /// Returns the type of lists with elements of a type.
    public static func list(of scalar: Scalar) -> FieldType { FieldType(scalar, isList: true) }

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
    /// The type in the schema language: `STRING`, `LIST<INT64>`.
    public var description: String { isList ? "LIST<\(scalar.rawValue)>" : scalar.rawValue }

    /// Creates a type from its ``description``, or returns `nil` if the text is not one.
    public init?(_ description: String) {
        if let scalar = Scalar(rawValue: description) {
            self.init(scalar)
        } else if description.hasPrefix("LIST<"), description.hasSuffix(">"),
            let scalar = Scalar(rawValue: String(description.dropFirst(5).dropLast()))
        {
            self.init(scalar, isList: true)
        } else {
            return nil
        }
    }
}
