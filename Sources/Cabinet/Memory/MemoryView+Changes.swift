import Foundation

/// What has changed, as one transaction sees it.
extension MemoryView {
    var lastSequenceNumber: Int64 { changes.sequenceNumber ?? content.sequenceNumber }

    func zones(for ids: Set<RecordZone.ID>?) -> [StoredZone] {
        if let ids { return ids.compactMap(zone) }
        return content.zones.values.filter { changes.zones[$0.zoneID] == nil } + changes.zones.values.compactMap { $0 }
    }

    private func zone(_ id: RecordZone.ID) -> StoredZone? {
        if let change = changes.zones[id] { return change }
        return content.zones[id]
    }

    func changes(inZone zoneID: RecordZone.ID, after number: Int64, limit: Int) throws -> [StoredChange] {
        let meter = WorkMeter.current
        var found: [StoredChange] = []
        for entry in content.logs[zoneID]?.entries(after: number) ?? [] {
            try meter?.checkCancellation()
            if found.count == limit { return found }
            // What the transaction itself has changed comes after all that was committed.
            guard changes.records[entry.recordID] == nil, let change = content.change(of: entry.recordID),
                change.sequenceNumber == entry.number
            else { continue }
            found.append(change)
        }
        let own = changes.records.values.compactMap { $0 }
            .filter { $0.recordID.zoneID == zoneID && $0.sequenceNumber > number }
            .sorted { $0.sequenceNumber < $1.sequenceNumber }
        return found + own.prefix(limit - found.count)
    }

    func zoneChanges(after number: Int64, limit: Int) -> [StoredZoneChange] {
        let removed = content.removedZones.merging(changes.removedZones) { _, new in new }
            .map { StoredZoneChange.deleted($0, sequenceNumber: $1) }
        return (removed + zones(for: nil).map(StoredZoneChange.changed))
            .filter { $0.sequenceNumber > number }
            .sorted { $0.sequenceNumber < $1.sequenceNumber }
            .prefix(limit).map(\.self)
    }

    mutating func markZones(_ ids: [RecordZone.ID], sequenceNumber: Int64) {
        for id in ids {
            var zone =
                zones(for: [id]).first ?? StoredZone(zoneID: id, creatorName: "", creationNumber: 0, changeNumber: 0)
            zone.changeNumber = sequenceNumber
            changes.zones[id] = zone
        }
    }

    mutating func removeZones(_ ids: [RecordZone.ID], sequenceNumber: Int64) {
        let gone = Set(ids)
        for id in content.records.ids where gone.contains(id.zoneID) { changes.records[id] = .some(nil) }
        for id in content.deletions.keys where gone.contains(id.zoneID) { changes.records[id] = .some(nil) }
        for id in changes.records.keys where gone.contains(id.zoneID) { changes.records[id] = .some(nil) }
        for id in ids {
            changes.zones[id] = .some(nil)
            changes.removedZones[id] = sequenceNumber
        }
    }

    mutating func forgetDeletions(inZone zoneID: RecordZone.ID, before date: Date, keepingLast count: Int) {
        var deletions = content.deletions.values.filter { changes.records[$0.recordID] == nil }
        for case .deleted(let deletion)? in changes.records.values { deletions.append(deletion) }
        deletions = deletions.filter { $0.recordID.zoneID == zoneID }.sorted { $0.sequenceNumber < $1.sequenceNumber }
        let surplus = max(deletions.count - count, 0)
        let forgotten = deletions.prefix(surplus) + deletions.dropFirst(surplus).filter { $0.date < date }
        guard let last = forgotten.map(\.sequenceNumber).max(), var zone = zones(for: [zoneID]).first else { return }
        for deletion in forgotten { changes.records[deletion.recordID] = .some(nil) }
        zone.expirationNumber = max(zone.expirationNumber, last)
        changes.zones[zoneID] = zone
    }
}

extension StoredChange {
    /// The record that has changed.
    var recordID: RecordID {
        switch self {
        case .saved(let record): record.recordID
        case .deleted(let deletion): deletion.recordID
        }
    }

    /// The record, unless it was deleted.
    var record: StoredRecord? {
        if case .saved(let record) = self { record } else { nil }
    }
}
