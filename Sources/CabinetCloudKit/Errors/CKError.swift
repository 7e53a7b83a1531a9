import Cabinet
public import Foundation

/// An error of CloudKit, with CloudKit's codes and keys.
///
/// ```swift
/// do {
///     try await database.save(record)
/// } catch let error as CKError where error.code == .serverRecordChanged {
///     let server = error.serverRecord
/// }
/// ```
public struct CKError: CustomNSError, LocalizedError, @unchecked Sendable {  // Safe: constants, with Sendable values.
    /// The kind of failure.
    public let code: Code

    /// The details, under CloudKit's and Foundation's keys.
    ///
    /// The value of `NSUnderlyingErrorKey` is Cabinet's error, whose description names the record and the field.
    public let userInfo: [String: Any]

    /// Creates an error, for a test of a program's handler.
    public init(_ code: Code, userInfo: [String: Any] = [:]) {
        self.code = code
        self.userInfo = userInfo
    }

    /// Creates an error from an `NSError` of the same domain.
    public init(_nsError error: NSError) {
        self.init(Code(rawValue: error.code) ?? .internalError, userInfo: error.userInfo)
    }

    /// The domain of the errors: `CKErrorDomain`.
    public static var errorDomain: String { "CKErrorDomain" }

    /// The number of the code.
    public var errorCode: Int { code.rawValue }

    /// The details.
    public var errorUserInfo: [String: Any] { userInfo }

    /// The description of the failure.
    public var localizedDescription: String { errorDescription ?? "\(code)" }

    /// The description of the failure, or `nil` without one.
    public var errorDescription: String? { userInfo[NSLocalizedDescriptionKey] as? String ?? "\(code)" }

    /// The failures of single items, by ID, when the code is ``Code/partialFailure``.
    public var partialErrorsByItemID: [AnyHashable: any Error]? {
        userInfo[CKPartialErrorsByItemIDKey] as? [AnyHashable: any Error]
    }

    /// The record that the client tried to save, in a conflict.
    public var clientRecord: CKRecord? { userInfo[CKRecordChangedErrorClientRecordKey] as? CKRecord }

    /// The record that the server has, in a conflict: the one to merge into and save.
    public var serverRecord: CKRecord? { userInfo[CKRecordChangedErrorServerRecordKey] as? CKRecord }

    /// The record that the client's changes were based on, in a conflict.
    public var ancestorRecord: CKRecord? { userInfo[CKRecordChangedErrorAncestorRecordKey] as? CKRecord }

    /// The time to wait before another attempt, in seconds.
    public var retryAfterSeconds: Double? { (userInfo[CKErrorRetryAfterKey] as? NSNumber)?.doubleValue }
}

extension CKError: Hashable {
    /// Returns a Boolean value that indicates whether two errors have the same code and details, apart from the underlying
    /// error.
    public static func == (left: Self, right: Self) -> Bool {
        left.code == right.code && left.comparableDetails.isEqual(right.comparableDetails)
    }

    private var comparableDetails: NSDictionary { userInfo.filter { $0.key != NSUnderlyingErrorKey } as NSDictionary }

    /// Hashes the code.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

extension CKError: CustomStringConvertible {
    /// The code and the description, for logs.
    public var description: String { "<CKError: \"\(code)\" (\(code.rawValue)); \(errorDescription ?? "")>" }
}

/// The domain of CloudKit's errors.
public let CKErrorDomain = CKError.errorDomain
/// The key of the failures of single items, by ID.
public let CKPartialErrorsByItemIDKey = "CKPartialErrors"
/// The key of the ancestor in a conflict.
public let CKRecordChangedErrorAncestorRecordKey = "AncestorRecord"
/// The key of the server's record in a conflict.
public let CKRecordChangedErrorServerRecordKey = "ServerRecord"
/// The key of the client's record in a conflict.
public let CKRecordChangedErrorClientRecordKey = "ClientRecord"
/// The key of the time to wait before another attempt, in seconds.
public let CKErrorRetryAfterKey = "CKRetryAfter"
/// The key that says that the user has reset the zone's encrypted data.
public let CKErrorUserDidResetEncryptedDataKey = "CKErrorUserDidResetEncryptedData"
