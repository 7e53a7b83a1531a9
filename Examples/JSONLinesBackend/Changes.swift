import Cabinet
import Foundation

extension StateView {
    func zones(for ids: Set<RecordZone.ID>?) -> [StoredZone] {
        let zones = state.zones
        return ids.map { $0.compactMap { zones[$0] } } ?? Array(zones.values)
    }

    func changes(
        inZone zoneID: RecordZone.ID, after number: Int64, limit: Int, keys: [Record.FieldKey]?
    ) -> [StoredChange] {
        let state = state
        let changes = (state.feeds[zoneID] ?? Feed()).entries(after: number).lazy
            .filter { state.number(of: $0.id) == $0.number }
            .compactMap { entry in
                state.records[entry.id].map { StoredChange.saved($0.trimmed(to: keys)) }
                    ?? state.deletions[entry.id].map { StoredChange.deleted($0) }
            }
        return Array(changes.prefix(limit))
    }

    func zoneChanges(after number: Int64, limit: Int) -> [StoredZoneChange] {
        let state = state
        let removed = state.removedZones.map { StoredZoneChange.deleted($0, sequenceNumber: $1) }
        let changes = (removed + state.zones.values.map { .changed($0) })
            .filter { $0.sequenceNumber > number }
            .sorted { $0.sequenceNumber < $1.sequenceNumber }
        return Array(changes.prefix(limit))
    }
}

extension Transaction {
    func add(_ zones: [StoredZone]) {
        add(zones.map { .zone($0) })
    }

    func removeZones(_ ids: [RecordZone.ID], sequenceNumber: Int64) {
        add(ids.map { .zoneRemoved($0, number: sequenceNumber) })
    }

    func markZones(_ ids: [RecordZone.ID], sequenceNumber: Int64) {
        let zones = state.zones
        add(
            ids.map { id in
                // The default zone is there without having been added.
                var zone = zones[id] ?? StoredZone(zoneID: id, creatorName: "", creationNumber: 0, changeNumber: 0)
                zone.changeNumber = sequenceNumber
                return .zone(zone)
            })
    }

    func forgetDeletions(inZone zoneID: RecordZone.ID, before date: Date, keepingLast count: Int) {
        let deletions = state.deletions.values.filter { $0.recordID.zoneID == zoneID }
            .sorted { $0.sequenceNumber < $1.sequenceNumber }
        let surplus = deletions.dropLast(count).last?.sequenceNumber ?? 0
        let old = deletions.prefix { $0.date < date }.last?.sequenceNumber ?? 0
        if max(surplus, old) > 0 { add([.deletionsForgotten(zoneID, upTo: max(surplus, old))]) }
    }
}
