public import Foundation

/// Content with an empty value, which a field reads as if a record has no value: `nil`, 0, `false`, or nothing.
///
/// A field of another type, such as `Date` or an enumeration, is optional or has a default.
public protocol EmptyFieldContent: RecordValueOrOptional {
    /// The empty value.
    static var emptyContent: Self { get }
}

extension Optional: EmptyFieldContent where Wrapped: RecordValue {
    /// `nil`.
    public static var emptyContent: Wrapped? { nil }
}

extension Array: EmptyFieldContent where Element: RecordValue {
    /// A list without elements.
    public static var emptyContent: [Element] { [] }
}

extension EmptyFieldContent where Self: Numeric {
    /// Zero.
    public static var emptyContent: Self { .zero }
}

extension String: EmptyFieldContent {
    /// An empty text.
    public static var emptyContent: String { "" }
}

extension Data: EmptyFieldContent {
    /// No bytes.
    public static var emptyContent: Data { Data() }
}

extension Bool: EmptyFieldContent {
    /// `false`.
    public static var emptyContent: Bool { false }
}

extension Int: EmptyFieldContent {}
extension Int8: EmptyFieldContent {}
extension Int16: EmptyFieldContent {}
extension Int32: EmptyFieldContent {}
extension Int64: EmptyFieldContent {}
extension UInt: EmptyFieldContent {}
extension UInt8: EmptyFieldContent {}
extension UInt16: EmptyFieldContent {}
extension UInt32: EmptyFieldContent {}
extension UInt64: EmptyFieldContent {}
extension Double: EmptyFieldContent {}
extension Float: EmptyFieldContent {}

extension RecordValueOrOptional {
    /// Whether the absence of a value is an omission: not for optionals and lists.
    static var isRequiredContent: Bool { Compared.self == Self.self && !Compared.fieldType.isList }
}
