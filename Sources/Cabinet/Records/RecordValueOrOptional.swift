/// A type that a typed field can have: a ``RecordValue``, or an optional one.
///
/// Every record value conforms without further code. An enumeration with raw values declares that it conforms to ``RecordValue``,
/// and a `Codable` structure that it conforms to ``JSONRecordValue``.
public protocol RecordValueOrOptional: Sendable {
    /// The type of the values that a filter compares the field with: an optional's wrapped type, else the type itself.
    associatedtype Compared: RecordValue = Self

    /// The shape of the content, which decides whether records can be sorted and grouped by it.
    associatedtype FieldShape = ContentShape.Scalar

    /// Returns the content of a stored value, or `nil` if there is none or it is of another type.
    static func content(of fieldValue: FieldValue?) -> Self?

    /// Returns the value to store, or `nil` to remove the field's value.
    static func recordValue(of content: Self) -> (any RecordValue)?
}

extension RecordValue {
    /// Returns the stored value in this type, or `nil` if it is of another type.
    @inlinable
    public static func content(of fieldValue: FieldValue?) -> Self? {
        guard let fieldValue else { return nil }
        return Self(fieldValue: fieldValue)
    }

    /// Returns the content itself.
    @inlinable
    public static func recordValue(of content: Self) -> (any RecordValue)? { content }
}

extension Optional: RecordValueOrOptional where Wrapped: RecordValue {
    /// The wrapped type.
    public typealias Compared = Wrapped

    /// The shape of the wrapped type.
    public typealias FieldShape = Wrapped.FieldShape

    /// Returns the stored value in the wrapped type, or `nil` if it is of another type.
    @inlinable
    public static func content(of fieldValue: FieldValue?) -> Wrapped?? {
        guard let fieldValue, let value = Wrapped(fieldValue: fieldValue) else { return nil }
        return .some(value)
    }

    /// Returns the wrapped value.
    @inlinable
    public static func recordValue(of content: Wrapped?) -> (any RecordValue)? { content }
}

extension Array: RecordValueOrOptional where Element: RecordValue {
    /// Lists have elements, and no order.
    public typealias FieldShape = ContentShape.List
}

/// The shapes of the content of typed fields, which decide at compile time whether records can be sorted and grouped by a field.
public enum ContentShape {
    /// The shape of content that has an order: text, numbers, dates, bytes and references.
    public enum Scalar {}

    /// The shape of lists.
    public enum List {}

    /// The shape of locations, which have distances.
    public enum Location {}

    /// The shape of assets.
    public enum Asset {}
}
