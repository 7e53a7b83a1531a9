public import Cabinet

extension CabinetError.Code {
    /// The HTTP status of a response with an error of this code, in Cabinet's own dialect.
    ///
    /// A client of Cabinet reads the error from the body. The status is for proxies, logs and other programs.
    public var status: Int {
        switch self {
        case .invalidArguments, .badDatabase, .partialFailure, .assetFileModified: 400
        case .notAuthenticated: 401
        case .permissionFailure, .missingEntitlement, .managedAccountRestricted, .participantMayNeedVerification: 403
        case .unknownItem, .zoneNotFound, .userDeletedZone, .badContainer, .assetNotAvailable, .assetFileNotFound: 404
        case .serverRecordChanged, .batchRequestFailed, .constraintViolation, .alreadyShared: 409
        case .changeTokenExpired: 410
        case .referenceViolation: 412
        case .limitExceeded, .resultsTruncated, .tooManyParticipants: 413
        case .requestRateLimited: 429
        case .serverRejectedRequest: 501
        case .networkFailure: 502
        case .serviceUnavailable, .zoneBusy, .networkUnavailable, .accountTemporarilyUnavailable, .operationCancelled:
            503
        // The request may have been carried out, so that a proxy must not repeat it.
        case .serverResponseLost: 504
        case .quotaExceeded: 507
        case .internalError, .incompatibleVersion: 500
        default: 500
        }
    }
}

extension CabinetError {
    /// The whole number of seconds after which to try again.
    package var retryAfter: Int? { retryAfterSeconds.map { Int($0.rounded(.up)) } }

    /// Returns the coded error, which is the body of a response that failed.
    ///
    /// - Parameter error: An error of a service. An error of another type becomes ``/Cabinet/CabinetError/Code/internalError`` without
    ///   its description, which is for the server's log alone.
    public static func body(of error: any Error) -> [UInt8] {
        let error =
            error as? CabinetError
            ?? CabinetError(.internalError, "The server failed; its log has the reason under the ID of the request.")
        // A conflict can hold a record with an asset that was not uploaded, which has no coding.
        if let body = try? coding.encode(error) { return body }
        let plain = CabinetError(error.code, error.message, recordID: error.recordID, fieldKey: error.fieldKey)
        return (try? coding.encode(plain)) ?? []
    }
}
