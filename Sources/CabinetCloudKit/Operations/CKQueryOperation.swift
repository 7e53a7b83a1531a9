import Foundation

/// An operation that fetches one page of a query's records.
// Unchecked, and safe as its base class is.
open class CKQueryOperation: CKDatabaseOperation, @unchecked Sendable {
    /// The position at which the next page begins.
    public typealias Cursor = CKQueryCursor

    /// The limit that lets the store choose the size of a page.
    public static let maximumResults = 0

    /// The query, or `nil` to continue at the cursor.
    open var query: CKQuery?
    /// The position at which the page begins.
    open var cursor: Cursor?
    /// The zone to search, or `nil` for all.
    open var zoneID: CKRecordZone.ID?
    /// The largest number of records.
    open var resultsLimit = CKQueryOperation.maximumResults
    /// The fields to fetch, or `nil` for all.
    open var desiredKeys: [CKRecord.FieldKey]?

    /// A block that is called for each record.
    open var recordMatchedBlock: ((CKRecord.ID, Result<CKRecord, any Error>) -> Void)?
    /// The older block that is called for each record.
    open var recordFetchedBlock: ((CKRecord) -> Void)?
    /// A block that is called at the end, with a cursor if there are more records.
    open var queryResultBlock: ((Result<Cursor?, any Error>) -> Void)?
    /// The older block that is called at the end, with a cursor if there are more records.
    open var queryCompletionBlock: ((Cursor?, (any Error)?) -> Void)?

    /// Creates an operation for the first page of a query.
    public convenience init(query: CKQuery) {
        self.init()
        self.query = query
    }

    /// Creates an operation for the page after a cursor.
    public convenience init(cursor: Cursor) {
        self.init()
        self.cursor = cursor
    }

    override func perform() async throws {
        let page: (records: [CKRecord], cursor: Cursor?)
        if let cursor {
            page = try await target.page(after: cursor, desiredKeys: desiredKeys, resultsLimit: resultsLimit)
        } else if let query {
            page = try await target.page(
                of: query, inZoneWith: zoneID, desiredKeys: desiredKeys, resultsLimit: resultsLimit)
        } else {
            throw CKError(.invalidArguments, "The operation has neither a query nor a cursor.")
        }
        await call {
            for record in page.records {
                self.recordFetchedBlock?(record)
                self.recordMatchedBlock?(record.recordID, .success(record))
            }
            self.queryResultBlock?(.success(page.cursor))
            self.queryCompletionBlock?(page.cursor, nil)
        }
    }

    override func end(_ error: any Error) {
        queryResultBlock?(.failure(error))
        queryCompletionBlock?(nil, error)
    }
}
