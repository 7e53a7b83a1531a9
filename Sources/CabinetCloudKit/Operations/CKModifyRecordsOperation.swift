public import Foundation

/// An operation that saves and deletes records, and updates those that were saved.
// Unchecked, and safe as its base class is.
open class CKModifyRecordsOperation: CKDatabaseOperation, @unchecked Sendable {
    /// The rule that decides which saves conflict, and which fields are sent.
    public enum RecordSavePolicy: Int, Sendable, Hashable {
        /// A save fails if the server has another version; changed fields are sent.
        case ifServerRecordUnchanged = 0
        /// Changed fields replace the server's.
        case changedKeys = 1
        /// All fields replace the server's.
        case allKeys = 2
    }

    /// The records to save.
    open var recordsToSave: [CKRecord]?
    /// The IDs of the records to delete.
    open var recordIDsToDelete: [CKRecord.ID]?
    /// The rule that decides which saves conflict.
    open var savePolicy: RecordSavePolicy = .ifServerRecordUnchanged
    /// Data of the client, which is accepted and ignored.
    open var clientChangeTokenData: Data? {
        didSet { IgnoredMember.warn("CKModifyRecordsOperation.clientChangeTokenData", "no server returns it") }
    }
    /// Whether the failure of one record leaves all records of its custom zone unchanged.
    open var isAtomic = true

    /// A block that is called when a record was sent.
    open var perRecordProgressBlock: ((CKRecord, Double) -> Void)?
    /// A block that is called for each record to save.
    open var perRecordSaveBlock: ((CKRecord.ID, Result<CKRecord, any Error>) -> Void)?
    /// A block that is called for each record to delete.
    open var perRecordDeleteBlock: ((CKRecord.ID, Result<Void, any Error>) -> Void)?
    /// The older block that is called for each record to save.
    open var perRecordCompletionBlock: ((CKRecord, (any Error)?) -> Void)?
    /// A block that is called at the end, with ``CKError/Code/partialFailure`` if the batch is atomic and a record failed.
    open var modifyRecordsResultBlock: ((Result<Void, any Error>) -> Void)?
    /// The older block that is called at the end, with ``CKError/Code/partialFailure`` if a record failed.
    open var modifyRecordsCompletionBlock: (([CKRecord]?, [CKRecord.ID]?, (any Error)?) -> Void)?

    /// Creates an operation.
    public convenience init(recordsToSave: [CKRecord]? = nil, recordIDsToDelete: [CKRecord.ID]? = nil) {
        self.init()
        self.recordsToSave = recordsToSave
        self.recordIDsToDelete = recordIDsToDelete
    }

    override func perform() async throws {
        let outcome = try await target.modify(
            RecordChanges(
                saves: recordsToSave ?? [], deletes: recordIDsToDelete ?? [], savePolicy: savePolicy,
                isAtomic: isAtomic))
        await call { self.report(outcome) }
    }

    private func report(_ outcome: ModifyOutcome) {
        var saved: [CKRecord] = []
        var deleted: [CKRecord.ID] = []
        for (record, result) in outcome.saves {
            switch result {
            case .success:
                saved.append(record)
                perRecordProgressBlock?(record, 1)
                perRecordCompletionBlock?(record, nil)
            case .failure(let error):
                perRecordCompletionBlock?(record, error)
            }
            perRecordSaveBlock?(record.recordID, result)
        }
        for (id, result) in outcome.deletes {
            if case .success = result { deleted.append(id) }
            perRecordDeleteBlock?(id, result)
        }
        let error = CKError(partial: outcome.failures)
        modifyRecordsResultBlock?(isAtomic ? error.map { .failure($0) } ?? .success(()) : .success(()))
        modifyRecordsCompletionBlock?(saved, deleted, error)
    }

    override func end(_ error: any Error) {
        modifyRecordsResultBlock?(.failure(error))
        modifyRecordsCompletionBlock?(nil, nil, error)
    }
}
