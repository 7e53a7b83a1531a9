/// The changed records of a transaction, arranged for subscriptions.
struct RecordChanges: Sendable {
    /// The changes of the records of each type, except user records, which are never reported.
    private(set) var byType: [Record.RecordType: [RecordChange]] = [:]

    /// The types of the changed records in each zone, with an empty name if only the ID of a record is known.
    private(set) var typesByZone: [RecordZone.ID: Set<Record.RecordType>] = [:]

    /// Adds a change of a record.
    ///
    /// - Parameters:
    ///   - before: The record before the change; `nil` if it is new, or if no subscription needs it.
    ///   - after: The record after the change; `nil` if it was deleted.
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

/// A record before and after a transaction.
struct RecordChange: Sendable {
    let zoneID: RecordZone.ID
    /// The record before the transaction; `nil` if the record is new, or if no subscription needs it.
    let before: StoredRecord?
    /// The record after the transaction; `nil` if it was deleted.
    let after: StoredRecord?
    let isInsertion: Bool
}
