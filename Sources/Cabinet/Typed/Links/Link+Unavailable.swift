extension Link where Target: RecordFields {
    /// A field of the target, which stands behind `to`.
    @available(*, unavailable, message: "Write 'to' between a link and a field of its target, as in '$0.list.to.name'.")
    public subscript<Declaration: FieldDeclaration>(
        dynamicMember member: KeyPath<Target, Declaration>
    ) -> Declaration { to[dynamicMember: member] }

    /// Refuses the ID of another record type.
    @available(*, unavailable, message: "The ID is of another record type than the targets of the link.")
    public static func == <Other: RecordFields>(left: Self, right: TypedID<Other>) -> Filter { .constant(false) }

    /// Refuses the ID of another record type.
    @available(*, unavailable, message: "The ID is of another record type than the targets of the link.")
    public static func != <Other: RecordFields>(left: Self, right: TypedID<Other>) -> Filter { .constant(true) }
}
