extension CabinetError: Equatable {
    /// Returns a Boolean value that indicates whether two errors have the same code, even if their messages and records differ.
    public static func == (left: CabinetError, right: CabinetError) -> Bool { left.code == right.code }
}

/// Matches an error by its code: `catch CabinetError.Code.unknownItem`, or `catch CabinetError.unknownItem`.
public func ~= (code: CabinetError.Code, error: any Error) -> Bool {
    (error as? CabinetError)?.code == code
}

/// The codes by shorter names: `catch CabinetError.unknownItem`, as with CloudKit's errors.
extension CabinetError {
    /// The code ``Code/internalError``.
    public static var internalError: Code { .internalError }

    /// The code ``Code/partialFailure``.
    public static var partialFailure: Code { .partialFailure }

    /// The code ``Code/networkUnavailable``.
    public static var networkUnavailable: Code { .networkUnavailable }

    /// The code ``Code/networkFailure``.
    public static var networkFailure: Code { .networkFailure }

    /// The code ``Code/badContainer``.
    public static var badContainer: Code { .badContainer }

    /// The code ``Code/serviceUnavailable``.
    public static var serviceUnavailable: Code { .serviceUnavailable }

    /// The code ``Code/requestRateLimited``.
    public static var requestRateLimited: Code { .requestRateLimited }

    /// The code ``Code/missingEntitlement``.
    public static var missingEntitlement: Code { .missingEntitlement }

    /// The code ``Code/notAuthenticated``.
    public static var notAuthenticated: Code { .notAuthenticated }

    /// The code ``Code/permissionFailure``.
    public static var permissionFailure: Code { .permissionFailure }

    /// The code ``Code/unknownItem``.
    public static var unknownItem: Code { .unknownItem }

    /// The code ``Code/invalidArguments``.
    public static var invalidArguments: Code { .invalidArguments }

    /// The code ``Code/resultsTruncated``.
    public static var resultsTruncated: Code { .resultsTruncated }

    /// The code ``Code/serverRecordChanged``.
    public static var serverRecordChanged: Code { .serverRecordChanged }

    /// The code ``Code/serverRejectedRequest``.
    public static var serverRejectedRequest: Code { .serverRejectedRequest }

    /// The code ``Code/assetFileNotFound``.
    public static var assetFileNotFound: Code { .assetFileNotFound }

    /// The code ``Code/assetFileModified``.
    public static var assetFileModified: Code { .assetFileModified }

    /// The code ``Code/incompatibleVersion``.
    public static var incompatibleVersion: Code { .incompatibleVersion }

    /// The code ``Code/constraintViolation``.
    public static var constraintViolation: Code { .constraintViolation }

    /// The code ``Code/operationCancelled``.
    public static var operationCancelled: Code { .operationCancelled }

    /// The code ``Code/changeTokenExpired``.
    public static var changeTokenExpired: Code { .changeTokenExpired }

    /// The code ``Code/batchRequestFailed``.
    public static var batchRequestFailed: Code { .batchRequestFailed }

    /// The code ``Code/zoneBusy``.
    public static var zoneBusy: Code { .zoneBusy }

    /// The code ``Code/badDatabase``.
    public static var badDatabase: Code { .badDatabase }

    /// The code ``Code/quotaExceeded``.
    public static var quotaExceeded: Code { .quotaExceeded }

    /// The code ``Code/zoneNotFound``.
    public static var zoneNotFound: Code { .zoneNotFound }

    /// The code ``Code/limitExceeded``.
    public static var limitExceeded: Code { .limitExceeded }

    /// The code ``Code/userDeletedZone``.
    public static var userDeletedZone: Code { .userDeletedZone }

    /// The code ``Code/tooManyParticipants``.
    public static var tooManyParticipants: Code { .tooManyParticipants }

    /// The code ``Code/alreadyShared``.
    public static var alreadyShared: Code { .alreadyShared }

    /// The code ``Code/referenceViolation``.
    public static var referenceViolation: Code { .referenceViolation }

    /// The code ``Code/managedAccountRestricted``.
    public static var managedAccountRestricted: Code { .managedAccountRestricted }

    /// The code ``Code/participantMayNeedVerification``.
    public static var participantMayNeedVerification: Code { .participantMayNeedVerification }

    /// The code ``Code/serverResponseLost``.
    public static var serverResponseLost: Code { .serverResponseLost }

    /// The code ``Code/assetNotAvailable``.
    public static var assetNotAvailable: Code { .assetNotAvailable }

    /// The code ``Code/accountTemporarilyUnavailable``.
    public static var accountTemporarilyUnavailable: Code { .accountTemporarilyUnavailable }
}
