import Cabinet

/// The codes of CloudKit Web Services' errors, with their HTTP statuses.
public enum CloudKitErrorCode: String, Sendable, Hashable, CaseIterable {
    /// The user may not do this.
    case accessDenied = "ACCESS_DENIED"
    /// Another record of the atomic batch failed.
    case atomicError = "ATOMIC_ERROR"
    /// The credentials are wrong.
    case authenticationFailed = "AUTHENTICATION_FAILED"
    /// The request needs a user.
    case authenticationRequired = "AUTHENTICATION_REQUIRED"
    /// The request is malformed.
    case badRequest = "BAD_REQUEST"
    /// The change tag is old.
    case conflict = "CONFLICT"
    /// The record to create exists.
    case exists = "EXISTS"
    /// The server failed.
    case internalError = "INTERNAL_ERROR"
    /// The record does not exist.
    case notFound = "NOT_FOUND"
    /// The store is full.
    case quotaExceeded = "QUOTA_EXCEEDED"
    /// The client sends too many requests.
    case throttled = "THROTTLED"
    /// The server cannot answer now.
    case tryAgainLater = "TRY_AGAIN_LATER"
    /// A unique field has the value in another record.
    case uniqueFieldError = "UNIQUE_FIELD_ERROR"
    /// A reference's target does not exist, or a record is referred to.
    case validatingReferenceError = "VALIDATING_REFERENCE_ERROR"
    /// The zone does not exist.
    case zoneNotFound = "ZONE_NOT_FOUND"

    /// The HTTP status of a response that failed as a whole.
    public var status: Int {
        switch self {
        case .atomicError, .badRequest: 400
        case .authenticationFailed: 401
        case .accessDenied: 403
        case .notFound, .zoneNotFound: 404
        case .conflict, .exists, .uniqueFieldError: 409
        case .validatingReferenceError: 412
        case .quotaExceeded: 413
        case .authenticationRequired: 421
        case .throttled: 429
        case .internalError: 500
        case .tryAgainLater: 503
        }
    }

    /// Returns the code for an error of Cabinet.
    init(_ code: CabinetError.Code) {
        self =
            switch code {
            case .permissionFailure, .missingEntitlement, .managedAccountRestricted, .participantMayNeedVerification:
                .accessDenied
            case .batchRequestFailed, .partialFailure: .atomicError
            case .notAuthenticated: .authenticationRequired
            case .invalidArguments, .badDatabase, .badContainer, .changeTokenExpired, .limitExceeded,
                .serverRejectedRequest, .assetFileNotFound, .assetFileModified, .assetNotAvailable, .alreadyShared,
                .tooManyParticipants, .resultsTruncated:
                .badRequest
            case .serverRecordChanged: .conflict
            case .constraintViolation: .uniqueFieldError
            case .unknownItem: .notFound
            case .zoneNotFound, .userDeletedZone: .zoneNotFound
            case .quotaExceeded: .quotaExceeded
            case .requestRateLimited: .throttled
            case .zoneBusy, .serviceUnavailable, .networkUnavailable, .networkFailure, .operationCancelled,
                .accountTemporarilyUnavailable:
                .tryAgainLater
            case .referenceViolation: .validatingReferenceError
            default: .internalError
            }
    }

    /// The nearest code of Cabinet.
    var cabinetCode: CabinetError.Code {
        switch self {
        case .accessDenied: .permissionFailure
        case .atomicError: .batchRequestFailed
        case .authenticationFailed, .authenticationRequired: .notAuthenticated
        case .badRequest: .invalidArguments
        case .conflict, .exists: .serverRecordChanged
        case .internalError: .internalError
        case .notFound: .unknownItem
        case .quotaExceeded: .quotaExceeded
        case .throttled: .requestRateLimited
        case .tryAgainLater: .serviceUnavailable
        case .uniqueFieldError: .constraintViolation
        case .validatingReferenceError: .referenceViolation
        case .zoneNotFound: .zoneNotFound
        }
    }
}
