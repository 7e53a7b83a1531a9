extension Database {
    /// Fetches a record by ID.
    ///
    /// ```swift
    /// let item = try await database.record(for: "milk")
    /// ```
    ///
    /// - Parameter recordID: The record's ID.
    /// - Returns: The record with all its fields.
    /// - Throws: ``CabinetError/Code/unknownItem`` if the record does not exist, and the errors of
    ///   ``records(for:desiredKeys:)``.
    public func record(for recordID: RecordID) async throws -> Record {
        try await fetch([recordID]).onlyResult.get()
    }

    /// Fetches records by ID, in one request.
    ///
    /// - Parameters:
    ///   - recordIDs: The records' IDs.
    ///   - desiredKeys: The fields to fetch, or `nil` for all. An empty array fetches no fields.
    /// - Returns: A record or an error for each ID, such as ``CabinetError/Code/unknownItem``.
    /// - Throws: For the whole request, ``CabinetError/Code/notAuthenticated`` if the database needs an account and the
    ///   container has none, ``CabinetError/Code/limitExceeded``, ``CabinetError/Code/operationCancelled`` if the task
    ///   is cancelled, and the failures of the store.
    public func records(
        for recordIDs: [RecordID], desiredKeys: [Record.FieldKey]? = nil
    ) async throws -> [RecordID: Result<Record, CabinetError>] {
        try Dictionary(try await fetch(recordIDs, desiredKeys: desiredKeys), of: recordIDs)
    }

    private func fetch(
        _ recordIDs: [RecordID], desiredKeys: [Record.FieldKey]? = nil
    ) async throws -> [Result<Record, CabinetError>] {
        try checkZones(of: recordIDs)
        var results = try await client.perform(
            FetchRecordsRequest(
                scope: databaseScope, recordIDs: recordIDs, desiredKeys: desiredKeys?.withoutRepetitions)
        ).results
        for position in results.indices {
            guard case .success(let record) = results[position], record.lacksFiles else { continue }
            results[position] = .success(try await client.addingFiles(to: record, in: databaseScope))
        }
        return results
    }

    /// Saves a record if the server still has the version that was fetched.
    ///
    /// If the task is cancelled before the transaction commits, the call throws
    /// ``CabinetError/Code/operationCancelled`` and nothing is changed. Once the commit has begun, the call returns its
    /// result. This holds for every request that changes something, on every backend. A request that only reads throws
    /// ``CabinetError/Code/operationCancelled`` whenever its task is cancelled. A container on a server does not wait for the
    /// result of a request that was sent; <doc:ErrorsAndRetry> says how its error differs.
    ///
    /// ```swift
    /// var item = Record(recordType: "Items")
    /// item["name"] = "Milk"
    /// item = try await database.save(item)  // it has the new change tag
    /// ```
    ///
    /// - Parameter record: The record to save.
    /// - Returns: The record as the server has stored it, with its change tag and dates, and with the fields that only
    ///   the server had. Continue with it, not with the record that was passed.
    /// - Throws: ``CabinetError/Code/serverRecordChanged``, with the three records of the conflict, if another client
    ///   has saved the record since, or if this program saved it and did not keep the returned record.
    ///   ``CabinetError/Code/unknownItem`` if another client has deleted it. The other codes of
    ///   ``modifyRecords(saving:deleting:savePolicy:atomically:)`` that a single record can have.
    @discardableResult
    public func save(_ record: Record) async throws -> Record {
        try await modify(saving: [record]).saveResult(of: record)
    }

    /// Saves a record under a save policy.
    ///
    /// ```swift
    /// // Over any version that the server has:
    /// try await database.save(settings, savePolicy: .allKeys)
    /// ```
    ///
    /// - Parameters:
    ///   - record: The record to save.
    ///   - savePolicy: The rule that decides whether the save conflicts, and which fields are sent.
    /// - Returns: The record as the server has stored it. The record that was passed is unchanged.
    /// - Throws: The errors of ``save(_:)-(Record)``.
    @discardableResult
    public func save(_ record: Record, savePolicy: RecordSavePolicy) async throws -> Record {
        try await modify(saving: [record], savePolicy: savePolicy).saveResult(of: record)
    }

    /// Saves a record if the server still has the version that was fetched, and reports the progress of copying its
    /// assets.
    ///
    /// - Parameters:
    ///   - record: The record to save.
    ///   - progress: A closure that receives the progress, as in
    ///     ``modifyRecords(saving:deleting:savePolicy:atomically:progress:)``.
    /// - Returns: The record as the server has stored it.
    /// - Throws: The errors of ``save(_:)-(Record)``.
    @discardableResult
    public func save(_ record: Record, progress: @escaping @Sendable (AssetProgress) -> Void) async throws -> Record {
        try await modify(saving: [record], progress: progress).saveResult(of: record)
    }

    /// Deletes a record, and every record that refers to it with ``Reference/Action/deleteSelf``.
    ///
    /// Deleting a record that does not exist succeeds. The deletion does not compare change tags. See <doc:References>.
    ///
    /// - Parameter recordID: The record's ID.
    /// - Returns: The record's ID.
    /// - Throws: ``CabinetError/Code/referenceViolation`` if a reference with ``Reference/Action/deny``, or a child of
    ///   the record, prevents it, and the other codes of ``save(_:)-(Record)``.
    @discardableResult
    public func deleteRecord(withID recordID: RecordID) async throws -> RecordID {
        try await modify(deleting: [recordID]).deleteErrors.results.onlyResult.get()
        return recordID
    }

    /// Deletes a record if it still has a change tag.
    ///
    /// - Parameters:
    ///   - recordID: The record's ID.
    ///   - changeTag: The change tag of the version to delete.
    /// - Throws: ``CabinetError/Code/serverRecordChanged`` if the record has another tag, or does not exist;
    ///   ``CabinetError/Code/serverRejectedRequest`` if the service compares no tags of deletions; and the errors of
    ///   ``deleteRecord(withID:)``.
    package func deleteRecord(withID recordID: RecordID, ifChangeTagIs changeTag: String) async throws {
        try checkZones(of: [recordID])
        var request = ModifyRecordsRequest(scope: databaseScope, recordIDsToDelete: [recordID])
        request.expect([recordID: changeTag])
        try await client.modify(request).deleteErrors.results.onlyResult.get()
    }

    /// Saves and deletes records in one transaction.
    ///
    /// ```swift
    /// let (saveResults, _) = try await database.modifyRecords(
    ///     saving: items, deleting: [], atomically: false)
    /// for (recordID, result) in saveResults {
    ///     if case .failure(let error) = result { print(recordID, error) }
    /// }
    /// ```
    ///
    /// The order of the records does not matter. A record may refer to another one of the same batch, and cascades see
    /// the state after the batch. New record types and fields are added to the schema, or refused if the container is
    /// strict; see ``SchemaMode``. Saving many records in one call is faster than saving them one by one.
    ///
    /// An atomic batch is atomic in each zone. If records of one zone fail, nothing in that zone is changed, and the
    /// call throws ``CabinetError/Code/partialFailure``. Records of other zones are saved and deleted: those of the batch
    /// that ``CabinetError/partialErrorsByItemID`` does not name. Fetch the saved ones with
    /// ``records(for:desiredKeys:)`` to continue with their new change tags.
    ///
    /// In the shared database, a batch over the zones of several owners is one transaction for each owner, one after the other. After
    /// the first one, a failure of a later one is the error of each of its records.
    ///
    /// - Parameters:
    ///   - recordsToSave: The records to save; each ID once.
    ///   - recordIDsToDelete: The records to delete; each ID once, and none that is also saved.
    ///   - savePolicy: The rule that decides which saves conflict and which fields are sent.
    ///   - atomically: Whether the failure of one record leaves all records of its zone unchanged, and is thrown. If
    ///     `false`, each record succeeds or fails by itself, and the call returns the failures.
    /// - Returns: The result for each record that was passed; records that a cascade deletes are not among them. In an
    ///   atomic batch, all of them are successes.
    /// - Throws: ``CabinetError/Code/partialFailure`` if records of an atomic batch fail, with the error of each in
    ///   ``CabinetError/partialErrorsByItemID``. The codes of single records are
    ///   ``CabinetError/Code/serverRecordChanged``, ``CabinetError/Code/unknownItem``,
    ///   ``CabinetError/Code/referenceViolation``, ``CabinetError/Code/invalidArguments``,
    ///   ``CabinetError/Code/permissionFailure``, ``CabinetError/Code/zoneNotFound``,
    ///   ``CabinetError/Code/constraintViolation`` if another record has the same unique values, and
    ///   ``CabinetError/Code/limitExceeded``; the valid records of the zone have
    ///   ``CabinetError/Code/batchRequestFailed``. For assets: ``CabinetError/Code/assetFileNotFound``,
    ///   ``CabinetError/Code/assetFileModified`` if a file changes while it is copied, and
    ///   ``CabinetError/Code/assetNotAvailable`` if it cannot be read. For shares, and records that a save moves below others:
    ///   ``CabinetError/Code/alreadyShared``, ``CabinetError/Code/tooManyParticipants`` and ``CabinetError/Code/badDatabase``.
    ///
    ///   For the whole request, ``CabinetError/Code/invalidArguments`` if an ID occurs twice,
    ///   ``CabinetError/Code/notAuthenticated`` without an account, ``CabinetError/Code/limitExceeded``,
    ///   ``CabinetError/Code/operationCancelled`` if the task is cancelled before the transaction commits, as for
    ///   ``save(_:)-(Record)``, and the failures of the store.
    public func modifyRecords(
        saving recordsToSave: [Record], deleting recordIDsToDelete: [RecordID],
        savePolicy: RecordSavePolicy = .ifServerRecordUnchanged, atomically: Bool = true
    ) async throws -> (
        saveResults: [RecordID: Result<Record, CabinetError>], deleteResults: [RecordID: Result<Void, CabinetError>]
    ) {
        let results = try await itemResults(
            saving: recordsToSave, deleting: recordIDsToDelete, savePolicy: savePolicy, atomically: atomically)
        if atomically { try CabinetError.throwFailures(results.saveResults, results.deleteResults) }
        return results
    }

    /// Saves and deletes records in one transaction, and reports the progress of copying their assets.
    ///
    /// The bytes of all assets are copied into the store first, and then the transaction begins. If copying fails, or
    /// the task is cancelled, the copied bytes are removed.
    ///
    /// - Parameters:
    ///   - recordsToSave: The records to save; each ID once.
    ///   - recordIDsToDelete: The records to delete; each ID once, and none that is also saved.
    ///   - savePolicy: The rule that decides which saves conflict and which fields are sent.
    ///   - atomically: Whether the failure of one record leaves all records of its zone unchanged, and is thrown.
    ///   - progress: A closure that is called at least once for each megabyte, and once at the end. The calls come one
    ///     after the other, on a thread of the container. Without files to copy, it is not called.
    /// - Returns: The result for each record, as ``modifyRecords(saving:deleting:savePolicy:atomically:)`` does.
    /// - Throws: The errors of ``modifyRecords(saving:deleting:savePolicy:atomically:)``.
    public func modifyRecords(
        saving recordsToSave: [Record], deleting recordIDsToDelete: [RecordID],
        savePolicy: RecordSavePolicy = .ifServerRecordUnchanged, atomically: Bool = true,
        progress: @escaping @Sendable (AssetProgress) -> Void
    ) async throws -> (
        saveResults: [RecordID: Result<Record, CabinetError>], deleteResults: [RecordID: Result<Void, CabinetError>]
    ) {
        let results = try await itemResults(
            saving: recordsToSave, deleting: recordIDsToDelete, savePolicy: savePolicy, atomically: atomically,
            progress: progress)
        if atomically { try CabinetError.throwFailures(results.saveResults, results.deleteResults) }
        return results
    }

    /// Saves and deletes records in one transaction, and returns the result for each, also of an atomic batch that fails.
    ///
    /// - Parameter entries: Texts to store under keys in the same transaction; `nil` removes one. If a record fails, none is stored,
    ///   and no record of an atomic batch is changed in any zone.
    /// - Throws: The errors of the whole request.
    package func itemResults(
        saving recordsToSave: [Record], deleting recordIDsToDelete: [RecordID],
        savePolicy: RecordSavePolicy = .ifServerRecordUnchanged, atomically: Bool = true,
        entries: [StorageKey: String?] = [:], progress: (@Sendable (AssetProgress) -> Void)? = nil
    ) async throws -> (
        saveResults: [RecordID: Result<Record, CabinetError>], deleteResults: [RecordID: Result<Void, CabinetError>]
    ) {
        try await modify(
            saving: recordsToSave, deleting: recordIDsToDelete, savePolicy: savePolicy, atomically: atomically,
            entries: entries, progress: progress
        ).results(of: recordsToSave, recordIDsToDelete)
    }

    private func modify(
        saving recordsToSave: [Record] = [], deleting recordIDsToDelete: [RecordID] = [],
        savePolicy: RecordSavePolicy = .ifServerRecordUnchanged, atomically: Bool = true,
        entries: [StorageKey: String?] = [:], progress: (@Sendable (AssetProgress) -> Void)? = nil
    ) async throws -> ModifyRecordsRequest.Response {
        try checkZones(of: recordsToSave.lazy.map(\.recordID))
        try checkZones(of: recordIDsToDelete)
        let request = ModifyRecordsRequest(
            scope: databaseScope, recordsToSave: recordsToSave, recordIDsToDelete: recordIDsToDelete,
            savePolicy: savePolicy, isAtomic: atomically, entries: entries)
        return try await client.modify(request, progress: progress)
    }
}

