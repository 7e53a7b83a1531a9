import Foundation

/// Plans the effects of a batch from values that were loaded before, without reading or writing itself.
///
/// A record may depend on others of the batch: a reference on its target, a deletion on the records that deny it. So the planner
/// assumes that all succeed, finds the records that fail, and plans again without them, until no further record fails.
struct BatchPlanner: Sendable {
    /// The keys to load before ``plan(_:)``.
    let keys: BatchKeys

    let request: ModifyRecordsRequest
    let index: BatchIndex
    private(set) var saveRule: SaveRule
    let limits: Limits
    private let declared: StrictSchemaRule?
    /// Whether a record of the batch has an asset.
    let hasAssets: Bool
    /// The IDs of the uploads of new assets.
    let uploads: [StoredAsset: UUID]
    private var failures: [RecordID: CabinetError]

    /// Creates a planner, and fails the records that cannot be saved or deleted in any state of the database.
    ///
    /// - Parameter needsUserRecord: Whether to create the user's own record even if no record of the request needs it.
    init(
        request: ModifyRecordsRequest, index: BatchIndex, saveRule: SaveRule, limits: Limits,
        declared: StrictSchemaRule?,
        uploads: [StoredAsset: UUID] = [:], needsUserRecord: Bool = false
    ) {
        self.request = request
        self.index = index
        self.uploads = uploads
        self.saveRule = saveRule
        self.limits = limits
        self.declared = declared
        (failures, hasAssets) = request.violations(user: saveRule.user, declared: declared)
        failures.merge(request.refusals) { first, _ in first }
        keys = BatchKeys(
            request, index, failures: failures, user: saveRule.user, needsUserRecord: needsUserRecord,
            replies: RecordedReply.keys(of: request.requestID, user: saveRule.user, at: saveRule.now))
    }

    /// Returns the plan without failed records and, if the batch is atomic, without the other records of their zones.
    ///
    /// - Throws: ``CabinetError/Code/operationCancelled``.
    mutating func plan(_ known: KnownBatch, _ meter: WorkMeter) throws(CabinetError) -> BatchPlan {
        var known = known
        saveRule.permissions.rules = known.rules
        saveRule.permissions.access = known.access
        let userRecord = known.hasUserRecord ? nil : UserRecordRule.newRecord(of: saveRule.user, now: saveRule.now)
        if var userRecord {
            // The user's record is created first, so a client's version of it is compared with the new one.
            userRecord.sequenceNumber = known.state.lastSequenceNumber + 1
            userRecord.insertionNumber = userRecord.sequenceNumber
            known.references.existing.insert(userRecord.recordID)
            if let position = index.position(of: userRecord.recordID), failures[userRecord.recordID] == nil {
                known.stored[position] = userRecord
            }
        }
        failOutsideZones(known.zones, known.access)
        failRemainingRecords()
        for (position, id) in index.ids.enumerated() where failures[id] != nil { known.stored[position] = nil }
        while true {
            var plan = BatchPlan()
            try attempt(&plan, known, meter)
            if plan.failures.isEmpty {
                plan.userRecord = userRecord
                if userRecord != nil { UserRecordRule.addType(to: &plan.schemaAdditions, known.schema) }
                failures.merge(plan.denials) { first, _ in first }
                plan.failures = failures
                return plan
            }
            failures.merge(plan.failures) { first, _ in first }
            failRemainingRecords()
        }
    }

    /// Fails the records whose zones do not exist.
    private mutating func failOutsideZones(_ zones: [RecordZone.ID: StoredZone], _ access: ShareAccess?) {
        let missing = ZoneRule.missing(keys.zoneIDs) { zones[$0] != nil && access?.canRead($0) ?? true }
            .union(access == nil ? [] : keys.zoneIDs.filter { $0 == .default })
        if missing.isEmpty { return }
        for id in index.ids where missing.contains(id.zoneID) {
            failures[id] = ZoneRule.notFound(id.zoneID, in: request.scope, recordID: id)
        }
    }

