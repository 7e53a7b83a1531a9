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

    init(_ plan: BatchPlan, before: [RecordID: StoredRecord]) {
        for id in plan.deletions { add(before[id], nil, in: id.zoneID) }
        for record in plan.insertions { add(nil, record, in: record.recordID.zoneID, isInsertion: true) }
        for record in plan.updates { add(before[record.recordID], record, in: record.recordID.zoneID) }
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
