import Foundation

extension CKError {
    /// The kinds of failures, with CloudKit's numbers.
    public enum Code: Int, Sendable, Hashable, CaseIterable {
        /// The framework failed.
        case internalError = 1
        /// Some items failed.
        case partialFailure = 2
        /// The device has no network.
        case networkUnavailable = 3
        /// The network failed.
        case networkFailure = 4
        /// The container is unknown, or its store cannot be opened.
        case badContainer = 5
        /// The service is unavailable; wait and try again.
        case serviceUnavailable = 6
        /// There are too many requests; wait and try again.
        case requestRateLimited = 7
        /// The program lacks an entitlement.
        case missingEntitlement = 8
        /// The container has no account.
        case notAuthenticated = 9
        /// The user may not do this.
        case permissionFailure = 10
        /// The record, record type or subscription does not exist.
        case unknownItem = 11
        /// The request is malformed, or does not fit the schema.
        case invalidArguments = 12
        /// The results are incomplete.
        case resultsTruncated = 13
        /// Another client has saved the record.
        case serverRecordChanged = 14
        /// The server refuses the request.
        case serverRejectedRequest = 15
        /// The file of an asset does not exist.
        case assetFileNotFound = 16
        /// The file of an asset changed while it was read.
        case assetFileModified = 17
        /// The program is too old.
        case incompatibleVersion = 18
        /// A unique field has a value that exists.
        case constraintViolation = 19
        /// The operation was cancelled.
        case operationCancelled = 20
        /// The change token has expired; begin without one.
        case changeTokenExpired = 21
        /// Another record of the same atomic batch failed.
        case batchRequestFailed = 22
        /// The zone is busy; wait and try again.
        case zoneBusy = 23
        /// The database does not support the request.
        case badDatabase = 24
        /// The store is full.
        case quotaExceeded = 25
        /// The zone does not exist.
        case zoneNotFound = 26
        /// The request is too large; divide it.
        case limitExceeded = 27
        /// The user has deleted the zone.
        case userDeletedZone = 28
        /// The share has too many participants.
        case tooManyParticipants = 29
        /// The record is shared already.
        case alreadyShared = 30
        /// The target of a reference does not exist, or the record is a target.
        case referenceViolation = 31
        /// The account is restricted.
        case managedAccountRestricted = 32
        /// The user must verify an address.
        case participantMayNeedVerification = 33
        /// The response was lost.
        case serverResponseLost = 34
        /// The bytes of an asset cannot be read.
        case assetNotAvailable = 35
        /// The account is temporarily unavailable.
        case accountTemporarilyUnavailable = 36
        /// The participant is invited already.
        case participantAlreadyInvited = 37
    }
}

extension CKError.Code {
    /// Matches an error with a code: `catch CKError.Code.unknownItem`.
    public static func ~= (code: CKError.Code, error: any Error) -> Bool {
        (error as? CKError)?.code == code
    }
}

extension CKError.Code {
    /// Whether the failure has nothing to do with the items of the request, so that all of them have it.
    var isOfWholeRequest: Bool {
        switch self {
        case .networkUnavailable, .networkFailure, .serverResponseLost, .notAuthenticated,
            .accountTemporarilyUnavailable, .badContainer, .badDatabase, .requestRateLimited, .serviceUnavailable,
            .operationCancelled:
            true
        default: false
        }
    }
}

extension CKError {
    /// The framework failed.
    public static var internalError: Code { .internalError }
    /// Some items failed.
    public static var partialFailure: Code { .partialFailure }
    /// The device has no network.
    public static var networkUnavailable: Code { .networkUnavailable }
    /// The network failed.
    public static var networkFailure: Code { .networkFailure }
    /// The container is unknown, or its store cannot be opened.
    public static var badContainer: Code { .badContainer }
    /// The service is unavailable; wait and try again.
    public static var serviceUnavailable: Code { .serviceUnavailable }
    /// There are too many requests; wait and try again.
    public static var requestRateLimited: Code { .requestRateLimited }
    /// The program lacks an entitlement.
    public static var missingEntitlement: Code { .missingEntitlement }
    /// The container has no account.
    public static var notAuthenticated: Code { .notAuthenticated }
    /// The user may not do this.
    public static var permissionFailure: Code { .permissionFailure }
    /// The record, record type or subscription does not exist.
    public static var unknownItem: Code { .unknownItem }
    /// The request is malformed, or does not fit the schema.
    public static var invalidArguments: Code { .invalidArguments }
    /// The results are incomplete.
    public static var resultsTruncated: Code { .resultsTruncated }
    /// Another client has saved the record.
    public static var serverRecordChanged: Code { .serverRecordChanged }
    /// The server refuses the request.
    public static var serverRejectedRequest: Code { .serverRejectedRequest }
    /// The file of an asset does not exist.
    public static var assetFileNotFound: Code { .assetFileNotFound }
    /// The file of an asset changed while it was read.
    public static var assetFileModified: Code { .assetFileModified }
    /// The program is too old.
    public static var incompatibleVersion: Code { .incompatibleVersion }
    /// A unique field has a value that exists.
    public static var constraintViolation: Code { .constraintViolation }
    /// The operation was cancelled.
    public static var operationCancelled: Code { .operationCancelled }
    /// The change token has expired; begin without one.
    public static var changeTokenExpired: Code { .changeTokenExpired }
    /// Another record of the same atomic batch failed.
    public static var batchRequestFailed: Code { .batchRequestFailed }
    /// The zone is busy; wait and try again.
    public static var zoneBusy: Code { .zoneBusy }
    /// The database does not support the request.
    public static var badDatabase: Code { .badDatabase }
    /// The store is full.
    public static var quotaExceeded: Code { .quotaExceeded }
    /// The zone does not exist.
    public static var zoneNotFound: Code { .zoneNotFound }
    /// The request is too large; divide it.
    public static var limitExceeded: Code { .limitExceeded }
    /// The user has deleted the zone.
    public static var userDeletedZone: Code { .userDeletedZone }
    /// The share has too many participants.
    public static var tooManyParticipants: Code { .tooManyParticipants }
    /// The record is shared already.
    public static var alreadyShared: Code { .alreadyShared }
    /// The target of a reference does not exist, or the record is a target.
    public static var referenceViolation: Code { .referenceViolation }
    /// The account is restricted.
    public static var managedAccountRestricted: Code { .managedAccountRestricted }
    /// The user must verify an address.
    public static var participantMayNeedVerification: Code { .participantMayNeedVerification }
    /// The response was lost.
    public static var serverResponseLost: Code { .serverResponseLost }
    /// The bytes of an asset cannot be read.
    public static var assetNotAvailable: Code { .assetNotAvailable }
    /// The account is temporarily unavailable.
    public static var accountTemporarilyUnavailable: Code { .accountTemporarilyUnavailable }
    /// The participant is invited already.
    public static var participantAlreadyInvited: Code { .participantAlreadyInvited }
}
