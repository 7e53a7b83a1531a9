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
    /// - Throws: ``CabinetError/Code/invalidArguments`` if a new record has no value in a required field, and the error of the first
    ///   record that was not saved or deleted. Then, none of the records of its zone is.
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
        var saved = try await saveAll(records, deleting: ids.map { $0.recordID }, savePolicy: savePolicy)[...]
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
        var saved = try await saveAll(records, deleting: ids.map { $0.recordID }, savePolicy: savePolicy)[...]
        return (repeat (each items).map { $0.withNext(of: &saved) })
    }

    /// Deletes records of several types, and every record that refers to one with ``Reference/Action/deleteSelf``, in one transaction.
    ///
    /// - Parameter ids: The IDs of the records.
    /// - Throws: The error of the first record that was not deleted. Then, none of the records of its zone is.
    public func delete(_ ids: [any TypedIdentifier]) async throws {
        _ = try await saveAll([], deleting: ids.map { $0.recordID }, savePolicy: .ifServerRecordUnchanged)
    }

    /// Saves and deletes records in one transaction.
    ///
    /// - Returns: The saved records, in the same order.
    /// - Throws: The error of the first record that was not saved or deleted.
    @usableFromInline
    func saveAll(
        _ records: [Record], deleting ids: [RecordID], savePolicy: RecordSavePolicy
    ) async throws -> [Record] {
        let results = try await modifyRecords(saving: records, deleting: ids, savePolicy: savePolicy)
        // The cause is one record; the errors of the others only name the batch.
        var failure: CabinetError?
        func notice(_ error: CabinetError) {
            if failure == nil || failure?.code == .batchRequestFailed { failure = error }
        }
        var saved: [Record] = []
        saved.reserveCapacity(records.count)
        for record in records {
            switch results.saveResults[record.recordID] {
            case .success(let record)?: saved.append(record)
            case .failure(let error)?: notice(error)
            case nil: break
            }
        }
        for id in ids { if case .failure(let error)? = results.deleteResults[id] { notice(error) } }
        if let failure { throw failure }
        return saved
    }
}

extension Typed {
    /// Returns a typed record of the first of some saved records, and removes that.
    fileprivate func withNext(of saved: inout ArraySlice<Record>) -> Self {
        saved.popFirst().map { Typed(checked: $0, layout: layout) } ?? self
    }
}
