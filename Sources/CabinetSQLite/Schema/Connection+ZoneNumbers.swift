import Cabinet
import SQLSupport

/// The zones of a file and their numbers, cached by the connection.
extension Connection: ZoneNumbering {
    /// Returns the number of a zone, which is added if it is new.
    func addedNumber(of zoneID: RecordZone.ID) throws -> Int64 {
        if let id = try number(of: zoneID) { return id }
        let insertion = try statements.statement(
            "INSERT INTO cabinet_zone (zoneName, ownerName) VALUES (?, ?) RETURNING id")
        defer { insertion.reset() }
        try insertion.bind(zoneID.zoneName, at: 1)
        try insertion.bind(zoneID.ownerName, at: 2)
        guard try insertion.step() else { throw SQLiteFailure.damaged(path: path, "cabinet_zone rejects rows") }
        let id = insertion.int64(0)
        zones.insert(zoneID, id: id)
        return id
    }

    /// Returns the zones, including those that other connections have added.
    func refreshedZones() throws -> ZoneTable {
        try refreshZones()
        return zones
    }

    /// Reads the zones that were added since the last read.
    func refreshZones() throws {
        // Usually the file has not changed at all.
        let version = handle.dataVersion
        if version != nil, version == zonesVersion { return }
        guard !catalog.isEmptyFile else { return }
        if try number("SELECT max(id) FROM cabinet_zone") ?? 1 == zones.lastID {
            zonesVersion = version
            return
        }
        let statement = try statements.statement("SELECT id, zoneName, ownerName FROM cabinet_zone")
        defer { statement.reset() }
        var found = ZoneTable()
        while try statement.step() {
            guard let zoneName = statement.string(1), let ownerName = statement.string(2) else {
                throw SQLiteFailure.damaged(path: path, "row \(statement.int64(0)) of cabinet_zone has no names")
            }
            let id = statement.int64(0)
            if id != ZoneTable.defaultZone {
                found.insert(RecordZone.ID(zoneName: zoneName, ownerName: ownerName), id: id)
            }
        }
        zonesVersion = version
        zones = found
    }
}
