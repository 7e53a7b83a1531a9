import Foundation

/// The changes of a mirror's transaction, collected record by record.
struct MirrorChanges {
    /// The changes that have new numbers.
    private(set) var plan = BatchPlan()
    /// The records that only learn what the server calls them, under their old numbers.
    private(set) var quietUpdates: [StorageMutation] = []
    /// The entries of pending changes.
    private(set) var entries: [StorageMutation] = []
    private(set) var counts: PendingCounts
    private var schemaRule: SchemaRule
    /// The number of the transaction.
    private let number: Int64
    private var keys = PendingChange.Keys()

    init(_ schema: StoredSchema, _ rules: SchemaRules, _ counts: PendingCounts, number: Int64) {
        schemaRule = SchemaRule(schema: schema, rules: rules)
        self.counts = counts
        self.number = number
    }

    /// Adds the difference between two states of a record.
    mutating func add(_ new: MirrorRule.State, replacing old: MirrorRule.State) throws(CabinetError) {
        var new = new
        if let draft = new.record, let error = Self.error(ofConcealedValueIn: new) {
            new = setAside(draft, error, from: old)
        }
        // The schema has the field of the server's tag, and nothing else is new.
        let fits = new.hasOldContent && old.record?.fieldNames.position(of: StoredRecord.serverTagKey) != nil
        if !fits, let draft = new.record, draft != old.record {
            var rule = schemaRule
            do throws(CabinetError) {
                if let fitted = try rule.fitted(draft.fields, of: draft.recordType) { new.record?.fields = fitted }
                schemaRule = rule
                plan.schemaAdditions = schemaRule.additions
            } catch {
                new = setAside(draft, error, from: old)
            }
        }
        let record = new.record
        switch (old.record, record) {
        case (nil, let record?): plan.insertions.append(.init(record: record, position: 0))
        case (let old?, nil): plan.deletions.append(old)
        case (let old?, let record?) where old.recordType != record.recordType:
            plan.deletions.append(old)
            plan.insertions.append(.init(record: record, position: 0))
        case (let old?, let record?) where !new.hasOldContent && !record.hasContent(of: old):
            plan.updates.append(.init(record: record, replaced: old, position: nil))
        case (let old?, var record?) where record.serverTag != old.serverTag:
            record.sequenceNumber = old.sequenceNumber
            record.modificationDate = old.modificationDate
            record.lastModifierName = old.lastModifierName
            quietUpdates.append(.update(record, replacing: old))
        default: break
        }
        guard let id = old.change?.recordID ?? new.change?.recordID else { return }
        counts.replace(old.change, by: new.change)
        entries.append(.setEntry(keys.key(id), try new.change?.text))
    }

    /// Returns the error if a record, or the version that its change is based on, has a value that the local store cannot have.
    ///
    /// An edit that is based on such a version would remove the value from the server.
    private static func error(ofConcealedValueIn state: MirrorRule.State) -> CabinetError? {
        if state.change?.isIncoming == true { return nil }
        guard let key = state.record?.fields.firstConcealedKey ?? state.change?.ancestor?.fields.firstConcealedKey
        else { return nil }
        return CabinetError(
            .invalidArguments,
            "The server encrypts the value of '\(key)' itself and sends it decrypted, and a mirror stores no such values. "
                + "Read and save the record in the container that it mirrors.", fieldKey: key)
    }

    /// Returns the state in which a version of the server is set aside that the local store does not permit.
    ///
    /// The local record does not change. One bad record must not block the others of its page.
    private func setAside(
        _ draft: StoredRecord, _ error: CabinetError, from old: MirrorRule.State
    ) -> MirrorRule.State {
        var (state, error) = (old, error)
        error.recordID = draft.recordID
        if state.change.map({ $0.isIncoming || $0.effect != nil }) ?? true {
            state.change = PendingChange(
                recordID: draft.recordID, number: number, ancestor: draft.serverVersion, isIncoming: true)
        }
        state.change?.error = error
        return state
    }
}
