extension Database {
    /// Saves one record of each of several types, and deletes others, in one transaction.
    ///
    /// ```swift
    /// let (list, milk) = try await database.save(
    ///     groceries, item, deleting: [bread.id, oldList.id])
    /// ```
    ///
    /// - Parameters:
    ///   - item: The records to save, each of any type.
    ///   - ids: The IDs of the records to delete; by default none.
    ///   - savePolicy: The rule that decides which saves conflict and which fields are sent.
    /// - Returns: The records as the server has stored them.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if a new record has no value in a required field, and the errors of
    ///   ``save(_:deleting:savePolicy:)-([Record],_,_)``. A single record, without deletions, throws its own error.
    @discardableResult
    public func save<each Fields: RecordFields>(
        _ item: repeat Typed<each Fields>, deleting ids: [any TypedIdentifier] = [],
        savePolicy: RecordSavePolicy = .ifServerRecordUnchanged
    ) async throws -> (repeat Typed<each Fields>) {
        var records: [Record] = []
        for item in repeat each item {
            try item.layout.requirement.validate(item.record)
            records.append(item.record)
        }
        var saved =
            records.count == 1 && ids.isEmpty
            ? [try await save(records[0], savePolicy: savePolicy)][...]
            : try await save(records, deleting: ids.map { $0.recordID }, savePolicy: savePolicy)[...]
        return (repeat (each item).withNext(of: &saved))
    }

    /// Saves records of several types, and deletes others, in one transaction.
    ///
    /// ```swift
    /// let (lists, items) = try await database.save([groceries], [milk, bread])
    /// ```
    ///
    /// - Parameters:
    ///   - items: The records to save, an array for each type; each ID once.
    ///   - ids: The IDs of the records to delete; by default none.
    ///   - savePolicy: The rule that decides which saves conflict and which fields are sent.
    /// - Returns: The records as the server has stored them, in the same order.
    /// - Throws: The errors of saving one record of each type.
    @discardableResult
    public func save<each Fields: RecordFields>(
        _ items: repeat [Typed<each Fields>], deleting ids: [any TypedIdentifier] = [],
        savePolicy: RecordSavePolicy = .ifServerRecordUnchanged
    ) async throws -> (repeat [Typed<each Fields>]) {
        var records: [Record] = []
        for items in repeat each items {
            for item in items {
                try item.layout.requirement.validate(item.record)
                records.append(item.record)
            }
        }
        var saved = try await save(records, deleting: ids.map { $0.recordID }, savePolicy: savePolicy)[...]
        return (repeat (each items).map { $0.withNext(of: &saved) })
    }

    /// Deletes records of several types, and every record that refers to one with ``Reference/Action/deleteSelf``, in one transaction.
    ///
    /// - Parameter ids: The IDs of the records.
    /// - Throws: The errors of ``delete(_:)-([RecordID])``.
    public func delete(_ ids: [any TypedIdentifier]) async throws {
        try await delete(ids.map { $0.recordID })
    }
}

extension Typed {
    /// Returns a typed record of the first of some saved records, and removes that.
    fileprivate func withNext(of saved: inout ArraySlice<Record>) -> Self {
        saved.popFirst().map { Typed(checked: $0, layout: layout) } ?? self
    }
}
