public import Foundation

/// The value of a field as it is stored: a closed set of types that every backend knows.
///
/// Programs use ``RecordValue`` types such as `String` and `Int`. Backends switch over the cases of this type.
///
/// Two values are equal if they are stored alike: text is compared scalar by scalar, so `é` and `e` with an accent
/// differ, and not-a-number equals itself.
public enum FieldValue: Sendable {
    /// Text.
    case string(String)
    /// A whole number; booleans are 1 and 0.
    case int64(Int64)
    /// A floating-point number.
    case double(Double)
    /// An instant.
    case timestamp(Date)
    /// Bytes.
    case bytes(Data)
    /// A reference to a record.
    ///
    /// The reference is stored indirectly, which keeps all values small and lets records with the same target share it.
    indirect case reference(Reference)
    /// A place on Earth.
    indirect case location(Location)
    /// A file.
    case asset(Asset)
    /// A flat list of one type.
    case list(FieldList)
    /// A value that is encrypted before it leaves the process.
    indirect case encrypted(EncryptedValue)

    /// The type of field that this value fits.
    public var fieldType: FieldType {
        switch self {
        case .string: .string
        case .int64: .int64
        case .double: .double
        case .timestamp: .timestamp
        case .bytes: .bytes
        case .reference: .reference
        case .location: .location
        case .asset: .asset
        case .list(let list): .list(of: list.elementType)
        case .encrypted(let value): value.fieldType
        }
    }
}

extension FieldValue: Hashable {
    /// Returns a Boolean value that indicates whether two values are stored alike.
    public static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.string(let left), .string(let right)): left.hasSameScalars(as: right)
        case (.int64(let left), .int64(let right)): left == right
        case (.double(let left), .double(let right)): left == right || left.isNaN && right.isNaN
        case (.timestamp(let left), .timestamp(let right)): left == right
        case (.bytes(let left), .bytes(let right)): left == right
        case (.reference(let left), .reference(let right)): left == right
        case (.location(let left), .location(let right)): left == right
        case (.asset(let left), .asset(let right)): left == right
        case (.list(let left), .list(let right)): left == right
        case (.encrypted(let left), .encrypted(let right)): left == right
        default: false
        }
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .string(let value): value.hashScalars(into: &hasher)
        case .int64(let value): hasher.combine(value)
        case .double(let value): hasher.combine(value.isNaN ? .nan : value)
        case .timestamp(let value): hasher.combine(value)
        case .bytes(let value): hasher.combine(value)
        case .reference(let value): hasher.combine(value)
        case .location(let value): hasher.combine(value)
        case .asset(let value): hasher.combine(value)
        case .list(let value): hasher.combine(value)
        case .encrypted(let value): hasher.combine(value)
        }
    }
}

extension FieldValue {
    /// Returns a Boolean value that indicates whether both values are stored alike in a field of either type.
    ///
    /// An integer and a floating-point number without a fraction are stored alike.
    static func isSame(_ left: FieldValue?, _ right: FieldValue?) -> Bool {
        switch (left, right) {
        case (.int64(let whole), .double(let number)), (.double(let number), .int64(let whole)):
            Int64(exactly: number) == whole
        case (.list(.int64(let whole)), .list(.double(let numbers))),
            (.list(.double(let numbers)), .list(.int64(let whole))):
            numbers.count == whole.count && zip(numbers, whole).allSatisfy { Int64(exactly: $0) == $1 }
        default: left == right
        }
    }
}

extension FieldValue: CustomStringConvertible {
    /// A short text for logs: text in quotes, and the number of bytes instead of the bytes.
    public var description: String {
        switch self {
        case .string(let value): value.debugDescription
        case .int64(let value): value.description
        case .double(let value): value.description
        case .timestamp(let value): value.readableDescription
        case .bytes(let value): "\(value.count) bytes"
        case .reference(let value): value.description
        case .location(let value): value.description
        case .asset(let value): value.description
        case .list(let list): "[" + list.elements.map(\.description).joined(separator: ", ") + "]"
        case .encrypted(let value): value.description
        }
    }
}

extension FieldValue {
    /// The description, cut off where it gets long.
    func description(upTo length: Int) -> String {
        let text = description
        return text.utf8.count > length && text.count > length ? "\(text.prefix(length))…" : text
    }
}

extension Date {
    /// The description, also of a date that no calendar has; Foundation's own stops the program for one that is not a number.
    fileprivate var readableDescription: String {
        // As numbers: among dates, one that is not a number is neither before nor after any other, and so in every range.
        let seconds = timeIntervalSinceReferenceDate
        let earliest = Date.distantPast.timeIntervalSinceReferenceDate
        let latest = Date.distantFuture.timeIntervalSinceReferenceDate
        return (earliest...latest).contains(seconds) ? description : "\(seconds) seconds from 2001"
    }
}
