import Cabinet
import CloudKit
import Foundation

extension CabinetError {
    /// The error of a request whose task was cancelled.
    static let cancelled = CabinetError(.operationCancelled, "The task of the request was cancelled.")

    /// Reads an error of CloudKit.
    ///
    /// The code and the details are read from an `NSError`, so that a code that this version of the system does not name is kept.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - recordID: The record of the request that failed, if the error is of one.
    ///   - reader: The reader of the server's record in a conflict; without it, the record is left out.
    init(cloudKit error: any Error, of recordID: RecordID? = nil, _ reader: RecordReader? = nil) {
        if let error = error as? CabinetError {
            self = error
            return
        }
        if error is CancellationError {
            self = .cancelled
            self.recordID = recordID
            return
        }
        let failure = error as NSError
        guard failure.domain == CKError.errorDomain else {
            self.init(
                failure.domain == NSURLErrorDomain ? .networkFailure : .internalError,
                "iCloud failed: \(failure.localizedDescription)", recordID: recordID, underlyingError: error)
            return
        }
        let details = failure.userInfo
        // The error of a store of Cabinet behind CloudKit's names.
        let own = details[NSUnderlyingErrorKey] as? CabinetError
        let seconds = details[CKErrorRetryAfterKey]
        self.init(
            Code(rawValue: failure.code),
            details[NSLocalizedDescriptionKey] as? String ?? "iCloud refused the request.",
            recordID: recordID ?? own?.recordID, fieldKey: own?.fieldKey,
            underlyingError: own == nil ? error : own?.underlyingError,
            retryAfterSeconds: (seconds as? NSNumber)?.doubleValue ?? seconds as? Double,
            partialErrorsByItemID: Self.items(details[CKPartialErrorsByItemIDKey], reader))
        isUndeclared = own?.isUndeclared ?? false
        if code == .serverRecordChanged, let reader,
            let server = details[CKRecordChangedErrorServerRecordKey] as? CKRecord
        {
            setServerRecord(reader.result(server))
        }
    }

    /// Adds the server's record to a conflict; the container adds the other two.
    ///
    /// If the record has a value that Cabinet cannot hold, the error becomes that of the value: no merge can succeed, so a mirror sets the
    /// change aside instead of sending it again.
    mutating func setServerRecord(_ record: Result<Record, CabinetError>) {
        switch record {
        case .success(let record):
            conflict = RecordConflict(
                clientRecord: Record(recordType: record.recordType, recordID: record.recordID), serverRecord: record,
                ancestorRecord: nil)
        case .failure(var error) where error.code == .incompatibleVersion:
            error.underlyingError = underlyingError
            self = error
        case .failure: break
        }
    }

    private static func items(_ errors: Any?, _ reader: RecordReader?) -> [RecordID: CabinetError] {
        guard let errors = errors as? [AnyHashable: any Error] else { return [:] }
        var items: [RecordID: CabinetError] = [:]
        for case (let id as CKRecord.ID, let error) in errors.map({ ($0.base, $1) }) {
            let recordID = reader?.recordID(id) ?? RecordID(id, user: nil)
            items[recordID] = CabinetError(cloudKit: error, of: recordID, reader)
        }
        return items
    }
}
