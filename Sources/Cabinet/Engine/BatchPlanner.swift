import Foundation

/// Works out what a batch does.
///
/// A record may depend on others of the batch: a reference on its target, a deletion on those who deny it. So the planner assumes
/// that all succeed, finds those that cannot, and begins again without them, until none is left that cannot.
struct BatchPlanner {
    let request: ModifyRequest
    let index: BatchIndex
    let saveRule: SaveRule
    let limits: Limits
    let declared: StrictSchemaRule?
    let transaction: any StorageTransaction
    /// The assets of the batch's records; `nil` if they have none.
    private let uploads: AssetUploads?

    /// The records that the batch names, as they are stored.
    private var stored: BatchValues<StoredRecord>
    private var references: ReferenceRule
    private var failures: [RecordID: CabinetError] = [:]

    init(
        request: ModifyRequest, index: BatchIndex, saveRule: SaveRule, limits: Limits, declared: StrictSchemaRule?,
        transaction: any StorageTransaction,
        uploads: AssetUploads?
    ) {
        self.request = uploads?.request ?? request
        self.index = index
        self.uploads = uploads
        self.saveRule = saveRule
        self.limits = limits
        self.declared = declared
        self.transaction = transaction
        stored = BatchValues(index)
        references = ReferenceRule(transaction: transaction, limits: limits)
    }

    /// The plan, in which failed records, and in an atomic batch those of the same zone, have no part.
    mutating func plan() async throws -> BatchPlan {
        failures = request.violations(user: saveRule.user, declared: declared)
        if let uploads { failures.merge(uploads.failures) { first, _ in first } }
        try await failOutsideZones()
        failTheInnocent()
        try await fetchStored()
        let schema = try await transaction.schema()
        while true {
            var plan = BatchPlan()
            try await attempt(&plan, schema: schema)
            if plan.failures.isEmpty {
                plan.failures = uploads?.restored(failures) ?? failures
                try await findAssets(of: &plan, schema: schema)
                return plan
            }
            failures.merge(plan.failures) { first, _ in first }
            failTheInnocent()
        }
    }

    /// Fails the records whose zones do not exist.
    private mutating func failOutsideZones() async throws {
        let missing = try await ZoneRule.missing(index.zoneIDs, in: request.scope, transaction)
        if missing.isEmpty { return }
        for id in index.ids where missing.contains(id.zoneID) {
            failures[id] = ZoneRule.notFound(id.zoneID, in: request.scope, recordID: id)
        }
    }

    private mutating func fetchStored() async throws {
        let positions = index.ids.indices.filter { failures[index.ids[$0]] == nil }
        let ids = positions.count == index.ids.count ? index.ids : positions.map { index.ids[$0] }
        let found = try await transaction.records(for: ids, keys: nil)
        for (position, record) in zip(positions, found) { stored[position] = record }
    }

    /// One try: fills the plan, or its failures.
    private mutating func attempt(_ plan: inout BatchPlan, schema: StoredSchema) async throws {
        var schemaRule = SchemaRule(schema: schema, declared: declared)
        var drafts = BatchValues<StoredRecord>(index)
        var neighbour: StoredRecord?
        for (position, client) in request.recordsToSave.enumerated() where failures[index.ids[position]] == nil {
            do throws(CabinetError) {
                let draft = try Self.draft(
                    of: client, replacing: stored[position], beside: neighbour, saveRule, limits, &schemaRule)
                drafts[position] = draft
                neighbour = draft
            } catch {
                var error = error
                error.recordID = index.ids[position]
                plan.failures[index.ids[position]] = error
            }
        }
        let roots = findRoots(&plan.failures)

        // What others of the batch demand of a failed record is judged in the next try, which knows that it failed.
        guard plan.failures.isEmpty else { return }

        let cascade = try await references.cascade(
            from: roots, savingMeanwhile: drafts, by: saveRule, isAtomic: request.isAtomic)
        plan.failures = cascade.denials
        // A record that refers to one whose deletion is denied has nothing against it: the next try saves it.
        guard request.isAtomic || plan.failures.isEmpty else { return }
        let dangling = try await references.violations(in: drafts, replacing: stored, deleting: cascade.deletions)
        plan.failures.merge(dangling) { first, _ in first }
        if !request.isAtomic {
            // One try for a whole chain of records that depend on a failed one, not one for each link.
            let dependents = references.dependents(
                of: dangling, in: drafts, replacing: stored, deleting: cascade.deletions)
            plan.failures.merge(dependents) { first, _ in first }
        }
        guard plan.failures.isEmpty else { return }

        plan.schemaAdditions = schemaRule.additions
        plan.deletions = cascade.order
        for (position, draft) in drafts.values.enumerated() {
            guard let draft else { continue }
            plan.add(draft, at: position, isNew: stored[position] == nil)
        }
        plan.updates += try await references.nullified(cascade.nullifications, by: saveRule)
    }