    /// Makes one attempt, which fills either the plan or its failures.
    ///
    /// Each step judges what the steps before it let pass. If a step fails records, the next attempt knows which, and checks the
    /// others against that.
    private func attempt(
        _ plan: inout BatchPlan, _ known: KnownBatch, _ meter: WorkMeter
    ) throws(CabinetError) {
        try meter.checkCancellation()
        var schemaRule = SchemaRule(schema: known.schema, rules: known.rules, declared: declared)
        var drafts = drafts(known.stored, &schemaRule, &plan.failures)
        let deletionRoots = findDeletionRoots(known.stored, &plan.failures)
        guard plan.failures.isEmpty else { return }
        assignShares(to: &drafts, deleting: deletionRoots, known, &plan.failures)
        guard plan.failures.isEmpty else { return }
        let cascade = try cascade(from: deletionRoots, saving: drafts, known, meter, &plan)
        guard plan.failures.isEmpty else { return }
        checkUniqueValues(of: drafts, deleting: cascade.deletions, known, &plan.failures)
        guard plan.failures.isEmpty else { return }
        plan.schemaAdditions = schemaRule.additions
        try fill(&plan, with: drafts, cascade, known)
    }

    /// Returns the records to save as they will be stored, and fails those that cannot be saved.
    private func drafts(
        _ stored: PerRecord<StoredRecord>, _ schemaRule: inout SchemaRule, _ newFailures: inout [RecordID: CabinetError]
    ) -> PerRecord<StoredRecord> {
        var drafts = PerRecord<StoredRecord>(index)
        var previous: StoredRecord?
        for (position, client) in request.recordsToSave.enumerated() where failures[index.ids[position]] == nil {
            do throws(CabinetError) {
                let draft = try Self.draft(
                    of: client, replacing: stored[position], beside: previous, saveRule, limits, &schemaRule)
                drafts[position] = draft
                previous = draft
            } catch {
                var error = error
                error.recordID = index.ids[position]
                newFailures[index.ids[position]] = error
            }
        }
        return drafts
    }

    /// Assigns the saved records to the shares of their hierarchies, and fails what the hierarchies or the rights of a participant
    /// refuse.
    private func assignShares(
        to drafts: inout PerRecord<StoredRecord>, deleting deletionRoots: [RecordID], _ known: KnownBatch,
        _ newFailures: inout [RecordID: CabinetError]
    ) {
        if let access = known.access {
            newFailures = HierarchyRule.refusals(deleting: deletionRoots, known.stored, known.references, by: access)
        }
        guard let hierarchy = known.hierarchy else { return }
        var rule = HierarchyRule(hierarchy, saving: drafts, replacing: known.stored, deleting: Set(deletionRoots))
        newFailures.merge(rule.violations()) { first, _ in first }
        if let access = known.access { newFailures.merge(rule.refusals(by: access)) { first, _ in first } }
        rule.assignShares()
        drafts = rule.drafts
    }

    /// Returns what the deletions delete and change, and fails the records whose references prevent it.
    private func cascade(
        from deletionRoots: [RecordID], saving drafts: PerRecord<StoredRecord>, _ known: KnownBatch, _ meter: WorkMeter,
        _ plan: inout BatchPlan
    ) throws(CabinetError) -> Cascade {
        let stored = known.stored
        let references = ReferenceRule(known: known.references, limits: limits)
        let creators = Set(deletionRoots.compactMap { stored[$0]?.creatorName })
        let cascade: Cascade
        if request.isAtomic {
            cascade = references.cascade(
                from: deletionRoots, saving: drafts, by: saveRule, of: creators, isAtomic: true)
            plan.failures = cascade.denials
            let dangling = references.violations(in: drafts, replacing: stored, deleting: cascade.deletions)
            plan.failures.merge(dangling) { first, _ in first }
        } else {
            (cascade, plan.failures) = references.outcome(
                saving: drafts, replacing: stored, deleting: deletionRoots, by: saveRule, of: creators)
            plan.denials = cascade.denials
        }
        try meter.checkCancellation()
        if request.isAtomic || plan.failures.isEmpty {
            let tooMany = references.excess(in: drafts, replacing: stored, deleting: cascade.deletions)
            plan.failures.merge(tooMany) { first, _ in first }
        }
        return cascade
    }

