/// Numbers convert as `NSNumber` does when Swift casts it: a whole number reads as any integer type that can hold it and
/// as any floating-point type; a floating-point number reads as an integer only when it is one.
extension RecordValue where Self: FixedWidthInteger & Sendable {
    public static var fieldType: FieldType { .int64 }

    public var fieldValue: FieldValue? { Int64(exactly: self).map(FieldValue.int64) }

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
    public static var fieldType: FieldType { .double }

    public var fieldValue: FieldValue? { .double(Double(self)) }

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
    public static var fieldType: FieldType { .int64 }

    public var fieldValue: FieldValue? { .int64(self ? 1 : 0) }

    public init?(fieldValue: FieldValue) {
        switch fieldValue {
        case .int64(0), .double(0): self = false
        case .int64(1), .double(1): self = true
        default: return nil
        }
    }
}
