public import Foundation

/// An error that says what failed, for which record and field, and how to correct it.
///
/// ```swift
/// do {
///     record = try await database.save(record)
/// } catch let error as CabinetError where error.code == .serverRecordChanged {
///     // error.serverRecord is the record to merge into.
/// }
/// ```
///
/// Print an error to read its ``description``, which lists the causes and the failures of single items as a tree.
/// <doc:ErrorsAndRetry> shows how to catch a code, when to retry, and how to find the failed record of a batch.
public struct CabinetError: Error, Sendable {
    /// The content, shared by copies until one of them changes.
    ///
    /// One pointer keeps the results of requests small.
    private var storage: Storage

    /// Creates an error, for a backend, or for a test of a program's error handling.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - message: The failure, the expectation and the remedy, in whole sentences.
    ///   - recordID: The record that the failure is about.
    ///   - fieldKey: The field that the failure is about.
    ///   - underlyingError: The failure that caused this one.
    ///   - retryAfterSeconds: The time to wait before trying again, in seconds; at most a day counts.
    ///   - conflict: The three records of a conflict.
    ///   - partialErrorsByItemID: The failures of single items.
    public init(
        _ code: Code, _ message: String = "", recordID: RecordID? = nil, fieldKey: Record.FieldKey? = nil,
        underlyingError: (any Error)? = nil, retryAfterSeconds: TimeInterval? = nil, conflict: RecordConflict? = nil,
        partialErrorsByItemID: [RecordID: CabinetError] = [:]
    ) {
        storage = Storage(
            Content(
                code: code, message: message, recordID: recordID, fieldKey: fieldKey, underlyingError: underlyingError,
                retryAfterSeconds: retryAfterSeconds.map(Self.bounded), conflict: conflict,
                partialErrorsByItemID: partialErrorsByItemID))
    }
}

extension CabinetError {
    private struct Content {
        var code: Code
        var message: String
        var recordID: RecordID?
        var fieldKey: Record.FieldKey?
        var underlyingError: (any Error)?
        var retryAfterSeconds: TimeInterval?
        var conflict: RecordConflict?
        var partialErrorsByItemID: [RecordID: CabinetError]
        var isUndeclared = false
        var didResetEncryptedData = false
        var isOfStore = false
    }

    // Unchecked, and safe: a storage is changed only by `content`, which first makes sure that no other error, and so no
    // other task, refers to it.
    private final class Storage: @unchecked Sendable {
        var content: Content

        init(_ content: Content) {
            self.content = content
        }
    }

    private var content: Content {
        _read { yield storage.content }
        _modify {
            if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.content) }
            yield &storage.content
        }
    }
}

extension CabinetError {
    /// The kind of failure, by CloudKit's name and number.
    public var code: Code {
        get { content.code }
        set { content.code = newValue }
    }

    /// The failure, the expectation and the remedy, in whole sentences.
    public var message: String {
        get { content.message }
        set { content.message = newValue }
    }

    /// The record that the failure is about.
    public var recordID: RecordID? {
        get { content.recordID }
        set { content.recordID = newValue }
    }

    /// The field that the failure is about.
    public var fieldKey: Record.FieldKey? {
        get { content.fieldKey }
        set { content.fieldKey = newValue }
    }

    /// The failure that caused this one.
    public var underlyingError: (any Error)? {
        get { content.underlyingError }
        set { content.underlyingError = newValue }
    }

    /// The time to wait before trying again, in seconds; at most a day (86,400), also if a server asks for more.
    public var retryAfterSeconds: TimeInterval? {
        get { content.retryAfterSeconds }
        set { content.retryAfterSeconds = newValue.map(Self.bounded) }
    }

    private static func bounded(_ seconds: TimeInterval) -> TimeInterval { seconds > 0 ? min(seconds, 86_400) : 0 }

    /// Whether the request names a record type or field that a strict schema does not declare.
    ///
    /// The code is ``Code/invalidArguments``, as in CloudKit. Deploying a schema with the type or field removes the failure.
    public var isUndeclared: Bool {
        get { content.isUndeclared }
        set { content.isUndeclared = newValue }
    }

    /// Whether a zone's encrypted values are lost, because the user has revoked the secret key.
    ///
    /// The code is ``Code/zoneNotFound``, as in CloudKit. Delete the zone, save it again, and save the records that the program still
    /// has.
    public var didResetEncryptedData: Bool {
        get { content.didResetEncryptedData }
        set { content.didResetEncryptedData = newValue }
    }

    /// Whether the message is for the operator of the store: it names the store's machine, role, files or statements.
    ///
    /// A server's client does not get such a message.
    package var isOfStore: Bool {
        get { content.isOfStore }
        set { content.isOfStore = newValue }
    }

    /// The error as one whose message is for the operator of the store.
    package var ofStore: CabinetError {
        var error = self
        error.isOfStore = true
        return error
    }

    /// The three records of a ``Code/serverRecordChanged``.
    public var conflict: RecordConflict? {
        get { content.conflict }
        set { content.conflict = newValue }
    }

    /// The failures of single items, by record ID, when the code is ``Code/partialFailure``.
    public var partialErrorsByItemID: [RecordID: CabinetError] {
        get { content.partialErrorsByItemID }
        set { content.partialErrorsByItemID = newValue }
    }
}

extension CabinetError {
    /// The record that the client tried to save, in a ``Code/serverRecordChanged``.
    public var clientRecord: Record? { conflict?.clientRecord }

    /// The record that the server has, in a ``Code/serverRecordChanged``: the one to merge into and save.
    public var serverRecord: Record? { conflict?.serverRecord }

    /// The record that the client's changes were based on, in a ``Code/serverRecordChanged``.
    public var ancestorRecord: Record? { conflict?.ancestorRecord }
}

/// The three records of a conflict: the client's, the server's, and their common ancestor.
///
/// A ``ConflictResolver`` merges them. <doc:Conflicts> shows when conflicts occur.
public struct RecordConflict: Sendable, Hashable {
    /// The record that the client tried to save.
    public let clientRecord: Record

    /// The record that the server has: the one to merge into and save, because only it has the valid change tag.
    public let serverRecord: Record

    /// The record as the client had fetched it, or `nil` if the client never fetched it.
    public let ancestorRecord: Record?

    /// Creates a conflict of three records, for a test of a resolver.
    public init(clientRecord: Record, serverRecord: Record, ancestorRecord: Record?) {
        self.clientRecord = clientRecord
        self.serverRecord = serverRecord
        self.ancestorRecord = ancestorRecord
    }
}

extension Result where Failure == CabinetError {
    /// The kind of failure; `nil` if the item succeeded.
    ///
    /// ```swift
    /// let results = try await database.modifyRecords(
    ///     saving: items, deleting: [], atomically: false
    /// ).saveResults
    /// let conflicts = results.filter { $0.value.code == .serverRecordChanged }
    /// ```
    public var code: CabinetError.Code? {
        if case .failure(let error) = self { error.code } else { nil }
    }
}

extension Result where Success == Record, Failure == CabinetError {
    /// The record; `nil` if the item failed.
    public var record: Record? { try? get() }
}
