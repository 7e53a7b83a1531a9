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

    /// Refuses a record in place of its ID.
    @available(*, unavailable, message: "Compare the link with the record's ID, as in '$0.list == list.id'.")
    public static func == (left: Self, right: Typed<Target>) -> Filter { .constant(false) }

    /// Refuses a record in place of its ID.
    @available(*, unavailable, message: "Compare the link with the record's ID, as in '$0.list == list.id'.")
    public static func != (left: Self, right: Typed<Target>) -> Filter { .constant(true) }
}
