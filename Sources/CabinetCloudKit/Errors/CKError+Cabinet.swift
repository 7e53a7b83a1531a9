import Cabinet
import Foundation

extension CKError {
    /// Creates the error for one of Cabinet.
    ///
    /// - Parameters:
    ///   - error: The error of Cabinet.
    ///   - client: The object that the program tried to save.
    ///   - user: The record name of the user.
    init(_ error: CabinetError, client: CKRecord? = nil, of user: String? = nil) {
        var userInfo: [String: Any] = [NSLocalizedDescriptionKey: error.message]
        if let retryAfter = error.retryAfterSeconds { userInfo[CKErrorRetryAfterKey] = retryAfter }
        if let conflict = error.conflict {
            userInfo[CKRecordChangedErrorClientRecordKey] = client ?? .object(conflict.clientRecord, of: user)
            userInfo[CKRecordChangedErrorServerRecordKey] = CKRecord.object(conflict.serverRecord, of: user)
            userInfo[CKRecordChangedErrorAncestorRecordKey] = conflict.ancestorRecord.map {
                CKRecord.object($0, of: user)
            }
        }
        if !error.partialErrorsByItemID.isEmpty {
            let errors = error.partialErrorsByItemID.map {
                (AnyHashable(CKRecordID($0)), CKError($1, of: user) as any Error)
            }
            userInfo[CKPartialErrorsByItemIDKey] = Dictionary(errors, uniquingKeysWith: { first, _ in first })
        }
        if error.didResetEncryptedData { userInfo[CKErrorUserDidResetEncryptedDataKey] = true }
        // Its description also names the record and the field, for which CloudKit has no keys.
        userInfo[NSUnderlyingErrorKey] = error
        self.init(Code(rawValue: error.code.rawValue) ?? .internalError, userInfo: userInfo)
    }

    /// Creates an error with a description.
    init(_ code: Code, _ message: String) {
        self.init(code, userInfo: [NSLocalizedDescriptionKey: message])
    }

    /// Creates the error of a request in which some items failed.
    init?(partial errors: [AnyHashable: any Error]) {
        guard !errors.isEmpty else { return nil }
        self.init(
            .partialFailure,
            userInfo: [
                NSLocalizedDescriptionKey:
                    "\(errors.count.counted("item")) failed. partialErrorsByItemID has their errors.",
                CKPartialErrorsByItemIDKey: errors,
            ])
    }

    /// Returns an error as CloudKit would throw it.
    static func translating(_ error: any Error) -> any Error {
        switch error {
        case let error as CabinetError: CKError(error)
        case is CancellationError: CKError(.operationCancelled, "The task was cancelled.")
        default: error
        }
    }

    /// Runs a closure, and throws its errors as CloudKit would.
    static func translate<Success>(_ body: () async throws -> Success) async throws -> Success {
        do {
            return try await body()
        } catch {
            throw translating(error)
        }
    }

    /// The error of a feature that Cabinet does not have.
    static func unsupported(_ feature: String) -> CKError {
        CKError(.serverRejectedRequest, "Cabinet has no \(feature). Everything else of this container works.")
    }
}

extension Result where Failure == CabinetError {
    /// The result as CloudKit returns it.
    func translated<Object>(
        client: CKRecord? = nil, of user: String? = nil, _ transform: (Success) -> Object
    ) -> Result<Object, any Error> {
        switch self {
        case .success(let value): .success(transform(value))
        case .failure(let error): .failure(CKError(error, client: client, of: user))
        }
    }
}
