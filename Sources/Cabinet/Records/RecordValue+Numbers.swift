/// Numbers convert as `NSNumber` does when Swift casts it.
///
/// A whole number reads as every integer type that can hold it, and as every floating-point type. A floating-point
/// number reads as an integer if it has no fraction.
extension RecordValue where Self: FixedWidthInteger & Sendable {
    /// INT64.
    public static var fieldType: FieldType { .int64 }

    /// The number, or `nil` if it does not fit a signed 64-bit integer.
    @inlinable
    public var fieldValue: FieldValue? { Int64(exactly: self).map(FieldValue.int64) }

    /// Reads a number, or returns `nil` if this type cannot hold it exactly.
    @inlinable
    public init?(fieldValue: FieldValue) {
        switch fieldValue {
        case .int64(let value): self.init(exactly: value)
        case .double(let value): self.init(exactly: value)
        default: return nil
        }
    }
}

extension Int: RecordValue {}
extension Int8: RecordValue {}
extension Int16: RecordValue {}
extension Int32: RecordValue {}
extension Int64: RecordValue {}
extension UInt: RecordValue {}
extension UInt8: RecordValue {}
extension UInt16: RecordValue {}
extension UInt32: RecordValue {}
extension UInt64: RecordValue {}

extension RecordValue where Self: BinaryFloatingPoint & Sendable {
    /// DOUBLE.
    public static var fieldType: FieldType { .double }

    /// The number as a `Double`.
    @inlinable
    public var fieldValue: FieldValue? { .double(Double(self)) }

    /// Reads a number, rounded to what this type can hold.
    @inlinable
    public init?(fieldValue: FieldValue) {
        switch fieldValue {
        case .int64(let value): self.init(value)
        case .double(let value): self.init(value)
        default: return nil
        }
    }
}

extension Double: RecordValue {}
extension Float: RecordValue {}

/// A boolean is stored as 1 or 0, because CloudKit's schema has no boolean.
extension Bool: RecordValue {
    /// INT64.
    public static var fieldType: FieldType { .int64 }

    /// 1 or 0.
    @inlinable
    public var fieldValue: FieldValue? { .int64(self ? 1 : 0) }

    /// Reads 1 or 0, whole or floating; anything else gives `nil`.
    @inlinable
    public init?(fieldValue: FieldValue) {
        switch fieldValue {
        case .int64(0), .double(0): self = false
        case .int64(1), .double(1): self = true
        default: return nil
        }
    }
}
