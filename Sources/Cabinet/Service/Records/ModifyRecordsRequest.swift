public import Foundation

/// A request to save and delete records in one transaction.
public struct ModifyRecordsRequest: ServiceRequest {
    /// The database.
    public var scope = DatabaseScope.private
    /// The records to save; each ID once.
    ///
    /// On a wire, a record has its system values, and the fields that the policy sends.
    public var recordsToSave: [Record] = []
    /// The records to delete; each ID once, and none that is also saved.
    public var recordIDsToDelete: [RecordID] = []
    /// The rule that decides which saves conflict and which fields are sent.
    public var savePolicy = RecordSavePolicy.ifServerRecordUnchanged
    /// Whether the failure of one record leaves all records of its zone unchanged.
    public var isAtomic = true
    /// The records that the caller cannot send, such as one whose asset has no file, with their errors.
    ///
    /// They fail as if the service had refused them, and an atomic batch with them.
    public var refusals: [RecordID: CabinetError] = [:]
    /// The finished uploads whose assets the records have.
    public var uploads: [UUID] = []
    /// The ID by which the service recognizes a repetition of the request: it answers with the first response, and changes nothing.
    ///
    /// A client that has lost a response sends the same request with the same ID again. The service remembers the response for ten
    /// minutes at least.
    public var requestID: UUID?
    /// Whether the response includes a position in the change feed.
    package var asksForPosition = false
    /// The zone of the position, for a request without records to the shared database, whose zones are in several databases.
    var zoneID: RecordZone.ID?
    /// The saved records of a private database whose response has the part of the URL that shares of them have or will have.
    package var shortGUIDRecordIDs: [RecordID] = []
    /// Texts to store in the same transaction; `nil` removes one.
    ///
    /// If a record fails, none is stored, and no record of an atomic batch is changed in any zone.
    var entries: [StorageKey: String?] = [:]
    /// The reads of a transaction; the request fails, and changes nothing, if the database would answer one of them differently now.
    ///
    /// If a record of a transaction fails, no record is changed in any zone.
    var reads: TransactionReads?
    /// The part of a migration that the request does; if a record fails, none is changed in any zone.
    var step: MigrationStep?

    /// The result of each record of a ``ModifyRecordsRequest``.
    public struct Response: ServiceValue {
        /// The saved records or their errors, in the order of the request.
        public var saveResults: [Result<Record, CabinetError>] = []
        /// The errors of the deletions, or `nil` for a success, in the order of the request.
        public var deleteErrors: [CabinetError?] = []
        /// The assets that the store lacks; if there are any, nothing was saved: upload them, and send the request again.
        public var missingAssets: [StoredAsset] = []
        /// A position before all changes that skips the deletions made before the request.
        var position: FeedPosition?
        /// The parts of the URLs that the request asked for, of the records that were saved.
        var shortGUIDs: [RecordShortGUID] = []

        /// The coding as JSON.
        public static var coding: ServiceCoding<Self> { ServiceCoding() }
    }

    /// The request's name.
    public static let name = "modifyRecords"
    /// The request's effect.
    public static let effect = RequestEffect.once
    /// The coding as JSON.
    public static var coding: ServiceCoding<Self> { ServiceCoding() }

    /// The number of records to save and to delete.
    var count: Int { recordsToSave.count + recordIDsToDelete.count }

    /// Has a handler answer the request.
    public func response(from handler: some RequestHandler) async throws -> Response {
        try await handler.response(to: self)
    }
}

extension ModifyRecordsRequest {
    /// Creates a request to a database.
    package init(in scope: DatabaseScope) { self.init(scope: scope) }

    /// Whether the request belongs to a transaction, which has read before.
    package var isOfTransaction: Bool { reads != nil }

    /// The records that the transaction has read, with their change tags; `nil` for one that did not exist.
    package var readTags: [(recordID: RecordID, changeTag: String?)] { reads?.tags ?? [] }

    /// Whether the transaction has queried.
    package var hasReadQueries: Bool { reads?.queries.isEmpty == false }

    /// Returns the same request with the placeholder for the user's own name.
    package func canonical(for user: String?) -> Self { OwnerRule(user: user).canonical(self) }

