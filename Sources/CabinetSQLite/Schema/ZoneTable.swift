import Cabinet

/// The zones of a file and their numbers, as far as a connection has met them.
///
/// Zones are only ever added.
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

    /// The version of the file's data of which the zones are known to be; `nil` if that is not known.
    var version: UInt32?

    /// The highest number of a zone.
    private(set) var lastID = Layout.defaultZone

    mutating func insert(_ zoneID: RecordZone.ID, id: Int64) {
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

extension Connection {
    /// The number of a zone, or `nil` if no record ever was in it.
    func number(of zoneID: RecordZone.ID) throws -> Int64? {
        if let id = zones[zoneID] { return id }
        try refreshZones()
        return zones[zoneID]
    }

    /// The zone with a number.
    func zone(_ id: Int64) throws -> RecordZone.ID? {
        if let zone = zones[id] { return zone }
        try refreshZones()
        return zones[id]
    }

    /// The number of a zone, which is added if it is new.
    func addedNumber(of zoneID: RecordZone.ID) throws -> Int64 {
        if let id = try number(of: zoneID) { return id }
        let insertion = try statements.statement(
            "INSERT INTO cabinet_zone (zoneName, ownerName) VALUES (?, ?) RETURNING id")
        defer { insertion.reset() }
        try insertion.bind(zoneID.zoneName, at: 1)
        try insertion.bind(zoneID.ownerName, at: 2)
        guard try insertion.step() else { throw SQLiteFailure.damaged(path: path, "cabinet_zone does not take rows") }
        let id = insertion.int64(0)
        zones.insert(zoneID, id: id)
        return id
    }

    /// Reads the zones that were added since they were read last.
    func refreshZones() throws {
        // Nearly always nothing has changed at all.
        let version = handle.dataVersion
        if version != nil, version == zones.version { return }
        guard !catalog.isEmptyFile else { return }
        if try number("SELECT max(id) FROM cabinet_zone") ?? 1 == zones.lastID {
            zones.version = version
            return
        }
        let statement = try statements.statement("SELECT id, zoneName, ownerName FROM cabinet_zone")
        defer { statement.reset() }
        var found = ZoneTable()
        while try statement.step() {
            guard let zoneName = statement.string(1), let ownerName = statement.string(2) else {
                throw SQLiteFailure.damaged(path: path, "row \(statement.int64(0)) of cabinet_zone holds no names")
            }
            let id = statement.int64(0)
            if id != Layout.defaultZone {
                found.insert(RecordZone.ID(zoneName: zoneName, ownerName: ownerName), id: id)
            }
        }
        found.version = version
        zones = found
    }
}
