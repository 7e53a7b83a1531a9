extension Database {
    /// Fetches a record.
    ///
    /// - Throws: ``CabinetError/Code/unknownItem`` if there is no such record, and what
    ///   ``records(for:desiredKeys:)`` throws.
    public func record(for recordID: RecordID) async throws -> Record {
        try await records(for: [recordID]).item(recordID)
    }

    /// Fetches records.
    ///
    /// - Parameters:
    ///   - recordIDs: The records' IDs.
    ///   - desiredKeys: The fields to fetch; `nil` for all, an empty array for none.
    /// - Returns: For each ID the record, or why there is none, such as ``CabinetError/Code/unknownItem``.
    /// - Throws: What fails the whole request: ``CabinetError/Code/notAuthenticated`` if the database needs an account and there is
    ///   none, ``CabinetError/Code/limitExceeded``, ``CabinetError/Code/operationCancelled`` if the task is cancelled, and the
    ///   store's failures.
    public func records(
        for recordIDs: [RecordID], desiredKeys: [Record.FieldKey]? = nil
    ) async throws -> [RecordID: Result<Record, CabinetError>] {
        try checkZones(of: recordIDs)
        return try await service.fetch(
            FetchRequest(scope: databaseScope, recordIDs: recordIDs, desiredKeys: desiredKeys?.withoutRepetitions))
    }

    /// Saves a record, if the server still has the version that was fetched.
    ///
    /// If the task is cancelled before the transaction commits, the call throws ``CabinetError/Code/operationCancelled`` and nothing is
    /// changed. Once the commit has begun, the call returns its result. That holds for every request that changes something, on every
    /// backend. A request that only reads throws ``CabinetError/Code/operationCancelled`` whenever its task is cancelled.
    ///
    /// - Returns: The record as the server has it now: with its change tag and dates, and with the fields that only the server
    ///   had. Go on with it, not with the record that was handed in.
    /// - Throws: ``CabinetError/Code/serverRecordChanged`` with the three records of the conflict if it was saved since, by someone
    ///   else or by this program, if the program did not keep the record that this method returned;
    ///   ``CabinetError/Code/unknownItem`` if someone has deleted it, and the other codes of
    ///   ``modifyRecords(saving:deleting:savePolicy:atomically:)``.
    @discardableResult
    public func save(_ record: Record) async throws -> Record {
        try await modifyRecords(saving: [record], deleting: []).saveResults.item(record.recordID)
    }

    /// Saves a record under a save policy.
    ///
    /// ```swift
    /// try await database.save(settings, savePolicy: .allKeys)  // whatever version the server has
    /// ```
    ///
    /// - Parameters:
    ///   - record: The record to save.
    ///   - savePolicy: What the save compares and sends.
    /// - Returns: The record as the server has it now. The record that was passed is unchanged.
    /// - Throws: The codes that ``modifyRecords(saving:deleting:savePolicy:atomically:)`` gives for the record, or throws.
    @discardableResult
    public func save(_ record: Record, savePolicy: RecordSavePolicy) async throws -> Record {
        try await modifyRecords(saving: [record], deleting: [], savePolicy: savePolicy).saveResults.item(
            record.recordID)
    }

    /// Saves a record, if the server still has the version that was fetched, and tells how far the files of its assets have come.
    ///
    /// - Parameters:
    ///   - record: The record to save.
    ///   - progress: What ``modifyRecords(saving:deleting:savePolicy:atomically:progress:)`` calls.
    /// - Returns: The record as the server has it now.
    /// - Throws: What ``modifyRecords(saving:deleting:savePolicy:atomically:progress:)`` gives for the record, or throws.
    @discardableResult
    public func save(_ record: Record, progress: @escaping @Sendable (AssetProgress) -> Void) async throws -> Record {
        try await modifyRecords(saving: [record], deleting: [], progress: progress).saveResults.item(record.recordID)
    }

    /// Deletes a record, and every record that refers to it with ``Reference/Action/deleteSelf``.
    ///
    /// Deleting a record that does not exist succeeds.
    ///
    /// - Returns: The record's ID.
    /// - Throws: ``CabinetError/Code/referenceViolation`` if a reference with ``Reference/Action/deny``, or a child of the record,
    ///   forbids it, and the other codes of ``modifyRecords(saving:deleting:savePolicy:atomically:)``.
    @discardableResult
    public func deleteRecord(withID recordID: RecordID) async throws -> RecordID {
        try await modifyRecords(saving: [], deleting: [recordID]).deleteResults.item(recordID)
        return recordID
    }

    /// Saves and deletes records in one transaction.
    ///
    /// The order of the records does not matter: a record may refer to another of the same batch, and cascades see the state
    /// after the batch. New record types and fields are added to the schema, or refused if the container is strict: ``SchemaMode``.
    ///
    /// - Parameters:
    ///   - recordsToSave: The records to save; each ID once.
    ///   - recordIDsToDelete: The records to delete; each ID once, and none that is saved.
    ///   - savePolicy: What a save compares and sends.
    ///   - atomically: Whether one record's failure leaves all records of its zone unchanged; the innocent ones then fail with
    ///     ``CabinetError/Code/batchRequestFailed``.
    /// - Returns: For each record what became of it. The codes of single records: ``CabinetError/Code/serverRecordChanged``,
    ///   ``CabinetError/Code/unknownItem``, ``CabinetError/Code/referenceViolation``, ``CabinetError/Code/invalidArguments``,
    ///   ``CabinetError/Code/permissionFailure``, ``CabinetError/Code/zoneNotFound``, ``CabinetError/Code/limitExceeded``,
    ///   ``CabinetError/Code/batchRequestFailed``, and those of assets: ``CabinetError/Code/assetFileNotFound``,
    ///   ``CabinetError/Code/assetFileModified`` if a file changed while it was copied, ``CabinetError/Code/assetNotAvailable`` if it
    ///   cannot be read. Records that are deleted by a cascade are not among the results.
    /// - Throws: What fails the whole request: ``CabinetError/Code/invalidArguments`` if an ID occurs twice,
    ///   ``CabinetError/Code/notAuthenticated`` without an account, ``CabinetError/Code/limitExceeded``,
    ///   ``CabinetError/Code/operationCancelled`` if the task is cancelled before the transaction commits, as
    ///   ``save(_:)-(Record)`` says, and the store's failures.
    public func modifyRecords(
        saving recordsToSave: [Record], deleting recordIDsToDelete: [RecordID],
        savePolicy: RecordSavePolicy = .ifServerRecordUnchanged, atomically: Bool = true
    ) async throws -> (
        saveResults: [RecordID: Result<Record, CabinetError>], deleteResults: [RecordID: Result<Void, CabinetError>]
    ) {
        try await modify(recordsToSave, recordIDsToDelete, savePolicy, atomically, progress: nil)
    }

    /// Saves and deletes records in one transaction, and tells how far the files of their assets have come.
    ///
    /// The bytes of all assets are copied into the store first, and the transaction begins when they are there. If it fails, or the task
    /// is cancelled meanwhile, they are dropped.
    ///
    /// - Parameters:
    ///   - recordsToSave: The records to save; each ID once.
    ///   - recordIDsToDelete: The records to delete; each ID once, and none that is saved.
    ///   - savePolicy: What a save compares and sends.
    ///   - atomically: Whether one record's failure leaves all records of its zone unchanged.
    ///   - progress: Called after each part of a file, at the latest after a megabyte, and once when all are there; one call after the
    ///     other, on a thread of the container's. It is not called if there is nothing to copy.
    /// - Returns: For each record what became of it: beside the codes of ``modifyRecords(saving:deleting:savePolicy:atomically:)``,
    ///   ``CabinetError/Code/assetFileNotFound``, ``CabinetError/Code/assetFileModified`` and
    ///   ``CabinetError/Code/assetNotAvailable``.
    /// - Throws: What ``modifyRecords(saving:deleting:savePolicy:atomically:)`` throws.
    public func modifyRecords(
        saving recordsToSave: [Record], deleting recordIDsToDelete: [RecordID],
        savePolicy: RecordSavePolicy = .ifServerRecordUnchanged, atomically: Bool = true,
        progress: @escaping @Sendable (AssetProgress) -> Void
    ) async throws -> (
        saveResults: [RecordID: Result<Record, CabinetError>], deleteResults: [RecordID: Result<Void, CabinetError>]
    ) {
        try await modify(recordsToSave, recordIDsToDelete, savePolicy, atomically, progress: progress)
    }

    private func modify(
        _ recordsToSave: [Record], _ recordIDsToDelete: [RecordID], _ savePolicy: RecordSavePolicy, _ isAtomic: Bool,
        progress: (@Sendable (AssetProgress) -> Void)?
    ) async throws -> (
        saveResults: [RecordID: Result<Record, CabinetError>], deleteResults: [RecordID: Result<Void, CabinetError>]
    ) {
        try checkZones(of: recordsToSave.lazy.map(\.recordID))
        try checkZones(of: recordIDsToDelete)
        let request = ModifyRequest(
            scope: databaseScope, recordsToSave: recordsToSave, recordIDsToDelete: recordIDsToDelete,
            savePolicy: savePolicy, isAtomic: isAtomic)
        return try await service.modify(request, progress: progress).results
    }
}

extension ModifyResponse {
    fileprivate var results:
        (saveResults: [RecordID: Result<Record, CabinetError>], deleteResults: [RecordID: Result<Void, CabinetError>])
    {
        (saveResults, deleteResults)
    }
}

extension Dictionary where Key == RecordID {
    /// The success of the one item that was asked for.
    fileprivate func item<Success>(_ id: RecordID) throws -> Success where Value == Result<Success, CabinetError> {
        guard let result = self[id] else {
            throw CabinetError(.internalError, "The service gave no answer for the record.", recordID: id)
        }
        return try result.get()
    }
}

extension [Record.FieldKey] {
    /// The keys, each once, where it stands first.
    var withoutRepetitions: [Record.FieldKey] {
        var seen: Set<Record.FieldKey> = []
        return filter { seen.insert($0).inserted }
    }
}
