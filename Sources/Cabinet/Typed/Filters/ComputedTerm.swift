/// A term that is computed from fields, such as `$0.price * 2` or `$0.tags.count`.
public struct ComputedTerm<Compared: RecordValue>: TypedOperand {
    /// The term as an operand of untyped filters.
    public let expression: Filter.Expression
}

extension TypedOperand where Compared: Numeric {
    /// The sum of a term and a number.
    public static func + (left: Self, right: Compared) -> ComputedTerm<Compared> {
        ComputedTerm(expression: left.expression + Filter.Expression(right))
    }

    /// The sum of two terms.
    public static func + <Right: TypedOperand>(
        left: Self, right: Right
    ) -> ComputedTerm<Compared> where Right.Compared == Compared {
        ComputedTerm(expression: left.expression + right.expression)
    }

    /// The difference between a term and a number.
    public static func - (left: Self, right: Compared) -> ComputedTerm<Compared> {
        ComputedTerm(expression: left.expression - Filter.Expression(right))
    }

    /// The difference between two terms.
    public static func - <Right: TypedOperand>(
        left: Self, right: Right
    ) -> ComputedTerm<Compared> where Right.Compared == Compared {
        ComputedTerm(expression: left.expression - right.expression)
    }

    /// The product of a term and a number.
    public static func * (left: Self, right: Compared) -> ComputedTerm<Compared> {
        ComputedTerm(expression: left.expression * Filter.Expression(right))
    }

    /// The product of two terms.
    public static func * <Right: TypedOperand>(
        left: Self, right: Right
    ) -> ComputedTerm<Compared> where Right.Compared == Compared {
        ComputedTerm(expression: left.expression * right.expression)
    }

    /// The quotient of a term and a number, also with a fraction: that of 5 and 2 is 2.5.
    public static func / (left: Self, right: Compared) -> ComputedTerm<Compared> {
        ComputedTerm(expression: left.expression / Filter.Expression(right))
    }

    /// The quotient of two terms, also with a fraction: that of 5 and 2 is 2.5.
    public static func / <Right: TypedOperand>(
        left: Self, right: Right
    ) -> ComputedTerm<Compared> where Right.Compared == Compared {
        ComputedTerm(expression: left.expression / right.expression)
    }

    /// Returns the power of a term to an exponent.
    public func toThePower(_ exponent: Compared) -> ComputedTerm<Compared> {
        ComputedTerm(expression: expression.toThePower(Filter.Expression(exponent)))
    }

    /// The term as a floating-point number, so that whole numbers can be compared with fractions.
    public var asDouble: ComputedTerm<Double> { ComputedTerm(expression: expression) }
}

extension TypedOperand where Compared == Location {
    /// Returns the distance to a location, in meters.
    public func distance(to location: Location) -> ComputedTerm<Double> {
        ComputedTerm(expression: expression.distance(to: location))
    }

    /// Returns the distance to the location of another term, in meters.
    public func distance<Other: TypedOperand>(
        to other: Other
    ) -> ComputedTerm<Double> where Other.Compared == Location {
        ComputedTerm(expression: expression.distance(to: other.expression))
    }
}
