extension TypedTerm {
    /// Matches records whose value is one of a sequence.
    ///
    /// - Parameters:
    ///   - values: The values.
    ///   - options: The options for case and accents of text.
    public func isIn(_ values: some Sequence<Compared>, options: Filter.Options = []) -> Filter {
        compared(.in, to: Filter.Expression(list: values.map { Filter.Expression($0) }), options: options)
    }

    /// Matches records whose value is an element of a list, such as a field of the record.
    ///
    /// - Parameters:
    ///   - list: A field or term that is a list of such values.
    ///   - options: The options for case and accents of text.
    public func isIn<List: TypedOperand>(
        _ list: List, options: Filter.Options = []
    ) -> Filter where List.Compared == [Compared] {
        compared(.in, to: list.expression, options: options)
    }
}

extension TypedTerm where Compared.FieldShape == ContentShape.Scalar, Compared: Comparable {
    /// Matches records whose value lies in a range, bounds included.
    public func isIn(_ range: ClosedRange<Compared>) -> Filter {
        let bounds = [Filter.Expression(range.lowerBound), Filter.Expression(range.upperBound)]
        return compared(.between, to: Filter.Expression(list: bounds), options: [])
    }

    /// Matches records whose value lies in a range, without the upper bound.
    public func isIn(_ range: Range<Compared>) -> Filter {
        self >= range.lowerBound && self < range.upperBound
    }
}

extension TypedOperand where Compared: ListValue {
    /// A term that a comparison tests with each element, until one satisfies it.
    ///
    /// `$0.sizes.any > 3` matches records that have a size above 3.
    public var any: ElementTerm<Compared.Element> { ElementTerm(quantifier: .any, list: expression) }

    /// A term that a comparison tests with each element, all of which must satisfy it.
    public var all: ElementTerm<Compared.Element> { ElementTerm(quantifier: .all, list: expression) }

    /// A term that a comparison tests with each element, none of which may satisfy it.
    public var none: ElementTerm<Compared.Element> { ElementTerm(quantifier: .none, list: expression) }

    /// Matches records whose list has an element.
    public func contains(_ element: Compared.Element, options: Filter.Options = []) -> Filter {
        compared(.contains, to: Filter.Expression(element), options: options)
    }

    /// Matches records whose list has the value of another term as an element.
    public func contains<Element: TypedOperand>(
        _ element: Element, options: Filter.Options = []
    ) -> Filter where Element.Compared == Compared.Element {
        compared(.contains, to: element.expression, options: options)
    }

    /// The number of elements.
    public var count: ComputedTerm<Int> { ComputedTerm(expression: expression.count) }

    /// The first element.
    public var first: ComputedTerm<Compared.Element> { ComputedTerm(expression: expression.first) }

    /// The last element.
    public var last: ComputedTerm<Compared.Element> { ComputedTerm(expression: expression.last) }

    /// The element at a position, from 0.
    public subscript(position: Int) -> ComputedTerm<Compared.Element> {
        ComputedTerm(expression: expression[position])
    }
}
