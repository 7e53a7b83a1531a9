extension CabinetError {
    /// A kind of failure, with CloudKit's name and number.
    ///
    /// A code matches errors in a `catch` clause:
    ///
    /// ```swift
    /// do {
    ///     item = try await database.record(for: "milk")
    /// } catch CabinetError.unknownItem {
    ///     item = nil
    /// }
    /// ```
    ///
    /// The set is open: a later version can add a code without breaking a `switch`. Some codes come from servers and from iCloud
    /// alone; their descriptions say so. <doc:ErrorsAndRetry> lists the answers to codes.
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
    /// A retry does not help. Verify the store with `CabinetTools`.
    public static let internalError = Self(rawValue: 1)
    /// Some items of a request failed, such as records of an atomic batch.
    ///
    /// ``CabinetError/partialErrorsByItemID`` has the error of each. <doc:ErrorsAndRetry> shows how to find the cause.
    public static let partialFailure = Self(rawValue: 2)
    /// The network is unavailable, or the server cannot be reached.
    ///
    /// Nothing has changed. `CabinetRemote` and `CabinetICloud` throw it; a local store has no network.
    public static let networkUnavailable = Self(rawValue: 3)
    /// The connection to the server failed, or could not be opened.
    ///
    /// Nothing has changed. Try again later.
    public static let networkFailure = Self(rawValue: 4)
    /// The container's identifier is malformed, or its store cannot be opened.
    ///
    /// The message has the path or the server, and the reason.
    public static let badContainer = Self(rawValue: 5)
    /// The service cannot answer now, or the container was closed.
    ///
    /// Try again after ``CabinetError/retryAfterSeconds``, if it has a value.
    public static let serviceUnavailable = Self(rawValue: 6)
    /// The client sends too many requests.
    ///
    /// Servers throw it, `CabinetServer` among them. Try again after ``CabinetError/retryAfterSeconds``.
    public static let requestRateLimited = Self(rawValue: 7)
    /// The program is not entitled to the request.
    ///
    /// Only iCloud throws it, through `CabinetICloud`.
    public static let missingEntitlement = Self(rawValue: 8)
    /// The request needs an account, and the container has none.
    ///
    /// Create the container with an ``Account``.
    public static let notAuthenticated = Self(rawValue: 9)
    /// The user may not do this to the record, or the process may not access the store.
    ///
    /// In the public database, the schema grants permissions to roles; the message names the missing grant.
    /// <doc:RolesAndUniqueValues> explains them.
    public static let permissionFailure = Self(rawValue: 10)
    /// The record, or the subscription, does not exist.
    public static let unknownItem = Self(rawValue: 11)
    /// The request is malformed: a bad name, a value that does not fit its field, a filter that cannot be read.
    ///
    /// The message has the expectation. Correct the program; a retry fails in the same way.
    public static let invalidArguments = Self(rawValue: 12)
    /// The results were cut off.
    ///
    /// Cabinet itself never throws it: a page of results has a cursor.
    public static let resultsTruncated = Self(rawValue: 13)
    /// The server has another version of the record than the client.
    ///
    /// ``CabinetError/conflict`` holds the three records. <doc:Conflicts> shows how to merge them.
    public static let serverRecordChanged = Self(rawValue: 14)
    /// The store or the service cannot do this, such as saving an asset in a backend without assets, or counting in iCloud.
    public static let serverRejectedRequest = Self(rawValue: 15)
    /// The file of an asset does not exist.
    public static let assetFileNotFound = Self(rawValue: 16)
    /// The file of an asset changed while it was being saved.
    public static let assetFileModified = Self(rawValue: 17)
    /// The store was written by another version of Cabinet, whose layout this version does not read.
    ///
    /// `CabinetICloud` also throws it for a value of iCloud that no field can hold.
    public static let incompatibleVersion = Self(rawValue: 18)
    /// Another record has the values of a unique key.
    ///
    /// The message names the record. <doc:RolesAndUniqueValues> explains unique keys.
    public static let constraintViolation = Self(rawValue: 19)
    /// The task was cancelled, and nothing has changed.
    ///
    /// If the cause is ``serverResponseLost``, a request was sent, and the server may have carried it out.
    public static let operationCancelled = Self(rawValue: 20)
    /// The change token is too old.
    ///
    /// Discard the local copy, and fetch everything again without a token.
    public static let changeTokenExpired = Self(rawValue: 21)
    /// Another item of the same atomic batch failed, so this correct one was not saved either.
    public static let batchRequestFailed = Self(rawValue: 22)
    /// Another process wrote to the store for too long.
    ///
    /// Try again after ``CabinetError/retryAfterSeconds``. `CabinetMirror` also throws it while another process fetches and
    /// sends for the store.
    public static let zoneBusy = Self(rawValue: 23)
    /// The request does not fit this database, such as a new zone in the shared database.
    public static let badDatabase = Self(rawValue: 24)
    /// The disk of the store is full, or the user has no room in iCloud.
    public static let quotaExceeded = Self(rawValue: 25)
    /// The zone does not exist: it was never saved, or was deleted.
    public static let zoneNotFound = Self(rawValue: 26)
    /// The request or a record is too large, or a query takes too much work.
    ///
    /// ``Limits`` has the limits. Split the batch, or add an index.
    public static let limitExceeded = Self(rawValue: 27)
    /// The user deleted the zone's data in the settings of a device.
    ///
    /// Only iCloud throws it, and a mirror of iCloud sets changes aside with it. Cabinet's own stores throw ``zoneNotFound``.
    public static let userDeletedZone = Self(rawValue: 28)
    /// The share has too many participants, or too many users wait for an answer to their request for access.
    ///
    /// See <doc:SharingRecords> for the numbers.
    public static let tooManyParticipants = Self(rawValue: 29)
    /// Another share covers the record or the zone already.
    ///
    /// The message names that share. See <doc:SharingRecords>.
    public static let alreadyShared = Self(rawValue: 30)
    /// A reference's target does not exist, or a record cannot be deleted because another refers to it.
    ///
    /// Save the target in the same batch, or delete the referring records first. See <doc:References>.
    public static let referenceViolation = Self(rawValue: 31)
    /// The account's administrator forbids the request.
    ///
    /// Only iCloud throws it, through `CabinetICloud`.
    public static let managedAccountRestricted = Self(rawValue: 32)
    /// The participant must prove its identity first.
    ///
    /// Only iCloud throws it, through `CabinetICloud`.
    public static let participantMayNeedVerification = Self(rawValue: 33)
    /// The connection broke before the answer arrived, or the server failed after a part of the request.
    ///
    /// The request may have been carried out. Fetch the record before you save it again: see <doc:ErrorsAndRetry>.
    public static let serverResponseLost = Self(rawValue: 34)
    /// The asset's bytes cannot be read, or are not those that were stored.
    public static let assetNotAvailable = Self(rawValue: 35)
    /// The account cannot be used now.
    ///
    /// Only iCloud throws it, through `CabinetICloud`. Try again later.
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
