/// A record before and after a transaction.
struct RecordChange: Sendable {
    let zoneID: RecordZone.ID
    /// The record as it was; `nil` if it is new, or if nobody needs to know.
    let before: StoredRecord?
    /// The record as it is; `nil` if it was deleted.
    let after: StoredRecord?
    let isInsertion: Bool
}

/// The records that a plan changes, arranged for those who subscribe.
struct RecordChanges: Sendable {
    /// The changes of the records of each type; users' own records are no part of what is told.
    private(set) var byType: [Record.RecordType: [RecordChange]] = [:]

    /// The types of the records that change in each zone; an empty name for a record of which only the ID is known.
    private(set) var typesByZone: [RecordZone.ID: Set<Record.RecordType>] = [:]

    init(_ plan: BatchPlan) {
        for record in plan.deletions { add(record, nil, in: record.recordID.zoneID) }
        for insertion in plan.insertions {
            add(nil, insertion.record, in: insertion.record.recordID.zoneID, isInsertion: true)
        }
        for update in plan.updates { add(update.replaced, update.record, in: update.record.recordID.zoneID) }
    }

    private mutating func add(
        _ before: StoredRecord?, _ after: StoredRecord?, in zoneID: RecordZone.ID, isInsertion: Bool = false
    ) {
        let type = (after ?? before)?.recordType
        if type == UserRecordRule.recordType { return }
        typesByZone[zoneID, default: []].insert(type ?? "")
        guard let type else { return }
        byType[type, default: []].append(
            RecordChange(zoneID: zoneID, before: before, after: after, isInsertion: isInsertion))
    }
}
