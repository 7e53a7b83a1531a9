public import Foundation

/// The class in which untyped reads return numbers, as CloudKit does.
///
/// `record["number"]` holds an `NSNumber`, so that `as? Bool`, `as? Int`, `as? Int64`, `as? Double` and every other number type
/// work, each if the type can hold the value exactly.
extension NSNumber: RecordValue {
    /// The class itself.
    public typealias Compared = NSNumber

    /// DOUBLE, which can hold every number; a number of an integer type is stored as INT64.
    public static var fieldType: FieldType { .double }

    /// INT64 for a number of an integer type or a boolean, else DOUBLE; `nil` above `Int64.max`.
    public var fieldValue: FieldValue? {
        switch UInt8(truncatingIfNeeded: objCType.pointee) {
        case UInt8(ascii: "d"), UInt8(ascii: "f"): .double(doubleValue)
        default: Int64(exactly: self).map(FieldValue.int64)
        }
    }
}

extension RecordValue where Self: NSNumber {
    /// Reads a number; anything else gives `nil`.
    public init?(fieldValue: FieldValue) {
        let number: NSNumber? =
            switch fieldValue {
            case .int64(let value): NSNumber(value: value)
            case .double(let value): NSNumber(value: value)
            default: nil
            }
        guard let number = number as? Self else { return nil }
        self = number
    }
}
