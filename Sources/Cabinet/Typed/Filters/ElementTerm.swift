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
