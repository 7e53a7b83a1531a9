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

    init(_ schema: StoredSchema, _ rules: SchemaRules, _ counts: PendingCounts) {
        schemaRule = SchemaRule(schema: schema, rules: rules)
        self.counts = counts
    }

    /// Adds the difference between two states of a record.
    mutating func add(_ new: MirrorRule.State, replacing old: MirrorRule.State) throws(CabinetError) {
        var record = new.record
        if let draft = record, draft != old.record {
            do throws(CabinetError) {
                if let fitted = try schemaRule.fitted(draft.fields, of: draft.recordType) { record?.fields = fitted }
            } catch {
                var error = error
                error.recordID = draft.recordID
                throw error
            }
            plan.schemaAdditions = schemaRule.additions
        }
        switch (old.record, record) {
        case (nil, let record?): plan.insertions.append(.init(record: record, position: 0))
        case (let old?, nil): plan.deletions.append(old)
        case (let old?, let record?) where old.recordType != record.recordType:
            plan.deletions.append(old)
            plan.insertions.append(.init(record: record, position: 0))
        case (let old?, let record?) where !record.hasContent(of: old):
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
        entries.append(try new.change?.mutation ?? .setEntry(PendingChange.key(id), nil))
    }
}