    /// Whether the request stores texts beside records.
    package var hasEntries: Bool { !entries.isEmpty }

    /// Whether the request saves or deletes the share of a zone.
    package var hasShares: Bool {
        recordsToSave.contains { ShareRule.isShare($0.recordType) }
            || recordIDsToDelete.contains { $0.recordName.hasSameScalars(as: Share.zoneWideRecordName) }
    }

    /// Checks that the request names each record once.
    package func validate() throws(CabinetError) {
        _ = try BatchIndex(saving: recordsToSave.lazy.map(\.recordID), deleting: recordIDsToDelete)
    }

    /// Whether the request is a part of a migration.
    package var isOfMigration: Bool { step != nil }

    /// Whether the request changes all of its records and texts or nothing, and does something even without records.
    var isUndivided: Bool { hasEntries || isOfMigration || isOfTransaction }

    /// Has the request fail, and change nothing, unless records have the given change tags; `nil` for one that must not exist.
    package mutating func expect(_ tags: [RecordID: String?]) {
        reads = TransactionReads(records: tags.map { ReadRecord(recordID: $0, changeTag: $1) })
    }
}

extension ModifyRecordsRequest: CodedObject {
    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("scope", &scope)
        try coder.part("savePolicy", &savePolicy)
        try coder.part("isAtomic", &isAtomic)
        var patches = recordsToSave.map { RecordPatch(record: $0, sendsAllKeys: savePolicy == .allKeys) }
        try coder.part("recordsToSave", &patches)
        recordsToSave = patches.map(\.record)
        try coder.part("recordIDsToDelete", &recordIDsToDelete)
        var refused = refusals.map { CodedFailure(id: $0, error: $1) }.sorted(by: CodedFailure.areInOrder)
        try coder.part("refusals", &refused)
        refusals = Dictionary(refused.map { ($0.id, $0.error) }, uniquingKeysWith: { first, _ in first })
        try coder.part("uploads", &uploads)
        try coder.part("asksForPlace", &asksForPosition)
        try coder.part("zone", &zoneID)
        var texts = CodedDictionary(Dictionary(entries.map { ($0.text, $1) }, uniquingKeysWith: { first, _ in first }))
        try coder.part("entries", &texts)
        entries = Dictionary(texts.values.map { (StorageKey($0), $1) }, uniquingKeysWith: { first, _ in first })
        try coder.part("reads", &reads)
        try coder.part("requestID", &requestID)
        try coder.part("step", &step)
        var recordIDs: [RecordID]? = shortGUIDRecordIDs.isEmpty ? nil : shortGUIDRecordIDs
        try coder.part("shortGUIDRecordIDs", &recordIDs)
        shortGUIDRecordIDs = recordIDs ?? []
    }
}

extension ModifyRecordsRequest.Response {
    /// The parts of the URLs that the request asked for, of the records that were saved.
    package var shortGUIDsByID: [RecordID: String] {
        Dictionary(shortGUIDs.map { ($0.recordID, $0.text) }, uniquingKeysWith: { first, _ in first })
    }

    /// The position in the change feed directly before the request's changes, if the request asked for one.
    package var positionBefore: FeedPosition? {
        position.map { position in
            var before = position
            before.number = position.tombstoneHorizon
            return before
        }
    }

    /// Creates the response of a service that translates the request.
    package init(
        _ saveResults: [Result<Record, CabinetError>], _ deleteErrors: [CabinetError?],
        missingAssets: [StoredAsset] = []
    ) {
        self.init(saveResults: saveResults, deleteErrors: deleteErrors, missingAssets: missingAssets)
    }
}

extension ModifyRecordsRequest.Response: CodedObject {
    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("saveResults", &saveResults)
        try coder.part("deleteErrors", &deleteErrors)
        try coder.part("missingAssets", &missingAssets)
        try coder.part("place", &position)
        var texts: [RecordShortGUID]? = shortGUIDs.isEmpty ? nil : shortGUIDs
        try coder.part("shortGUIDs", &texts)
        shortGUIDs = texts ?? []
    }
}

extension RecordSavePolicy: Coded {}
