extension Table {
    /// Saves a record if the server still has the version that was fetched.
    ///
    /// - Parameters:
    ///   - item: The record to save.
    ///   - savePolicy: The rule that decides whether the save conflicts, and which fields are sent.
    /// - Returns: The record as the server has stored it. Continue with it.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if a new record has no value in a required field, and the errors of
    ///   ``Database/save(_:savePolicy:)``.
    @discardableResult
    public func save(
        _ item: Typed<Fields>, savePolicy: RecordSavePolicy = .ifServerRecordUnchanged
    ) async throws -> Typed<Fields> {
        try layout.requirement.validate(item.record)
        return typed(try await database.save(item.record, savePolicy: savePolicy))
    }

    /// Saves a record, and reports the progress of copying its assets.
    ///
    /// - Parameters:
    ///   - item: The record to save.
    ///   - progress: A closure that receives the progress.
    /// - Returns: The record as the server has stored it.
    /// - Throws: The errors of `save(_:savePolicy:)`.
    @discardableResult
    public func save(
        _ item: Typed<Fields>, progress: @escaping @Sendable (AssetProgress) -> Void
    ) async throws -> Typed<Fields> {
        try layout.requirement.validate(item.record)
        return typed(try await database.save(item.record, progress: progress))
    }

    /// Saves records in one transaction.
    ///
    /// - Parameters:
    ///   - items: The records to save; each ID once.
    ///   - savePolicy: The rule that decides which saves conflict and which fields are sent.
    /// - Returns: The records as the server has stored them, in the same order.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if a new record has no value in a required field, and the errors of
    ///   ``Database/save(_:deleting:savePolicy:)-([Record],_,_)``.
    @discardableResult
    @inlinable
    public func save(
        _ items: [Typed<Fields>], savePolicy: RecordSavePolicy = .ifServerRecordUnchanged
    ) async throws -> [Typed<Fields>] {
        let records = items.map { $0.record }
        try layout.requirement.validate(records)
        return typed(try await database.save(records, savePolicy: savePolicy))
    }

    /// Changes a record as the server has it now, and saves it; after a conflict, again.
    ///
    /// - Parameters:
    ///   - id: The ID of the record.
    ///   - isolation: The actor of the caller, on which the closure is called.
    ///   - change: A closure that changes the record. It may be called several times, each time with the latest version.
    /// - Returns: The record as the server has stored it.
    /// - Throws: The errors of the closure, and those of ``Database/update(_:isolation:_:)``.
    @discardableResult
    public func update(
        _ id: TypedID<Fields>, isolation: isolated (any Actor)? = #isolation,
        _ change: (inout Typed<Fields>) throws -> Void
    ) async throws -> Typed<Fields> {
        let record = try await database.update(id.recordID) { record in
            var item = try Typed(record, layout: layout)
            try change(&item)
            record = item.record
        }
        return typed(record)
    }

    /// Saves and deletes records of the table in one transaction.
    ///
    /// `database.save(_:deleting:)` takes records of several types.
    ///
    /// - Parameters:
    ///   - items: The records to save; each ID once.
    ///   - ids: The IDs of the records to delete; each once, and none that is also saved.
    ///   - savePolicy: The rule that decides which saves conflict and which fields are sent.
    ///   - atomically: Whether the failure of one record leaves all records of its zone unchanged, and is thrown.
    /// - Returns: The result for each record.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if a new record has no value in a required field, and the errors of
    ///   ``Database/modifyRecords(saving:deleting:savePolicy:atomically:)``.
    public func modify(
        saving items: [Typed<Fields>], deleting ids: [TypedID<Fields>],
        savePolicy: RecordSavePolicy = .ifServerRecordUnchanged, atomically: Bool = true
    ) async throws -> (
        saveResults: [TypedID<Fields>: Result<Typed<Fields>, CabinetError>],
        deleteResults: [TypedID<Fields>: Result<Void, CabinetError>]
    ) {
        for item in items { try layout.requirement.validate(item.record) }
        let results = try await database.modifyRecords(
            saving: items.map(\.record), deleting: ids.map(\.recordID), savePolicy: savePolicy, atomically: atomically)
        return (
            Dictionary(uniqueKeysWithValues: results.saveResults.map { (TypedID($0), $1.map(typed)) }),
            Dictionary(uniqueKeysWithValues: results.deleteResults.map { (TypedID($0), $1) })
        )
    }

    /// Deletes a record, and every record that refers to it with ``Reference/Action/deleteSelf``.
    ///
    /// Deleting a record that does not exist succeeds.
    ///
    /// - Parameter id: The ID of the record.
    /// - Throws: The errors of ``Database/deleteRecord(withID:)``.
    public func delete(_ id: TypedID<Fields>) async throws {
        try await database.deleteRecord(withID: id.recordID)
    }
}
