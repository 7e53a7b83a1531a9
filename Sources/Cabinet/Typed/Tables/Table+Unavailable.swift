extension Table {
    /// Refuses a new record without its required values.
    @available(*, unavailable, message: "Give the required values first: 'make(.init(…))'.")
    public func make(named recordName: String = RecordID.uniqueRecordName()) -> Typed<Fields>? { nil }

    /// Refuses a new record without its required values.
    @available(*, unavailable, message: "Give the required values first: 'save(.init(…)) { … }'.")
    @discardableResult
    public func save(
        named recordName: String = RecordID.uniqueRecordName(), isolation: isolated (any Actor)? = #isolation,
        _ fill: (inout Typed<Fields>) throws -> Void
    ) async throws -> Typed<Fields> {
        throw CabinetError(.invalidArguments, "Required values are missing.")
    }

    /// Refuses groups by a list.
    @available(*, unavailable, message: "Records cannot be grouped by a list.")
    public func counts<Group: FieldDeclaration>(
        by group: (Fields) -> Group,
        isolation: isolated (any Actor)? = #isolation, where filter: (Fields) -> Filter = { _ in .constant(true) }
    ) async throws -> [Group.Compared: Int]
    where Group.Compared: Hashable, Group.Value.FieldShape == ContentShape.List { [:] }

    /// Refuses groups by a list.
    @available(*, unavailable, message: "Records cannot be grouped by a list.")
    public func sums<Declaration: FieldDeclaration, Group: FieldDeclaration>(
        of field: (Fields) -> Declaration, by group: (Fields) -> Group,
        isolation: isolated (any Actor)? = #isolation, where filter: (Fields) -> Filter = { _ in .constant(true) }
    ) async throws -> [Group.Compared: Declaration.Compared]
    where Group.Compared: Hashable, Group.Value.FieldShape == ContentShape.List { [:] }

    /// Refuses groups by a list.
    @available(*, unavailable, message: "Records cannot be grouped by a list.")
    public func averages<Declaration: FieldDeclaration, Group: FieldDeclaration>(
        of field: (Fields) -> Declaration, by group: (Fields) -> Group,
        isolation: isolated (any Actor)? = #isolation, where filter: (Fields) -> Filter = { _ in .constant(true) }
    ) async throws -> [Group.Compared: Double]
    where Group.Compared: Hashable, Group.Value.FieldShape == ContentShape.List { [:] }

    /// Refuses groups by a list.
    @available(*, unavailable, message: "Records cannot be grouped by a list.")
    public func minima<Declaration: FieldDeclaration, Group: FieldDeclaration>(
        of field: (Fields) -> Declaration, by group: (Fields) -> Group,
        isolation: isolated (any Actor)? = #isolation, where filter: (Fields) -> Filter = { _ in .constant(true) }
    ) async throws -> [Group.Compared: Declaration.Compared]
    where Group.Compared: Hashable, Group.Value.FieldShape == ContentShape.List { [:] }

    /// Refuses groups by a list.
    @available(*, unavailable, message: "Records cannot be grouped by a list.")
    public func maxima<Declaration: FieldDeclaration, Group: FieldDeclaration>(
        of field: (Fields) -> Declaration, by group: (Fields) -> Group,
        isolation: isolated (any Actor)? = #isolation, where filter: (Fields) -> Filter = { _ in .constant(true) }
    ) async throws -> [Group.Compared: Declaration.Compared]
    where Group.Compared: Hashable, Group.Value.FieldShape == ContentShape.List { [:] }
}