    /// Fails the records whose unique values another record has, or that the user may not check.
    private func checkUniqueValues(
        of drafts: PerRecord<StoredRecord>, deleting deletions: Set<RecordID>, _ known: KnownBatch,
        _ newFailures: inout [RecordID: CabinetError]
    ) {
        let unique = UniqueRule(rules: known.rules, permissions: saveRule.permissions, holders: known.holders)
        if saveRule.permissions.access != nil { newFailures = unique.refusals(in: drafts, replacing: known.stored) }
        guard newFailures.isEmpty else { return }
        newFailures = unique.violations(in: drafts, replacing: known.stored, deleting: deletions)
    }

    /// Adds the changes of the records to the plan.
    private func fill(
        _ plan: inout BatchPlan, with drafts: PerRecord<StoredRecord>, _ cascade: Cascade, _ known: KnownBatch
    ) throws(CabinetError) {
        var drafts = drafts
        let stored = known.stored
        var nullified = ReferenceRule(known: known.references, limits: limits)
            .nullified(cascade.nullifications, by: saveRule)
        if let hierarchy = known.hierarchy {
            var rule = HierarchyRule(hierarchy, saving: drafts, replacing: stored, deleting: cascade.deletions)
            rule.assignShares()
            drafts = rule.drafts
            for index in nullified.indices { rule.assignShare(to: &nullified[index]) }
            plan.addMoves(by: &rule, besides: nullified)
        }
        plan.deletions = cascade.order.compactMap { known.references.sources[$0] ?? stored[$0] }
        if !plan.deletions.isEmpty { plan.groups = known.groups.map { ($0, 0) } }
        plan.insertions.reserveCapacity(drafts.values.count)
        for (position, draft) in drafts.values.enumerated() {
            guard let draft else { continue }
            if let old = stored[position] {
                plan.updates.append(.init(record: draft, replaced: old, position: position))
            } else {
                plan.insertions.append(.init(record: draft, position: position))
            }
        }
        for record in nullified {
            guard let old = known.references.sources[record.recordID] else { continue }
            plan.updates.append(.init(record: record, replaced: old, position: nil))
        }
        // A cascade can delete the share of a zone without a hierarchy.
        if known.hierarchy != nil || plan.deletions.contains(where: { ShareRule.isShare($0.recordType) }) {
            try plan.addShares(known.schema)
        }
        findAssets(of: &plan)
    }

    /// Returns the new values of the batch's records in unique fields.
    func uniqueValues(_ known: KnownBatch) -> [UniqueValues] {
        var values: [UniqueValues] = []
        var saveRule = saveRule
        saveRule.permissions.rules = known.rules
        saveRule.permissions.access = known.access
        for (position, client) in request.recordsToSave.enumerated() where failures[index.ids[position]] == nil {
            guard known.rules.types[client.recordType]?.uniqueKeys.isEmpty == false else { continue }
            var schemaRule = SchemaRule(schema: known.schema, rules: known.rules, declared: declared)
            let old = known.stored[position]
            // A record that fails is reported later.
            guard let draft = try? Self.draft(of: client, replacing: old, beside: nil, saveRule, limits, &schemaRule)
            else { continue }
            let held = old.map { Set(UniqueValues.all(of: $0, known.rules)) } ?? []
            values += UniqueValues.all(of: draft, known.rules).filter { !held.contains($0) }
        }
        return values
    }

