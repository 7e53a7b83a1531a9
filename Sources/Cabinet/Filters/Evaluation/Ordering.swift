import Foundation

/// The relation of one value to another in an order.
enum Ordering: Int, Sendable {
    case before = -1
    case same = 0
    case after = 1

    init<Value: Comparable>(_ left: Value, _ right: Value) {
        self = left < right ? .before : right < left ? .after : .same
    }

    /// Compares text scalar by scalar, which is byte by byte in UTF-8.
    init(_ left: String, _ right: String) {
        self = left.withScalars { left in
            right.withScalars { right in Ordering(UnsafeRawBufferPointer(left), UnsafeRawBufferPointer(right)) }
        }
    }

    /// Compares bytes one by one; a beginning comes before the whole.
    init(_ left: Data, _ right: Data) {
        self = left.withUnsafeBytes { left in right.withUnsafeBytes { right in Ordering(left, right) } }
    }

    private init(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) {
        let shared = min(left.count, right.count)
        if shared > 0, let leftStart = left.baseAddress, let rightStart = right.baseAddress {
            let difference = memcmp(leftStart, rightStart, shared)
            if difference != 0 {
                self = difference < 0 ? .before : .after
                return
            }
        }
        self.init(left.count, right.count)
    }

    /// Compares by value, exactly: a whole number is not rounded to a floating-point one, which has fewer digits.
    ///
    /// `nil` if the second is not a number.
    init?(_ left: Int64, _ right: Double) {
        if right.isNaN { return nil }
        let whole = right.rounded(.towardZero)
        guard let integer = Int64(exactly: whole) else {
            self = right > 0 ? .before : .after
            return
        }
        self = left == integer ? Ordering(whole, right) : Ordering(left, integer)
    }

    var reversed: Ordering {
        switch self {
        case .before: .after
        case .same: .same
        case .after: .before
        }
    }
}

extension FieldValue {
    /// Returns the relation of this value to another one in the filter language.
    ///
    /// - Returns: `nil` for values of different kinds, for lists, locations and assets, and for not-a-number.
    func compared(to other: FieldValue) -> Ordering? {
        switch (self, other) {
        case (.string(let left), .string(let right)): Ordering(left, right)
        case (.int64(let left), .int64(let right)): Ordering(left, right)
        case (.double(let left), .double(let right)): isNotANumber || other.isNotANumber ? nil : Ordering(left, right)
        case (.int64(let left), .double(let right)): Ordering(left, right)
        case (.double(let left), .int64(let right)): Ordering(right, left)?.reversed
        case (.timestamp(let left), .timestamp(let right)):
            isNotANumber || other.isNotANumber ? nil : Ordering(left, right)
        case (.bytes(let left), .bytes(let right)): Ordering(left, right)
        default: nil
        }
    }

    /// Whether this is a number, or a date, that is none: it stands before, after or with nothing.
    var isNotANumber: Bool {
        switch self {
        case .double(let number): number.isNaN
        case .timestamp(let date): date.timeIntervalSinceReferenceDate.isNaN
        default: false
        }
    }
}
