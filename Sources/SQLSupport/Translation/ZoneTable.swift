package import Cabinet

/// The known zones of a database and their numbers.
///
/// A number is given to one zone, and never again. SQLite keeps the numbers of deleted zones.
package struct ZoneTable: Sendable {
    /// The number of the default zone.
    package static let defaultZone: Int64 = 1

    private var ids: [RecordZone.ID: Int64] = [:]
    private var zones: [Int64: RecordZone.ID] = [:]

    package init() {}

    package subscript(id: Int64) -> RecordZone.ID? {
        // Most records are in the default zone.
        id == Self.defaultZone ? .default : zones[id]
    }

    package subscript(zoneID: RecordZone.ID) -> Int64? {
        zoneID == .default ? Self.defaultZone : ids[zoneID]
    }

    /// The highest number that was taken.
    package var lastID = Self.defaultZone

    package mutating func insert(_ zoneID: RecordZone.ID, id: Int64) {
        if id == Self.defaultZone { return }
        ids[zoneID] = id
        zones[id] = zoneID
        lastID = max(lastID, id)
    }

    package mutating func remove(_ zoneID: RecordZone.ID) {
        guard let id = ids.removeValue(forKey: zoneID) else { return }
        zones[id] = nil
    }

    /// The number of zones, including the default zone.
    package var count: Int { zones.count + 1 }

    /// The zones' numbers in the order of the zones' names, which sorts records that differ only by zone.
    package var ranking: [Int64] {
        let all = zones.merging([Self.defaultZone: .default]) { known, _ in known }
        return all.sorted { Self.precedes($0.value, $1.value) }.map(\.key)
    }

    /// Whether a zone comes before another in the order of names, then of owners.
    package static func precedes(_ left: RecordZone.ID, _ right: RecordZone.ID) -> Bool {
        if left.zoneName.utf8.elementsEqual(right.zoneName.utf8) {
            return left.ownerName.utf8.lexicographicallyPrecedes(right.ownerName.utf8)
        }
        return left.zoneName.utf8.lexicographicallyPrecedes(right.zoneName.utf8)
    }
}
