import Foundation

extension Filter.Arithmetic {
    /// Returns the result of arithmetic with two numbers; see ``Filter/Arithmetic``.
    ///
    /// A backend that computes by itself must return the same. If the result of whole numbers is not a whole number of
    /// 64 bits, both are rounded to DOUBLE first.
    ///
    /// - Returns: `nil` if an operand is nil, or if the result is not a number.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if an operand is neither a number nor nil.
    public func result(of left: FieldValue?, and right: FieldValue?) throws -> FieldValue? {
        let (left, right) = (try left.map(Number.init), try right.map(Number.init))
        guard let left, let right else { return nil }
        if case .whole(let left) = left, case .whole(let right) = right, let whole = wholeResult(left, right) {
            return .int64(whole)
        }
        return doubleResult(left.double, right.double).flatMap { $0.isNaN ? nil : .double($0) }
    }

    /// The result as a whole number, or `nil` if it has a fraction or does not fit 64 bits.
    private func wholeResult(_ left: Int64, _ right: Int64) -> Int64? {
        let (result, overflow): (Int64, Bool)
        switch self {
        case .plus: (result, overflow) = left.addingReportingOverflow(right)
        case .minus: (result, overflow) = left.subtractingReportingOverflow(right)
        case .times: (result, overflow) = left.multipliedReportingOverflow(by: right)
        case .dividedBy:
            // Only a division that has a quotient has a remainder.
            let (quotient, hasNone) = left.dividedReportingOverflow(by: right)
            (result, overflow) = (quotient, hasNone || left % right != 0)
        case .toThePower: return Self.wholePower(left, right)
        }
        return overflow ? nil : result
    }

    private func doubleResult(_ left: Double, _ right: Double) -> Double? {
        switch self {
        case .plus: left + right
        case .minus: left - right
        case .times: left * right
        case .dividedBy: right == 0 ? nil : left / right
        // A negative power of 0 is a quotient by 0.
        case .toThePower: left == 0 && right < 0 ? nil : pow(left, right)
        }
    }

    /// The power, by squaring; `nil` if the exponent is negative or the result too large.
    private static func wholePower(_ base: Int64, _ exponent: Int64) -> Int64? {
        if exponent < 0 { return nil }
        var result: Int64 = 1
        var factor = base
        var rest = exponent
        while rest > 0 {
            if rest & 1 == 1 {
                let (product, overflow) = result.multipliedReportingOverflow(by: factor)
                if overflow { return nil }
                result = product
            }
            rest >>= 1
            if rest == 0 { break }
            let (square, overflow) = factor.multipliedReportingOverflow(by: factor)
            if overflow { return nil }
            factor = square
        }
        return result
    }

    /// Returns a number with the opposite sign.
    ///
    /// - Returns: `nil` for nil and for not-a-number.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the operand is neither a number nor nil.
    public static func negated(_ value: FieldValue?) throws -> FieldValue? {
        guard let value else { return nil }
        switch try Number(value) {
        case .whole(let number) where number > .min: return .int64(-number)
        case let number: return number.double.isNaN ? nil : .double(-number.double)
        }
    }
}

/// A number of either type.
private enum Number {
    case whole(Int64)
    case other(Double)

    init(_ value: FieldValue) throws {
        switch value {
        case .int64(let number): self = .whole(number)
        case .double(let number): self = .other(number)
        default:
            throw CabinetError(.invalidArguments, "Arithmetic takes numbers; the record has something else there.")
        }
    }

    var double: Double {
        switch self {
        case .whole(let number): Double(number)
        case .other(let number): number
        }
    }
}
