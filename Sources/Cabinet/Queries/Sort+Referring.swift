extension Sort {
    /// Creates a sort key for the number of the records of a type that refer to each record.
    ///
    /// ```swift
    /// // The lists with the most items that are not bought come first.
    /// Sort(
    ///     countOf: "Items", referringBy: "list",
    ///     where: .field("isBought") == false, ascending: false)
    /// ```
    ///
    /// - Parameters:
    ///   - recordType: The type of the records to count.
    ///   - field: Their field, or ``SystemField/parent``, with the reference or the list of references.
    ///   - filter: The condition that they match. The default counts all of them.
    ///   - ascending: Whether smaller numbers come first.
    public init(
        countOf recordType: Record.RecordType, referringBy field: Record.FieldKey,
        where filter: Filter = .constant(true),
        ascending: Bool = true
    ) {
        self.init(Filter.Expression.referring(recordType, by: field, where: filter).description, ascending: ascending)
    }

    /// The number that the records are sorted by, if the key is a SUBQUERY in a filter's language.
    ///
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the key begins like one and is none.
    package func counted() throws -> (recordType: Record.RecordType, field: Record.FieldKey, filter: Filter)? {
        guard FieldPath.isSubquery(key) else { return nil }
        let filter = try keyed { () throws(CabinetError) in
            var parser = FilterParser("\(key) == 0", arguments: [])
            return try parser.parse()
        }
        guard case .comparison(let comparison) = filter,
            case .referring(let type, let field, let filter) = comparison.left
        else {
            throw CabinetError(
                .invalidArguments, "Records are sorted by one SUBQUERY(…).@count; '\(key)' computes another value.",
                fieldKey: key)
        }
        return (type, field, filter)
    }
}
