/// Arithmetic operators on an expression and a Swift value, or on two expressions.
///
/// ```swift
/// .field("price") * .field("number") > 100
/// 2 * .field("width") + .field("height") <= 90
/// -.field("balance") > .field("limit")
/// ```
///
/// ``Filter/Arithmetic`` defines the results, including those of nil and of whole numbers. An operand that would be
/// deeper than ``Filter/maximumDepth`` is replaced with one that makes the filter fail when it is used.
extension Filter.Expression {
    // Swift values are generic here, and no existentials, because those make the compiler slow with every other long sum
    // of a program.

    /// Returns the sum of two operands.
    public static func + (left: Filter.Expression, right: Filter.Expression) -> Filter.Expression {
        Filter.Expression.arithmetic(left, .plus, right).ifShallow
    }

    /// Returns the sum of an operand and a number.
    public static func + <Value: FilterArgument>(left: Filter.Expression, right: Value) -> Filter.Expression {
        left + Filter.Expression(right)
    }

    /// Returns the sum of a number and an operand.
    public static func + <Value: FilterArgument>(left: Value, right: Filter.Expression) -> Filter.Expression {
        Filter.Expression(left) + right
    }

    /// Returns the difference of two operands.
    public static func - (left: Filter.Expression, right: Filter.Expression) -> Filter.Expression {
        Filter.Expression.arithmetic(left, .minus, right).ifShallow
    }

    /// Returns the difference of an operand and a number.
    public static func - <Value: FilterArgument>(left: Filter.Expression, right: Value) -> Filter.Expression {
        left - Filter.Expression(right)
    }

    /// Returns the difference of a number and an operand.
    public static func - <Value: FilterArgument>(left: Value, right: Filter.Expression) -> Filter.Expression {
        Filter.Expression(left) - right
    }

    /// Returns the product of two operands.
    public static func * (left: Filter.Expression, right: Filter.Expression) -> Filter.Expression {
        Filter.Expression.arithmetic(left, .times, right).ifShallow
    }

    /// Returns the product of an operand and a number.
    public static func * <Value: FilterArgument>(left: Filter.Expression, right: Value) -> Filter.Expression {
        left * Filter.Expression(right)
    }

    /// Returns the product of a number and an operand.
    public static func * <Value: FilterArgument>(left: Value, right: Filter.Expression) -> Filter.Expression {
        Filter.Expression(left) * right
    }

    /// Returns the quotient of two operands; nil if the right one is zero.
    public static func / (left: Filter.Expression, right: Filter.Expression) -> Filter.Expression {
        Filter.Expression.arithmetic(left, .dividedBy, right).ifShallow
    }

    /// Returns the quotient of an operand and a number; nil if the number is zero.
    public static func / <Value: FilterArgument>(left: Filter.Expression, right: Value) -> Filter.Expression {
        left / Filter.Expression(right)
    }

    /// Returns the quotient of a number and an operand; nil if the operand is zero.
    public static func / <Value: FilterArgument>(left: Value, right: Filter.Expression) -> Filter.Expression {
        Filter.Expression(left) / right
    }

    /// Returns the number with the opposite sign.
    public static prefix func - (operand: Filter.Expression) -> Filter.Expression {
        switch operand {
        // A negative number is a constant in format strings too.
        case .constant(.int64(let number)?) where number != .min: .constant(.int64(-number))
        case .constant(.double(let number)?): .constant(.double(-number))
        default: Filter.Expression.negative(operand).ifShallow
        }
    }

    /// Returns the number to the power of another operand.
    ///
    /// - Parameter exponent: The exponent.
    public func toThePower(_ exponent: Filter.Expression) -> Filter.Expression {
        Filter.Expression.arithmetic(self, .toThePower, exponent).ifShallow
    }

    /// Returns the number to a power.
    ///
    /// ```swift
    /// .field("side").toThePower(2) < 50
    /// ```
    ///
    /// - Parameter exponent: The exponent.
    public func toThePower(_ exponent: any FilterArgument) -> Filter.Expression {
        toThePower(Filter.Expression(exponent))
    }
}
