extension CabinetError: Equatable {
    /// Returns a Boolean value that indicates whether two errors have the same code, even if their messages and records differ.
    public static func == (left: CabinetError, right: CabinetError) -> Bool { left.code == right.code }
}

/// Matches an error by its code: `catch CabinetError.Code.unknownItem`, or `catch CabinetError.unknownItem`.
public func ~= (code: CabinetError.Code, error: any Error) -> Bool {
    (error as? CabinetError)?.code == code
}

/// The codes that Cabinet throws, by shorter names: `catch CabinetError.unknownItem`, as with CloudKit's errors.
extension CabinetError {
    /// The code ``Code/internalError``.
    public static var internalError: Code { .internalError }

    /// The code ``Code/partialFailure``.
    public static var partialFailure: Code { .partialFailure }

    /// The code ``Code/networkFailure``.
    public static var networkFailure: Code { .networkFailure }

    /// The code ``Code/badContainer``.
    public static var badContainer: Code { .badContainer }

    /// The code ``Code/serviceUnavailable``.
    public static var serviceUnavailable: Code { .serviceUnavailable }

    /// The code ``Code/notAuthenticated``.
    public static var notAuthenticated: Code { .notAuthenticated }

    /// The code ``Code/permissionFailure``.
    public static var permissionFailure: Code { .permissionFailure }

    /// The code ``Code/unknownItem``.
    public static var unknownItem: Code { .unknownItem }

    /// The code ``Code/invalidArguments``.
    public static var invalidArguments: Code { .invalidArguments }

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

    /// The code ``Code/referenceViolation``.
    public static var referenceViolation: Code { .referenceViolation }

    /// The code ``Code/serverResponseLost``.
    public static var serverResponseLost: Code { .serverResponseLost }

    /// The code ``Code/assetNotAvailable``.
    public static var assetNotAvailable: Code { .assetNotAvailable }
}

/// Codes as errors, for an expectation of Swift Testing, which compares the thrown error itself.
///
/// ```swift
/// await #expect(throws: CabinetError.Code.unknownItem) {
///     try await database.record(for: "nowhere")
/// }
/// ```
///
/// Elsewhere, the same names are the codes.
extension RawRepresentable where Self == CabinetError.Code {
    /// An error of the code ``CabinetError/Code/internalError``.
    public static var internalError: CabinetError { CabinetError(Self.internalError, "") }

    /// An error of the code ``CabinetError/Code/partialFailure``.
    public static var partialFailure: CabinetError { CabinetError(Self.partialFailure, "") }

    /// An error of the code ``CabinetError/Code/networkFailure``.
    public static var networkFailure: CabinetError { CabinetError(Self.networkFailure, "") }

    /// An error of the code ``CabinetError/Code/badContainer``.
    public static var badContainer: CabinetError { CabinetError(Self.badContainer, "") }

    /// An error of the code ``CabinetError/Code/serviceUnavailable``.
    public static var serviceUnavailable: CabinetError { CabinetError(Self.serviceUnavailable, "") }

    /// An error of the code ``CabinetError/Code/notAuthenticated``.
    public static var notAuthenticated: CabinetError { CabinetError(Self.notAuthenticated, "") }

    /// An error of the code ``CabinetError/Code/permissionFailure``.
    public static var permissionFailure: CabinetError { CabinetError(Self.permissionFailure, "") }

    /// An error of the code ``CabinetError/Code/unknownItem``.
    public static var unknownItem: CabinetError { CabinetError(Self.unknownItem, "") }

    /// An error of the code ``CabinetError/Code/invalidArguments``.
    public static var invalidArguments: CabinetError { CabinetError(Self.invalidArguments, "") }

    /// An error of the code ``CabinetError/Code/serverRecordChanged``.
    public static var serverRecordChanged: CabinetError { CabinetError(Self.serverRecordChanged, "") }

    /// An error of the code ``CabinetError/Code/serverRejectedRequest``.
    public static var serverRejectedRequest: CabinetError { CabinetError(Self.serverRejectedRequest, "") }

    /// An error of the code ``CabinetError/Code/assetFileNotFound``.
    public static var assetFileNotFound: CabinetError { CabinetError(Self.assetFileNotFound, "") }

    /// An error of the code ``CabinetError/Code/assetFileModified``.
    public static var assetFileModified: CabinetError { CabinetError(Self.assetFileModified, "") }

    /// An error of the code ``CabinetError/Code/incompatibleVersion``.
    public static var incompatibleVersion: CabinetError { CabinetError(Self.incompatibleVersion, "") }

    /// An error of the code ``CabinetError/Code/constraintViolation``.
    public static var constraintViolation: CabinetError { CabinetError(Self.constraintViolation, "") }

    /// An error of the code ``CabinetError/Code/operationCancelled``.
    public static var operationCancelled: CabinetError { CabinetError(Self.operationCancelled, "") }

    /// An error of the code ``CabinetError/Code/changeTokenExpired``.
    public static var changeTokenExpired: CabinetError { CabinetError(Self.changeTokenExpired, "") }

    /// An error of the code ``CabinetError/Code/batchRequestFailed``.
    public static var batchRequestFailed: CabinetError { CabinetError(Self.batchRequestFailed, "") }

    /// An error of the code ``CabinetError/Code/zoneBusy``.
    public static var zoneBusy: CabinetError { CabinetError(Self.zoneBusy, "") }

    /// An error of the code ``CabinetError/Code/badDatabase``.
    public static var badDatabase: CabinetError { CabinetError(Self.badDatabase, "") }

    /// An error of the code ``CabinetError/Code/quotaExceeded``.
    public static var quotaExceeded: CabinetError { CabinetError(Self.quotaExceeded, "") }

    /// An error of the code ``CabinetError/Code/zoneNotFound``.
    public static var zoneNotFound: CabinetError { CabinetError(Self.zoneNotFound, "") }

    /// An error of the code ``CabinetError/Code/limitExceeded``.
    public static var limitExceeded: CabinetError { CabinetError(Self.limitExceeded, "") }

    /// An error of the code ``CabinetError/Code/referenceViolation``.
    public static var referenceViolation: CabinetError { CabinetError(Self.referenceViolation, "") }

    /// An error of the code ``CabinetError/Code/serverResponseLost``.
    public static var serverResponseLost: CabinetError { CabinetError(Self.serverResponseLost, "") }

    /// An error of the code ``CabinetError/Code/assetNotAvailable``.
    public static var assetNotAvailable: CabinetError { CabinetError(Self.assetNotAvailable, "") }
}
