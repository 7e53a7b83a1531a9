import Cabinet
import SQLSupport

/// A comparison of a column of numbers with a number of either type, expressed with a number of the column's type.
///
/// SQL rounds whole numbers to DOUBLE before it compares them with one; the filter language compares exactly.
enum NumberComparison: Equatable {
    /// A comparison that no number fulfils.
    case never
    /// A comparison that every number fulfils.
    case always
    /// A comparison with a number of the column's type.
    case ordered(OrderSign, SQLValue)

    /// Returns the number of a type that equals a number; `nil` if none does.
    static func equal(_ number: FieldValue, in type: FieldType.Scalar) -> SQLValue? {
        switch (type, number) {
        case (.int64, .int64(let number)): return .integer(number)
        case (.int64, .double(let number)): return Int64(exactly: number).map(SQLValue.integer)
        case (.double, .double(let number)): return number.isNaN ? nil : .double(number)
        case (.double, .int64(let number)): return Double(exactly: number).map(SQLValue.double)
        default: return nil
        }
    }

    /// Creates a comparison.
    ///
    /// - Parameters:
    ///   - sign: The operator between the column and the number.
    ///   - number: The number.
    ///   - type: The type of the column, INT64 or DOUBLE.
    init(_ sign: OrderSign, _ number: FieldValue, in type: FieldType.Scalar) {
        switch (type, number) {
        case (.int64, .int64(let number)): self = .ordered(sign, .integer(number))
        case (.double, .double(let number)): self = number.isNaN ? .never : .ordered(sign, .double(number))
        case (.int64, .double(let number)): self.init(sign, fraction: number)
        case (.double, .int64(let number)): self.init(sign, whole: number)
        default: self = .never
        }
    }

    /// Compares whole numbers with a fraction, using the next whole number on the correct side.
    private init(_ sign: OrderSign, fraction: Double) {
        if fraction.isNaN {
            self = .never
            return
        }
        // `n > 2.5` is `n > 2`, and `n <= 2.5` is `n <= 2`. The other operators round up.
        let isDown = sign == .greater || sign == .lessOrEqual
        let whole = fraction.rounded(isDown ? .down : .up)
        if let integer = Int64(exactly: whole) {
            self = .ordered(sign, .integer(integer))
        } else {
            self = (whole > 0) == sign.isUpwards ? .never : .always
        }
    }

    /// Compares floating-point numbers with a whole number, which may lie between two of them.
    private init(_ sign: OrderSign, whole: Int64) {
        if let exact = Double(exactly: whole) {
            self = .ordered(sign, .double(exact))
            return
        }
        let nearest = Double(whole)
        // The nearest one may exceed the largest whole number by one.
        let isAbove = Int64(exactly: nearest).map { $0 > whole } ?? (nearest > 0)
        let bound =
            sign.isUpwards ? (isAbove ? nearest : nearest.nextUp) : (isAbove ? nearest.nextDown : nearest)
        self = .ordered(sign.orEqual, .double(bound))
    }
}
