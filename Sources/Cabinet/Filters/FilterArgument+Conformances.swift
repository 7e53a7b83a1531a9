extension Record: FilterArgument {
    /// A reference to the record, with the action ``Reference/Action/none``.
    public var filterValue: FieldValue? { recordID.fieldValue }
}

extension Set: FilterArgument where Element: FilterArgument {
    /// The elements as a list in their order, or `nil` if they are not all of one type that a list can hold.
    ///
    /// The order does not depend on the set's own, so equal sets give equal filters.
    public var filterValue: FieldValue? {
        guard case .list(let list)? = Array(self).filterValue else { return nil }
        let values = list.elements.sorted { FieldValue.sortOrder($0, $1) == .before }
        return FieldList(values, of: list.elementType).map(FieldValue.list)
    }
}