    /// A record as the server would have it.
    ///
    /// Static, so that the planner is not copied for each record.
    private static func draft(
        of client: Record, replacing server: StoredRecord?, beside neighbour: StoredRecord?, _ saveRule: SaveRule,
        _ limits: Limits, _ schemaRule: inout SchemaRule
    ) throws(CabinetError) -> StoredRecord {
        var draft = try saveRule.merge(client, into: server, beside: neighbour)
        // Before the schema: a record that is too large adds no field that others would have to fit.
        if let violation = SizeRule.violation(of: draft, limits: limits) { throw violation }
        try schemaRule.fit(&draft.fields, of: draft.recordType)
        return draft
    }

    /// The records to delete that are there, and the failures of those that may not be deleted.
    private func findRoots(_ failures: inout [RecordID: CabinetError]) -> [RecordID] {
        var roots: [RecordID] = []
        for (position, id) in index.ids.enumerated().dropFirst(request.recordsToSave.count) {
            guard let record = stored[position], self.failures[id] == nil else { continue }
            roots.append(id)
            failures[id] =
                UserRecordRule.violation(deleting: record)
                ?? PermissionRule.violation(changing: record, in: saveRule.database, by: saveRule.user)
        }
        return roots
    }

    /// Finds the assets that the plan adds, and those that it makes superfluous.
    private func findAssets(of plan: inout BatchPlan, schema: StoredSchema) async throws {
        plan.assetCandidates = try await AssetRule.candidates(
            plan, replacing: stored, schema: schema, in: transaction)
        guard let uploads else { return }
        let needed = AssetRule.needed(by: plan.insertions + plan.updates, replacing: stored)
        plan.assetAdditions = needed.compactMap { asset in uploads.ids[asset].map { (asset, $0) } }
        let others = needed.filter { uploads.ids[$0] == nil }
        if others.isEmpty { return }
        let found = try await transaction.assets(for: others.map(\.checksum)).compactMap(\.self)
        let missing = others.subtracting(found)
        if !missing.isEmpty { throw MissingAssets(assets: missing) }
    }

    /// In an atomic batch, fails every record of a zone in which one failed.
    private mutating func failTheInnocent() {
        guard request.isAtomic, !failures.isEmpty else { return }
        var guilty: [RecordZone.ID: RecordID] = [:]
        for id in index.ids where failures[id] != nil && guilty[id.zoneID] == nil { guilty[id.zoneID] = id }
        for id in index.ids where failures[id] == nil {
            guard let culprit = guilty[id.zoneID] else { continue }
            failures[id] = CabinetError(
                .batchRequestFailed,
                "Nothing is wrong with this record; the batch is atomic, and \(culprit) failed. Nothing was changed.",
                recordID: id)
        }
    }
}

extension ModifyRequest {
    /// The records that cannot be saved or deleted whatever the database holds, and why.
    fileprivate func violations(user: String, declared: StrictSchemaRule?) -> [RecordID: CabinetError] {
        var violations: [RecordID: CabinetError] = [:]
        let userID = RecordID(recordName: user)
        for record in recordsToSave {
            let id = record.recordID
            let rule: NameRule = id == userID ? .userRecordName : .recordName
            let violation =
                UserRecordRule.violation(saving: record, user: user) ?? rule.violation(naming: id)
                ?? ValueRule.violation(in: record) ?? declared?.violation(saving: record)
            if let violation { violations[id] = violation }
        }
        for id in recordIDsToDelete {
            if let violation = NameRule.targetRecordName.violation(naming: id) { violations[id] = violation }
        }
        return violations
    }
}

extension BatchIndex {
    /// The zones of the records.
    fileprivate var zoneIDs: Set<RecordZone.ID> {
        var zoneIDs: Set<RecordZone.ID> = []
        var last: RecordZone.ID?
        // Nearly always one zone.
        for id in ids where id.zoneID != last {
            zoneIDs.insert(id.zoneID)
            last = id.zoneID
        }
        return zoneIDs
    }
}

extension NameRule {
    /// The error if a record's name is malformed.
    fileprivate func violation(naming id: RecordID) -> CabinetError? {
        complaint(about: id.recordName).map { CabinetError(.invalidArguments, $0, recordID: id) }
    }
}
