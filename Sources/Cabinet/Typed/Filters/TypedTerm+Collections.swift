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
}

// Not for the elements of a list: different elements could satisfy the two comparisons.
extension TypedOperand where Compared.FieldShape == ContentShape.Scalar, Compared: Comparable {
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

/// The elements of a list, any, all or none of which satisfy the comparison that follows.
///
/// ```swift
/// items.all(where: { $0.sizes.any > 3 && $0.tags.none == sweets.id })
/// ```
public struct ElementTerm<Compared: RecordValue>: TypedTerm {
    let quantifier: Filter.Quantifier
    let list: Filter.Expression

    /// Returns a filter that compares the elements with an untyped operand.
    public func compared(
        _ operator: Filter.Operator, to right: Filter.Expression, options: Filter.Options
    ) -> Filter {
        .comparison(Filter.Comparison(list, `operator`, right, options: options, quantifier: quantifier))
    }
}

extension ElementTerm where Compared: TypedIdentifier {
    /// The fields of the records that a list of links points to.
    ///
    /// `$0.tags.any.to.name == "food"` matches records with a tag of this name.
    public var to: LinkedElements<Compared.Target> { LinkedElements(quantifier: quantifier, list: list) }
}

/// The fields of the records that a list of links points to, in a filter.
@dynamicMemberLookup
public struct LinkedElements<Target: RecordFields>: Sendable {
    let quantifier: Filter.Quantifier
    let list: Filter.Expression

    /// A field of the targets.
    public subscript<Declaration: FieldDeclaration>(
        dynamicMember member: KeyPath<Target, Declaration>
    ) -> ElementTerm<Declaration.Compared> {
        let field = RecordLayout<Target>.shared().fields[keyPath: member]
        return ElementTerm(quantifier: quantifier, list: list.member(field.key))
    }
}

/// A list of values that fields can hold.
public protocol ListValue: RecordValue {
    /// The type of the elements.
    associatedtype Element: RecordValue
}

extension Array: ListValue where Element: RecordValue {}