    /// Returns a record as it will be stored.
    ///
    /// This method is static, so that the planner is not copied for each record.
    private static func draft(
        of client: Record, replacing server: StoredRecord?, beside previous: StoredRecord?, _ saveRule: SaveRule,
        _ limits: Limits, _ schemaRule: inout SchemaRule
    ) throws(CabinetError) -> StoredRecord {
        var draft =
            ShareRule.isShare(client.recordType)
            ? try saveRule.mergeShare(client, into: server) : try saveRule.merge(client, into: server, beside: previous)
        // Check the size before the schema: a record that is too large must not add fields that other records have to fit.
        if let violation = SizeRule.violation(of: draft, limits: limits) { throw violation }
        if let fields = try schemaRule.fitted(draft.fields, of: draft.recordType) { draft.fields = fields }
        return draft
    }

    /// Returns the stored records to delete, and fails those that may not be deleted.
    private func findDeletionRoots(
        _ stored: PerRecord<StoredRecord>, _ failures: inout [RecordID: CabinetError]
    ) -> [RecordID] {
        var deletionRoots: [RecordID] = []
        for (position, id) in index.ids.enumerated().dropFirst(request.recordsToSave.count) {
            guard let record = stored[position], self.failures[id] == nil else { continue }
            deletionRoots.append(id)
            failures[id] =
                UserRecordRule.violation(deleting: record)
                ?? saveRule.permissions.violation(of: .write, for: record)
            if saveRule.permissions.access != nil, ShareRule.isShare(record.recordType) {
                failures[id] = CabinetError(
                    .permissionFailure, "A share is left in a request of its own.", recordID: id)
            }
        }
        return deletionRoots
    }

    /// Collects the assets that the plan adds.
    ///
    /// An upload of bytes that the record has already replaces them: they may be lost.
    private func findAssets(of plan: inout BatchPlan) {
        if uploads.isEmpty { return }
        plan.assetAdditions = AssetRule.assets(of: plan, excludingOld: false).compactMap { asset in
            uploads[asset].map { (asset, $0) }
        }
    }

    /// Fails every record of a zone in which one failed, if the batch is atomic; with entries or reads, those of all zones.
    private mutating func failRemainingRecords() {
        guard request.isAtomic, !failures.isEmpty else { return }
        var firstFailures: [RecordZone.ID: RecordID] = [:]
        for id in index.ids where failures[id] != nil && firstFailures[id.zoneID] == nil {
            firstFailures[id.zoneID] = id
        }
        let first = request.isUndivided ? index.ids.first { failures[$0] != nil } : nil
        for id in index.ids where failures[id] == nil {
            guard let failed = firstFailures[id.zoneID] ?? first else { continue }
            failures[id] = CabinetError(
                .batchRequestFailed,
                "The batch is atomic and \(failed) failed, so this valid record was not changed either. Correct that record and try again.",
                recordID: id)
        }
    }
}

extension ModifyRecordsRequest {
    /// Returns the errors of the records that cannot be saved or deleted in any state of the database, and whether a record has an
    /// asset.
    fileprivate func violations(
        user: String, declared: StrictSchemaRule?
    ) -> (failures: [RecordID: CabinetError], hasAssets: Bool) {
        var violations: [RecordID: CabinetError] = [:]
        var hasAssets = false
        let userID = RecordID(recordName: user)
        for record in recordsToSave {
            let id = record.recordID
            let rule: NameRule = id == userID ? .userRecordName : .recordName
            let violation =
                ShareRule.violation(saving: record, in: scope)
                ?? UserRecordRule.violation(saving: record, user: user) ?? rule.violation(
                    in: id.recordName, recordID: id)
                ?? ValueRule.violation(in: record) ?? EncryptionRule.violation(saving: record, in: scope)
                ?? AssetRule.violation(saving: record)
                ?? declared?.violation(saving: record, inMigration: step != nil)
            if let violation { violations[id] = violation }
            hasAssets = hasAssets || record.fields.hasAssets
        }
        for id in recordIDsToDelete {
            let violation = NameRule.targetRecordName.violation(in: id.recordName, recordID: id)
            if let violation { violations[id] = violation }
        }
        return (violations, hasAssets)
    }
}
