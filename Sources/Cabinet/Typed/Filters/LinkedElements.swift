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