extension ModifyRecordsRequest.Response {
    /// The saved record of a request with only one.
    fileprivate func saveResult(of record: Record) throws -> Record {
        try saveResults.onlyResult.completed(by: record).get()
    }

    /// Files the results under the IDs that the caller has used.
    func results(
        of records: [Record], _ recordIDsToDelete: [RecordID]
    ) throws -> (
        saveResults: [RecordID: Result<Record, CabinetError>], deleteResults: [RecordID: Result<Void, CabinetError>]
    ) {
        try saveResults.checkResultCount(records.count)
        var saved: [RecordID: Result<Record, CabinetError>] = Dictionary(minimumCapacity: records.count)
        for position in records.indices {
            let record = records[position]
            saved.updateValue(saveResults[position].completed(by: record), forKey: record.recordID)
        }
        return (saved, try Dictionary(deleteErrors.results, of: recordIDsToDelete))
    }
}

extension Result where Success == Record, Failure == CabinetError {
    /// Adds the records of a conflict that only the caller has.
    fileprivate func completed(by record: Record) -> Self {
        guard case .failure(var error) = self, let conflict = error.conflict else { return self }
        error.conflict = RecordConflict(
            clientRecord: record, serverRecord: conflict.serverRecord, ancestorRecord: record.ancestor)
        return .failure(error)
    }
}

extension [Record.FieldKey] {
    /// The keys without repetitions, in the order of their first occurrence.
    var withoutRepetitions: [Record.FieldKey] {
        var seen: Set<Record.FieldKey> = []
        return filter { seen.insert($0).inserted }
    }
}
