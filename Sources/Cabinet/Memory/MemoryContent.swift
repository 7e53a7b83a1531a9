/// What a database holds.
struct MemoryContent: Sendable {
    var schema = StoredSchema()
    var sequenceNumber: Int64 = 0
    var zones: [RecordZone.ID: StoredZone] = [:]
    var records: [Record.RecordType: [RecordID: StoredRecord]] = [:]
    var recordTypes: [RecordID: Record.RecordType] = [:]
    /// For each record that references with a delete rule point to, the records that hold them.
    var referrers: [RecordID: Set<RecordID>] = [:]

    /// The changes of one transaction.
    struct Changes: Sendable {
        var schema: StoredSchema?
        var sequenceNumber: Int64?
        /// The zones that were added; `nil` for one that was removed.
        var zones: [RecordZone.ID: StoredZone?] = [:]
        /// The new state of each changed record; `nil` for one that was removed.
        var records: [RecordID: StoredRecord?] = [:]
    }

    func record(for id: RecordID) -> StoredRecord? {
        recordTypes[id].flatMap { records[$0]?[id] }
    }

    mutating func apply(_ changes: Changes) {
        if let schema = changes.schema { self.schema = schema }
        if let sequenceNumber = changes.sequenceNumber { self.sequenceNumber = sequenceNumber }
        for (id, zone) in changes.zones { zones[id] = zone }
        for (id, record) in changes.records {
            remove(id)
            if let record { insert(record) }
        }
    }

    private mutating func insert(_ record: StoredRecord) {
        let id = record.recordID
        recordTypes[id] = record.recordType
        records[record.recordType, default: [:]][id] = record
        for reference in record.references where reference.hasRule {
            referrers[reference.target, default: []].insert(id)
        }
    }

    private mutating func remove(_ id: RecordID) {
        guard let type = recordTypes.removeValue(forKey: id),
            let record = records[type]?.removeValue(forKey: id)
        else { return }
        for reference in record.references where reference.hasRule {
            referrers[reference.target]?.remove(id)
            if referrers[reference.target]?.isEmpty == true { referrers[reference.target] = nil }
        }
    }
}
