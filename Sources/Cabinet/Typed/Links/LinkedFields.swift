/// The fields of the records that a link points to, for filters, orders and aggregates.
///
/// ```swift
/// let inRome = try await items.count { $0.list.to.name == "Groceries" }
/// ```
@dynamicMemberLookup
public struct LinkedFields<Target: RecordFields>: Sendable {
    let path: Record.FieldKey

    /// A field of the target.
    public subscript<Declaration: FieldDeclaration>(
        dynamicMember member: KeyPath<Target, Declaration>
    ) -> Declaration {
        RecordLayout<Target>.shared().fields[keyPath: member].following(path)
    }
}
