extension Database {
    /// Saves records, and deletes others, in one transaction.
    ///
    /// ```swift
    /// let saved = try await database.save([list, milk, bread])
    /// ```
    ///
    /// If a record fails, nothing in its zone is changed. ``modifyRecords(saving:deleting:savePolicy:atomically:)``
    /// describes batches over several zones, and saves records that succeed or fail one by one.
    ///
    /// - Parameters:
    ///   - records: The records to save; each ID once.
    ///   - recordIDs: The records to delete, by default none; each ID once, and none that is also saved.
    ///   - savePolicy: The rule that decides which saves conflict and which fields are sent.
    /// - Returns: The records as the server has stored them, in the same order. Continue with them.
    /// - Throws: ``CabinetError/Code/partialFailure`` if a record was not saved or deleted, with the error of each in
    ///   ``CabinetError/partialErrorsByItemID``, and the other errors of
    ///   ``modifyRecords(saving:deleting:savePolicy:atomically:)``.
    @discardableResult
    public func save(
        _ records: [Record], deleting recordIDs: [RecordID] = [],
        savePolicy: RecordSavePolicy = .ifServerRecordUnchanged
    ) async throws -> [Record] {
        let results = try await modifyRecords(saving: records, deleting: recordIDs, savePolicy: savePolicy).saveResults
        return try records.map { try results.item($0.recordID) }
    }

    /// Deletes records, and every record that refers to one with ``Reference/Action/deleteSelf``, in one transaction.
    ///
    /// Deleting a record that does not exist succeeds.
    ///
    /// - Parameter recordIDs: The records' IDs; each once.
    /// - Throws: ``CabinetError/Code/partialFailure`` if a record was not deleted, with the error of each in
    ///   ``CabinetError/partialErrorsByItemID``, and the other errors of
    ///   ``modifyRecords(saving:deleting:savePolicy:atomically:)``.
    public func delete(_ recordIDs: [RecordID]) async throws {
        _ = try await modifyRecords(saving: [], deleting: recordIDs)
    }
}

extension CabinetError {
    /// Throws ``Code/partialFailure`` if an item of an atomic batch failed.
    static func throwFailures(
        _ saves: [RecordID: Result<Record, CabinetError>], _ deletes: [RecordID: Result<Void, CabinetError>]
    ) throws(CabinetError) {
        var failures: [RecordID: CabinetError] = [:]
        for case (let id, .failure(let error)) in saves { failures[id] = error }
        for case (let id, .failure(let error)) in deletes { failures[id] = error }
        if failures.isEmpty { return }
        let causes = failures.filter { $1.code != .batchRequestFailed }.map { "\($0) (\($1.code))" }.sorted()
        let named = causes.prefix(3).joined(separator: ", ") + (causes.count > 3 ? ", …" : "")
        let count = saves.count + deletes.count
        let zones = Set(failures.keys.map(\.zoneID)).map { "'\($0)'" }.sorted().joined(separator: ", ")
        let effect =
            failures.count == count
            ? "Nothing was changed."
            : "Nothing was changed in \(zones); the other "
                + "\((count - failures.count).counted("record was", "records were")) saved or deleted."
        throw CabinetError(
            .partialFailure,
            "\(causes.count) of the \(count.counted("record")) of an atomic batch failed: \(named). \(effect)",
            partialErrorsByItemID: failures)
    }
}
