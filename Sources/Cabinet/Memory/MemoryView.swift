/// The content of a database as one transaction sees it: what was committed, under its own changes.
struct MemoryView: Sendable {
    var content: MemoryContent
    var changes = MemoryContent.Changes()

    var schema: StoredSchema { changes.schema ?? content.schema }

    func record(for id: RecordID) -> StoredRecord? {
        if let change = changes.records[id] { return change?.record }
        return content.records[id]
    }

    func records(for ids: [RecordID], keys: [Record.FieldKey]?) throws -> [StoredRecord?] {
        let meter = WorkMeter.current
        return try ids.map { id in
            try meter?.checkCancellation()
            guard var record = record(for: id) else { return nil }
            if let keys { record.fields = record.fields.selecting(keys) }
            return record
        }
    }

    /// The records of a plan's type among which are all that match its filter.
    func candidates(for plan: QueryPlan) throws -> [StoredRecord] {
        try plan.validate()
        let bounds = plan.filter.rankBounds(fields: plan.fields)
        let committed = content.records.table(of: plan.recordType)?.candidates(within: bounds) ?? []
        if changes.records.isEmpty { return committed }
        return committed.filter { changes.records[$0.recordID] == nil }
            + changes.records.values.compactMap { $0?.record }.filter { $0.recordType == plan.recordType }
    }

    func references(to ids: [RecordID]) -> [StoredReference] {
        let targets = Set(ids)
        // A record may refer to two of the targets.
        var referrers: Set<RecordID> = []
        for target in targets { referrers.formUnion(content.referrers[target] ?? []) }
        var found: [StoredRecord] = []
        for id in referrers where changes.records[id] == nil {
            if let record = content.records[id] { found.append(record) }
        }
        for change in changes.records.values {
            if let record = change?.record { found.append(record) }
        }
        var references: [StoredReference] = []
        for record in found {
            references += record.references.filter { $0.hasRule && targets.contains($0.target) }
        }
        return references
    }
}

/// A view that nothing is changed in, shared by all who read it.
final class MemorySnapshot: StorageSnapshot {
    let view: MemoryView

    init(view: MemoryView) {
        self.view = view
    }

    func records(for ids: [RecordID], keys: [Record.FieldKey]?) throws -> [StoredRecord?] {
        try view.records(for: ids, keys: keys)
    }

    func records(matching plan: QueryPlan) throws -> [StoredRecord] {
        try plan.page(of: view.candidates(for: plan)) { view.record(for: $0) }
    }

    func count(matching plan: QueryPlan) throws -> Int {
        try plan.count(in: view.candidates(for: plan)) { view.record(for: $0) }
    }

    func value(
        of aggregate: Aggregate, over key: Record.FieldKey, matching plan: QueryPlan
    ) throws -> FieldValue? {
        try plan.value(of: aggregate, over: key, in: view.candidates(for: plan)) { view.record(for: $0) }
    }

    func counts(by key: Record.FieldKey, matching plan: QueryPlan) throws -> [ValueCount] {
        try plan.counts(by: key, in: view.candidates(for: plan)) { view.record(for: $0) }
    }

    func references(to ids: [RecordID]) -> [StoredReference] {
        view.references(to: ids)
    }

    func zones(for ids: Set<RecordZone.ID>?) -> [StoredZone] {
        view.zones(for: ids)
    }

    func lastSequenceNumber() -> Int64 {
        view.lastSequenceNumber
    }

    func changes(
        inZone zoneID: RecordZone.ID, after number: Int64, limit: Int, keys: [Record.FieldKey]?
    ) throws -> [StoredChange] {
        let meter = WorkMeter.current
        return try view.changes(inZone: zoneID, after: number, limit: limit).map { change in
            try meter?.checkCancellation()
            guard let keys, case .saved(var record) = change else { return change }
            record.fields = record.fields.selecting(keys)
            return .saved(record)
        }
    }

    func zoneChanges(after number: Int64, limit: Int) -> [StoredZoneChange] {
        view.zoneChanges(after: number, limit: limit)
    }

    func schema() -> StoredSchema {
        view.schema
    }

    func subscriptions(of userName: String?) -> [StoredSubscription] {
        view.subscriptions(of: userName)
    }

    func notifications(to userName: String, after number: Int64, limit: Int) -> [StoredNotification] {
        view.notifications(of: userName).entries(after: number, limit: limit)
    }

    func notificationExpirationNumber(of userName: String) -> Int64 {
        view.notifications(of: userName).expirationNumber
    }
}
