import Cabinet

extension View {
    func changes(
        in zoneID: RecordZone.ID, after number: Int64, limit: Int,
        of kind: ChangeContent
    ) -> [StoredChange] {
        var changes = content.deletions.values.map(StoredChange.deleted)
        if case .all(let fields) = kind {
            let records = content.records.values
            changes += records.map { .saved($0.trimmed(to: fields)) }
        }
        let later = changes.filter {
            $0.recordID.zoneID == zoneID && $0.sequenceNumber > number
        }
        let sorted = later.sorted { $0.sequenceNumber < $1.sequenceNumber }
        return Array(sorted.prefix(limit))
    }
}
