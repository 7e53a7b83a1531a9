import Cabinet
import SQLSupport

/// A comparison of numbers of one type with a number that may be of the other, said with one of the same type.
///
/// SQL rounds whole numbers to DOUBLE before it compares them with one; the filter language compares exactly.
enum NumberComparison: Equatable {
    /// No number is so.
    case never
    /// Every number is so.
    case always
    /// Those are that stand so to a number of their own type.
    case ordered(OrderSign, SQLValue)

    /// The number of a type that equals a number; `nil` if none does.
    static func equal(_ number: FieldValue, in type: FieldType.Scalar) -> SQLValue? {
        switch (type, number) {
        case (.int64, .int64(let number)): return .integer(number)
        case (.int64, .double(let number)): return Int64(exactly: number).map(SQLValue.integer)
        case (.double, .double(let number)): return number.isNaN ? nil : .double(number)
        case (.double, .int64(let number)): return Double(exactly: number).map(SQLValue.double)
        default: return nil
        }
    }

    /// - Parameters:
    ///   - sign: How the numbers of a type stand to the number.
    ///   - number: The number.
    ///   - type: INT64 or DOUBLE.
    init(_ sign: OrderSign, _ number: FieldValue, in type: FieldType.Scalar) {
        switch (type, number) {
        case (.int64, .int64(let number)): self = .ordered(sign, .integer(number))
        case (.double, .double(let number)): self = number.isNaN ? .never : .ordered(sign, .double(number))
        case (.int64, .double(let number)): self.init(sign, fraction: number)
        case (.double, .int64(let number)): self.init(sign, whole: number)
        default: self = .never
        }
    }

    /// Whole numbers beside a floating-point one: the next whole number on the right side of it decides.
    private init(_ sign: OrderSign, fraction: Double) {
        if fraction.isNaN {
            self = .never
            return
        }
        // Above are `n > 2.5`, which is `n > 2`, and `n <= 2.5`, which is `n <= 2`; the others look upwards.
        let isDown = sign == .greater || sign == .lessOrEqual
        let whole = fraction.rounded(isDown ? .down : .up)
        if let integer = Int64(exactly: whole) {
            self = .ordered(sign, .integer(integer))
        } else {
            self = (whole > 0) == sign.isUpwards ? .never : .always
        }
    }

    /// Floating-point numbers beside a whole one, which may lie between two of them.
    private init(_ sign: OrderSign, whole: Int64) {
        if let exact = Double(exactly: whole) {
            self = .ordered(sign, .double(exact))
            return
        }
        let nearest = Double(whole)
        // The nearest one may be one above the largest whole number.
        let isAbove = Int64(exactly: nearest).map { $0 > whole } ?? (nearest > 0)
        let bound =
            sign.isUpwards ? (isAbove ? nearest : nearest.nextUp) : (isAbove ? nearest.nextDown : nearest)
        self = .ordered(sign.orEqual, .double(bound))
    }
}
