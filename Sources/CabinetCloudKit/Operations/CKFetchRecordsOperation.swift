import Foundation

/// An operation that fetches records by ID.
// Unchecked, and safe as its base class is.
open class CKFetchRecordsOperation: CKDatabaseOperation, @unchecked Sendable {
    /// The IDs of the records.
    open var recordIDs: [CKRecord.ID]?
    /// The fields to fetch, or `nil` for all.
    open var desiredKeys: [CKRecord.FieldKey]?

    /// A block that is called when a record has arrived.
    open var perRecordProgressBlock: ((CKRecord.ID, Double) -> Void)?
    /// A block that is called for each record.
    open var perRecordResultBlock: ((CKRecord.ID, Result<CKRecord, any Error>) -> Void)?
    /// The older block that is called for each record.
    open var perRecordCompletionBlock: ((CKRecord?, CKRecord.ID?, (any Error)?) -> Void)?
    /// A block that is called at the end; failures of single records are not failures of the operation.
    open var fetchRecordsResultBlock: ((Result<Void, any Error>) -> Void)?
    /// The older block that is called at the end, with ``CKError/Code/partialFailure`` if a record failed.
    open var fetchRecordsCompletionBlock: (([CKRecord.ID: CKRecord]?, (any Error)?) -> Void)?

    private var fetchesCurrentUser = false

    /// Creates an operation.
    public convenience init(recordIDs: [CKRecord.ID]) {
        self.init()
        self.recordIDs = recordIDs
    }

    /// Returns an operation that fetches the user's own record.
    public class func fetchCurrentUserRecordOperation() -> CKFetchRecordsOperation {
        let operation = CKFetchRecordsOperation()
        operation.fetchesCurrentUser = true
        return operation
    }

    override func perform() async throws {
        let ids = fetchesCurrentUser ? [try await target.userRecordID()] : recordIDs ?? []
        let results = target.items(ids, in: try await target.records(for: ids, desiredKeys: desiredKeys))
        await call {
            var errors: [AnyHashable: any Error] = [:]
            let records = results.report(to: self.report, &errors)
            self.fetchRecordsResultBlock?(.success(()))
            self.fetchRecordsCompletionBlock?(Dictionary(records, uniquingKeysWith: { $1 }), CKError(partial: errors))
        }
    }

    private func report(_ id: CKRecord.ID, _ result: Result<CKRecord, any Error>) {
        switch result {
        case .success(let record):
            perRecordProgressBlock?(id, 1)
            perRecordCompletionBlock?(record, id, nil)
        case .failure(let error): perRecordCompletionBlock?(nil, id, error)
        }
        perRecordResultBlock?(id, result)
    }

    override func end(_ error: any Error) {
        fetchRecordsResultBlock?(.failure(error))
        fetchRecordsCompletionBlock?(nil, error)
    }
}
