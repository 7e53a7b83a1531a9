import Cabinet
import Foundation

extension CKDatabase {
    /// Fetches a record by ID.
    ///
    /// - Throws: ``CKError/Code/unknownItem`` if it does not exist.
    @discardableResult
    public func record(for recordID: CKRecord.ID) async throws -> CKRecord {
        try await item(recordID, in: records(for: [recordID])).get()
    }

    /// Fetches records by ID.
    ///
    /// - Returns: A record or an error for each ID.
    public func records(
        for ids: [CKRecord.ID], desiredKeys: [CKRecord.FieldKey]? = nil
    ) async throws -> [CKRecord.ID: Result<CKRecord, any Error>] {
        try await CKError.translate {
            let store = try store()
            let stored = ids.map { $0.value.resolvingUser(store.user) }
            let results = try await store.database.records(for: stored, desiredKeys: desiredKeys)
            let records = results.values.compactMap { try? $0.get() }
            let objects = Dictionary(
                zip(records.map(\.recordID), try await store.objects(records, desiredKeys)), uniquingKeysWith: { $1 })
            // A requested ID may name the user's own zone by another name than its record.
            let found = results.mapValues { $0.translated { objects[$0.recordID] ?? .object($0, of: store.user) } }
            return Dictionary(zip(ids, stored).map { ($0, item($1, in: found)) }, uniquingKeysWith: { $1 })
        }
    }

    /// Saves a record if the server still has the version that was fetched, and updates it.
    ///
    /// - Returns: The record that was passed.
    @discardableResult
    public func save(_ record: CKRecord) async throws -> CKRecord {
        let outcome = try await modify(RecordChanges(saves: [record]))
        return try outcome.saves.first?.result.get() ?? record
    }

    /// Deletes a record, and the records that refer to it with `deleteSelf`.
    @discardableResult
    public func deleteRecord(withID recordID: CKRecord.ID) async throws -> CKRecord.ID {
        try await modify(RecordChanges(deletes: [recordID])).deletes.first?.result.get()
        return recordID
    }

    /// Saves and deletes records, and updates those that were saved.
    ///
    /// - Returns: The result of each record.
    /// - Throws: ``CKError/Code/partialFailure`` if the batch is atomic and a record failed, and errors of the whole
    ///   request.
    public func modifyRecords(
        saving recordsToSave: [CKRecord], deleting recordIDsToDelete: [CKRecord.ID],
        savePolicy: CKModifyRecordsOperation.RecordSavePolicy = .ifServerRecordUnchanged, atomically: Bool = true
    ) async throws -> (
        saveResults: [CKRecord.ID: Result<CKRecord, any Error>], deleteResults: [CKRecord.ID: Result<Void, any Error>]
    ) {
        let outcome = try await modify(
            RecordChanges(
                saves: recordsToSave, deletes: recordIDsToDelete, savePolicy: savePolicy, isAtomic: atomically))
        if atomically, let error = CKError(partial: outcome.failures) { throw error }
        return (
            Dictionary(outcome.saves.map { ($0.record.recordID, $0.result) }, uniquingKeysWith: { $1 }),
            Dictionary(outcome.deletes.map { ($0.id, $0.result) }, uniquingKeysWith: { $1 })
        )
    }

    /// Returns the result of each requested item.
    func items<ID: Hashable, Success>(
        _ ids: [ID], in results: [ID: Result<Success, any Error>]
    ) -> [(ID, Result<Success, any Error>)] {
        ids.map { ($0, item($0, in: results)) }
    }

    /// Returns the result of a requested item.
    func item<ID: Hashable, Success>(
        _ id: ID, in results: [ID: Result<Success, any Error>]
    ) -> Result<Success, any Error> {
        results[id] ?? .failure(CKError(.internalError, "The store gave no answer for \(id)."))
    }
}

extension CKDatabase {
    /// Fetches a record by ID, and passes it to a closure.
    @preconcurrency
    public func fetch(
        withRecordID recordID: CKRecord.ID, completionHandler: @escaping @Sendable (CKRecord?, (any Error)?) -> Void
    ) {
        complete(completionHandler) { try await self.record(for: recordID) }
    }

    /// Fetches records by ID, and passes the result to a closure.
    @preconcurrency
    public func fetch(
        withRecordIDs recordIDs: [CKRecord.ID], desiredKeys: [CKRecord.FieldKey]? = nil,
        completionHandler: @escaping @Sendable (Result<[CKRecord.ID: Result<CKRecord, any Error>], any Error>) -> Void
    ) {
        complete(result: completionHandler) { try await self.records(for: recordIDs, desiredKeys: desiredKeys) }
    }

    /// Saves a record, and passes it to a closure.
    @preconcurrency
    public func save(
        _ record: CKRecord, completionHandler: @escaping @Sendable (CKRecord?, (any Error)?) -> Void
    ) {
        complete(completionHandler) { try await self.save(record) }
    }

    /// Deletes a record, and passes its ID to a closure.
    @preconcurrency
    public func delete(
        withRecordID recordID: CKRecord.ID, completionHandler: @escaping @Sendable (CKRecord.ID?, (any Error)?) -> Void
    ) {
        complete(completionHandler) { try await self.deleteRecord(withID: recordID) }
    }

    /// Saves and deletes records, and passes the results to a closure.
    @preconcurrency
    public func modifyRecords(
        saving recordsToSave: [CKRecord], deleting recordIDsToDelete: [CKRecord.ID],
        savePolicy: CKModifyRecordsOperation.RecordSavePolicy = .ifServerRecordUnchanged, atomically: Bool = true,
        completionHandler:
            @escaping @Sendable (
                Result<
                    (
                        saveResults: [CKRecord.ID: Result<CKRecord, any Error>],
                        deleteResults: [CKRecord.ID: Result<Void, any Error>]
                    ), any Error
                >
            ) -> Void
    ) {
        complete(result: completionHandler) {
            try await self.modifyRecords(
                saving: recordsToSave, deleting: recordIDsToDelete, savePolicy: savePolicy, atomically: atomically)
        }
    }
}
