import Cabinet

/// The verification of one database, in one snapshot.
///
/// Each part checks one kind of content. Parts that must agree are compared by ``Fingerprint``, so that memory does not
/// grow with the records. The difference is searched for only if the fingerprints differ.
final class DatabaseVerification {
    let snapshot: any StorageSnapshot
    /// The store's own findings, below the seam.
    private let issues: [IntegrityIssue]
    let collector = IssueCollector()
    let schema: StoredSchema
    let lastSequenceNumber: Int64
    /// The zones, including the default zone.
    let zones: [RecordZone.ID: StoredZone?]
    /// The zones whose entries cannot be read.
    let damagedZoneIDs: Set<RecordZone.ID>
    var counts = VerificationReport.Counts()
    private let progress: @Sendable (VerificationReport.Counts) -> Void

    /// The records of each zone, as queries find them: their IDs, types and numbers.
    var contents: [RecordZone.ID: Fingerprint] = [:]
    /// The references with a rule that have an existing target: those that records hold, and those found from the
    /// targets.
    var heldReferences = Fingerprint()
    var foundReferences = Fingerprint()
    /// Whether ``contents`` lacks records that could not be read.
    var lacksRecords = false
    /// Whether ``heldReferences`` lacks references of records that could not be read.
    var lacksFields = false

    /// The number of records that are read at a time.
    static let pageSize = 500

    /// The findings of a verification.
    struct Outcome: Sendable {
        var counts: VerificationReport.Counts
        private(set) var issues: [IntegrityIssue]
        private(set) var omittedCount: Int
        /// Whether the database can be opened, and so repaired.
        let isReadable: Bool
        /// The reason for which not everything was read; `nil` if everything was read.
        var refusal: String?

        init(counts: VerificationReport.Counts, _ collector: IssueCollector, isReadable: Bool = true) {
            self.counts = counts
            self.isReadable = isReadable
            issues = collector.issues
            omittedCount = collector.omittedCount
        }

        /// Creates the outcome of a database that cannot be verified.
        init(refusal: String) {
            self.init(counts: VerificationReport.Counts(), IssueCollector(), isReadable: false)
            self.refusal = refusal
        }

        /// Adds the issues of another part.
        mutating func add(_ collector: IssueCollector) {
            issues += collector.issues
            omittedCount += collector.omittedCount
        }
    }

    init(
        _ snapshot: any StorageSnapshot, issues: [IntegrityIssue],
        progress: @escaping @Sendable (VerificationReport.Counts) -> Void
    ) async throws {
        self.snapshot = snapshot
        self.issues = issues
        self.progress = progress
        schema = try await snapshot.schema()
        var last: Int64 = 0
        try await snapshot.forEachEntryPage(of: .state) { [collector] page in
            for case .state(let state) in page.entries { last = state.lastSequenceNumber }
            for entry in page.damaged {
                collector.add(IntegrityIssue(.sequenceNumber, entry.reason, isRepairable: true))
                last = .max
            }
        }
        lastSequenceNumber = last
        var zones: [RecordZone.ID: StoredZone?] = [.default: nil]
        var damagedIDs: Set<RecordZone.ID> = []
        try await snapshot.forEachEntryPage(of: .zone) { [collector] page in
            for case .zone(let zone) in page.entries { zones.updateValue(zone, forKey: zone.zoneID) }
            for entry in page.damaged {
                let id = RecordZone.ID(entry.key)
                collector.add(IntegrityIssue(.zone, entry.reason, zoneID: id))
                guard let id else { continue }
                damagedIDs.insert(id)
                zones.updateValue(nil, forKey: id)
            }
        }
        (self.zones, damagedZoneIDs) = (zones, damagedIDs)
        counts.databases = 1
    }

    /// Checks everything.
    func run() async throws -> Outcome {
        if try await isUnfinishedCopy() {
            return Outcome(
                refusal:
                    "The copy into this database is not finished. Start the copy again, in the same way: it resumes."
            )
        }
        for issue in issues + IntegrityRule.issues(of: schema) { collector.add(issue) }
        let rules = try await attempt("The roles, grants and unique values", try await snapshot.schemaRules())
        _ = try await attempt("The migrations", try await snapshot.migrations())
        try await checkRecords()
        if let rules { try await checkUniqueValues(rules) }
        try await checkReferences()
        try await checkFeed()
        try await checkZoneRemovals()
        try await checkParticipations()
        try await checkSubscriptions()
        try await checkNotifications()
        try await checkPendingChanges()
        try await checkAssets()
        return Outcome(counts: counts, collector)
    }

    /// Whether the database is the target of a copy that can be resumed, and so lacks what was not copied yet.
    private func isUnfinishedCopy() async throws -> Bool {
        do {
            guard let checkpoint = try await CopyCheckpoint.read(from: snapshot), !checkpoint.isReady else {
                return false
            }
            // A copy that another writer has changed cannot be resumed. It is verified like any other database.
            return checkpoint.lastNumber == lastSequenceNumber
        } catch {
            // A copy by another version is verified, too.
            try StoreVerifier.rethrowInterruption(error)
            return false
        }
    }

    /// Reports progress between two pages.
    ///
    /// Throws if the task was cancelled.
    func pause() throws {
        if Task.isCancelled {
            throw CabinetError(.operationCancelled, "The task was cancelled during the verification.")
        }
        progress(counts)
    }

    /// Returns the result of a closure.
    ///
    /// If it throws, records a finding and returns `nil`.
    func attempt<Result>(
        _ subject: String, _ body: @autoclosure () async throws -> Result
    ) async throws -> Result? {
        do {
            return try await body()
        } catch {
            try StoreVerifier.rethrowInterruption(error)
            collector.add(IntegrityIssue(.unreadable, "\(subject) cannot be read. \(error.sentence)"))
            return nil
        }
    }

    /// The IDs of the zones, in their order.
    var zoneIDs: [RecordZone.ID] {
        zones.keys.sorted { ($0.zoneName, $0.ownerName) < ($1.zoneName, $1.ownerName) }
    }

    /// The plan of a query for records of a type; by default for all.
    func plan(
        of type: Record.RecordType, in zoneID: RecordZone.ID?, filter: Filter = .constant(true), order: [Sort] = [],
        limit: Int = pageSize, keys: [Record.FieldKey]? = nil
    ) throws -> QueryPlan {
        try QueryPlan(
            recordType: type, zoneID: zoneID, filter: filter, order: order, limit: limit, keys: keys,
            fields: FieldTypes(of: type, in: schema))
    }
}

extension Error {
    /// The error's message, as a finding repeats it.
    var sentence: String { (self as? CabinetError)?.message ?? "\(self)" }
}
