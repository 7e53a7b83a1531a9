/// The left side of a typed comparison: a field, a link, a computed term, or the elements of a list.
///
/// Do not conform to this protocol. The operators build the same ``Filter`` as the untyped ones, and nothing is evaluated
/// differently. A value or a term of another type does not compile.
public protocol TypedTerm<Compared>: Sendable {
    /// The type of the values that the term is compared with.
    associatedtype Compared: RecordValue

    /// Returns a filter that compares the term with an untyped operand.
    func compared(_ operator: Filter.Operator, to right: Filter.Expression, options: Filter.Options) -> Filter
}

extension TypedTerm {
    /// Returns a filter that compares the term with a value, with options.
    ///
    /// ```swift
    /// items.all(where: {
    ///     $0.name.compared(.equal, to: "MILK", options: .caseInsensitive)
    /// })
    /// ```
    public func compared(
        _ operator: Filter.Operator, to value: Compared?, options: Filter.Options = []
    ) -> Filter {
        compared(`operator`, to: Filter.Expression(value), options: options)
    }

    /// Matches records whose value equals another; `nil` matches records without a value.
    public static func == (left: Self, right: Compared?) -> Filter {
        left.compared(.equal, to: Filter.Expression(right), options: [])
    }

    /// Matches records in which two terms are equal.
    public static func == <Right: TypedOperand>(
        left: Self, right: Right
    ) -> Filter where Right.Compared == Compared {
        left.compared(.equal, to: right.expression, options: [])
    }

    /// Matches records whose value differs from another; `nil` matches records with a value.
    public static func != (left: Self, right: Compared?) -> Filter {
        left.compared(.notEqual, to: Filter.Expression(right), options: [])
    }

    /// Matches records in which two terms differ.
    public static func != <Right: TypedOperand>(
        left: Self, right: Right
    ) -> Filter where Right.Compared == Compared {
        left.compared(.notEqual, to: right.expression, options: [])
    }
}

extension TypedTerm where Compared.FieldShape == ContentShape.Scalar {
    /// Matches records whose value is less than another.
    public static func < (left: Self, right: Compared) -> Filter {
        left.compared(.lessThan, to: Filter.Expression(right), options: [])
    }

    /// Matches records in which the first term is less than the second.
    public static func < <Right: TypedOperand>(
        left: Self, right: Right
    ) -> Filter where Right.Compared == Compared {
        left.compared(.lessThan, to: right.expression, options: [])
    }

    /// Matches records whose value is less than another, or equal.
    public static func <= (left: Self, right: Compared) -> Filter {
        left.compared(.lessThanOrEqual, to: Filter.Expression(right), options: [])
    }

    /// Matches records in which the first term is less than the second, or equal.
    public static func <= <Right: TypedOperand>(
        left: Self, right: Right
    ) -> Filter where Right.Compared == Compared {
        left.compared(.lessThanOrEqual, to: right.expression, options: [])
    }

    /// Matches records whose value is greater than another.
    public static func > (left: Self, right: Compared) -> Filter {
        left.compared(.greaterThan, to: Filter.Expression(right), options: [])
    }

    /// Matches records in which the first term is greater than the second.
    public static func > <Right: TypedOperand>(
        left: Self, right: Right
    ) -> Filter where Right.Compared == Compared {
        left.compared(.greaterThan, to: right.expression, options: [])
    }

    /// Matches records whose value is greater than another, or equal.
    public static func >= (left: Self, right: Compared) -> Filter {
        left.compared(.greaterThanOrEqual, to: Filter.Expression(right), options: [])
    }

    /// Matches records in which the first term is greater than the second, or equal.
    public static func >= <Right: TypedOperand>(
        left: Self, right: Right
    ) -> Filter where Right.Compared == Compared {
        left.compared(.greaterThanOrEqual, to: right.expression, options: [])
    }
}

/// A term that can also be the right side of a comparison, or a part of a computed term.
public protocol TypedOperand<Compared>: TypedTerm {
    /// The term as an operand of untyped filters.
    var expression: Filter.Expression { get }
}

extension TypedOperand {
    /// Returns a filter that compares the term with an untyped operand.
    public func compared(
        _ operator: Filter.Operator, to right: Filter.Expression, options: Filter.Options
    ) -> Filter {
        .comparison(Filter.Comparison(expression, `operator`, right, options: options))
    }
}
