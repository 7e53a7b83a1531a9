/// The records that a transaction changes, arranged for those who subscribe.
struct RecordChanges: Sendable {
    /// The changes of the records of each type; users' own records are no part of what is told.
    private(set) var byType: [Record.RecordType: [RecordChange]] = [:]

    /// The types of the records that change in each zone; an empty name for a record of which only the ID is known.
    private(set) var typesByZone: [RecordZone.ID: Set<Record.RecordType>] = [:]

    /// Adds a change of a record.
    ///
    /// - Parameters:
    ///   - before: The record as it was; `nil` if it is new, or if nobody needs to know.
    ///   - after: The record as it is; `nil` if it was deleted.
    ///   - zoneID: The zone of the record.
    ///   - isInsertion: Whether the record is new.
    mutating func add(
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
