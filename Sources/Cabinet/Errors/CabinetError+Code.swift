extension CabinetError {
    /// A kind of failure, with CloudKit's name and number.
    ///
    /// The set is open: a later version can add a code without breaking a `switch`.
    public struct Code: RawRepresentable, Sendable, Hashable, Codable {
        /// CloudKit's number of the code.
        public let rawValue: Int

        /// Creates a code from CloudKit's number.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }
    }
}

extension CabinetError.Code {
    /// A fault inside Cabinet or its store, such as a damaged file.
    ///
    /// Trying again does not help.
    public static let internalError = Self(rawValue: 1)
    /// Some items of a request failed.
    ///
    /// ``CabinetError/partialErrorsByItemID`` holds a failure for each.
    public static let partialFailure = Self(rawValue: 2)
    /// The network is unavailable.
    public static let networkUnavailable = Self(rawValue: 3)
    /// The network failed during the request.
    public static let networkFailure = Self(rawValue: 4)
    /// The container, or the store behind it, cannot be opened.
    public static let badContainer = Self(rawValue: 5)
    /// The service cannot answer now.
    ///
    /// Try again after ``CabinetError/retryAfterSeconds``.
    public static let serviceUnavailable = Self(rawValue: 6)
    /// The client sends too many requests.
    ///
    /// Try again after ``CabinetError/retryAfterSeconds``.
    public static let requestRateLimited = Self(rawValue: 7)
    /// The program is not entitled to the request.
    public static let missingEntitlement = Self(rawValue: 8)
    /// The request needs an account, and the container has none.
    public static let notAuthenticated = Self(rawValue: 9)
    /// The user may not do this to the record.
    public static let permissionFailure = Self(rawValue: 10)
    /// The record does not exist.
    public static let unknownItem = Self(rawValue: 11)
    /// The request is malformed: a bad name, a value that does not fit its field, a filter that cannot be read.
    public static let invalidArguments = Self(rawValue: 12)
    /// The results were cut off.
    public static let resultsTruncated = Self(rawValue: 13)
    /// The server has another version of the record than the client.
    ///
    /// ``CabinetError/conflict`` holds the three records.
    public static let serverRecordChanged = Self(rawValue: 14)
    /// The server refused the request.
    public static let serverRejectedRequest = Self(rawValue: 15)
    /// The file of an asset does not exist.
    public static let assetFileNotFound = Self(rawValue: 16)
    /// The file of an asset changed while it was being saved.
    public static let assetFileModified = Self(rawValue: 17)
    /// The store or the request is of a newer version than this program.
    public static let incompatibleVersion = Self(rawValue: 18)
    /// The value of a unique field is already in use.
    public static let constraintViolation = Self(rawValue: 19)
    /// The task was cancelled.
    public static let operationCancelled = Self(rawValue: 20)
    /// The change token is too old.
    ///
    /// Fetch everything again, without a token.
    public static let changeTokenExpired = Self(rawValue: 21)
    /// Another item of the same atomic batch failed, although this one is correct.
    public static let batchRequestFailed = Self(rawValue: 22)
    /// Another writer held the store for too long.
    ///
    /// Try again after ``CabinetError/retryAfterSeconds``.
    public static let zoneBusy = Self(rawValue: 23)
    /// The request does not fit this database.
    public static let badDatabase = Self(rawValue: 24)
    /// The store is full.
    public static let quotaExceeded = Self(rawValue: 25)
    /// The zone does not exist.
    public static let zoneNotFound = Self(rawValue: 26)
    /// The request or a record is too large.
    public static let limitExceeded = Self(rawValue: 27)
    /// The user deleted the zone.
    public static let userDeletedZone = Self(rawValue: 28)
    /// The share has too many participants.
    public static let tooManyParticipants = Self(rawValue: 29)
    /// The record is shared already.
    public static let alreadyShared = Self(rawValue: 30)
    /// A reference's target does not exist, or a record cannot be deleted because another refers to it.
    public static let referenceViolation = Self(rawValue: 31)
    /// The account's administrator forbids the request.
    public static let managedAccountRestricted = Self(rawValue: 32)
    /// The participant must verify themselves first.
    public static let participantMayNeedVerification = Self(rawValue: 33)
    /// The connection broke before the answer arrived.
    ///
    /// The request may have been carried out.
    public static let serverResponseLost = Self(rawValue: 34)
    /// The asset's bytes are not available.
    public static let assetNotAvailable = Self(rawValue: 35)
    /// The account cannot be used now.
    public static let accountTemporarilyUnavailable = Self(rawValue: 36)
}

extension CabinetError.Code: CustomStringConvertible {
    /// The code's name, such as `serverRecordChanged`.
    public var description: String { Self.names[self] ?? "code \(rawValue)" }

    private static let names: [Self: String] = [
        .internalError: "internalError",
        .partialFailure: "partialFailure",
        .networkUnavailable: "networkUnavailable",
        .networkFailure: "networkFailure",
        .badContainer: "badContainer",
        .serviceUnavailable: "serviceUnavailable",
        .requestRateLimited: "requestRateLimited",
        .missingEntitlement: "missingEntitlement",
        .notAuthenticated: "notAuthenticated",
        .permissionFailure: "permissionFailure",
        .unknownItem: "unknownItem",
        .invalidArguments: "invalidArguments",
        .resultsTruncated: "resultsTruncated",
        .serverRecordChanged: "serverRecordChanged",
        .serverRejectedRequest: "serverRejectedRequest",
        .assetFileNotFound: "assetFileNotFound",
        .assetFileModified: "assetFileModified",
        .incompatibleVersion: "incompatibleVersion",
        .constraintViolation: "constraintViolation",
        .operationCancelled: "operationCancelled",
        .changeTokenExpired: "changeTokenExpired",
        .batchRequestFailed: "batchRequestFailed",
        .zoneBusy: "zoneBusy",
        .badDatabase: "badDatabase",
        .quotaExceeded: "quotaExceeded",
        .zoneNotFound: "zoneNotFound",
        .limitExceeded: "limitExceeded",
        .userDeletedZone: "userDeletedZone",
        .tooManyParticipants: "tooManyParticipants",
        .alreadyShared: "alreadyShared",
        .referenceViolation: "referenceViolation",
        .managedAccountRestricted: "managedAccountRestricted",
        .participantMayNeedVerification: "participantMayNeedVerification",
        .serverResponseLost: "serverResponseLost",
        .assetNotAvailable: "assetNotAvailable",
        .accountTemporarilyUnavailable: "accountTemporarilyUnavailable",
    ]
}
