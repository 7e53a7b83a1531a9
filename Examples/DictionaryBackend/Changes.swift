import Cabinet

extension View {
    func changes(
        in zoneID: RecordZone.ID, after number: Int64, limit: Int, of kind: ChangeContent
    ) -> [StoredChange] {
        var changes = content.deletions.values.filter { $0.recordID.zoneID == zoneID }.map(StoredChange.deleted)
        if case .all(let fields) = kind {
            let records = content.records.values.filter { $0.recordID.zoneID == zoneID }
            changes += records.map { .saved($0.trimmed(to: fields)) }
        }
        let later = changes.filter { $0.sequenceNumber > number }
        return Array(later.sorted { $0.sequenceNumber < $1.sequenceNumber }.prefix(limit))
    }
}
