import Cabinet

/// The zones of a database and their numbers, as far as a process has met them.
///
/// Zones are only ever added, and keep their numbers when they are removed.
struct ZoneTable: Sendable {
    private var ids: [RecordZone.ID: Int64] = [:]
    private var zones: [Int64: RecordZone.ID] = [:]

    subscript(id: Int64) -> RecordZone.ID? {
        // Nearly every record lives in the default zone.
        id == Layout.defaultZone ? .default : zones[id]
    }

    subscript(zoneID: RecordZone.ID) -> Int64? {
        zoneID == .default ? Layout.defaultZone : ids[zoneID]
    }

    /// The highest number of a zone.
    private(set) var lastID = Layout.defaultZone

    mutating func insert(_ zoneID: RecordZone.ID, id: Int64) {
        if id == Layout.defaultZone { return }
        ids[zoneID] = id
        zones[id] = zoneID
        lastID = max(lastID, id)
    }

    /// The number of zones, the default zone among them.
    var count: Int { zones.count + 1 }

    /// The zones' numbers in the order of the zones' names, which is that of records that differ by their zones only.
    var ranking: [Int64] {
        let all = zones.merging([Layout.defaultZone: .default]) { known, _ in known }
        return all.sorted { Self.precedes($0.value, $1.value) }.map(\.key)
    }

    /// Whether a zone comes before another in the order of names, then of owners.
    static func precedes(_ left: RecordZone.ID, _ right: RecordZone.ID) -> Bool {
        if left.zoneName.utf8.elementsEqual(right.zoneName.utf8) {
            return left.ownerName.utf8.lexicographicallyPrecedes(right.ownerName.utf8)
        }
        return left.zoneName.utf8.lexicographicallyPrecedes(right.zoneName.utf8)
    }
}
