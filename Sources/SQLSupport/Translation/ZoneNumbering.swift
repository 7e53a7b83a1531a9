package import Cabinet

/// A transaction that knows the numbers of its database's zones, and reads new ones on demand.
package protocol ZoneNumbering {
    /// The known zones.
    var zones: ZoneTable { get }

    /// Reads the zones that were added since the last read.
    func refreshZones() throws
}

extension ZoneNumbering {
    /// Returns the number of a zone; `nil` if the zone has never had a record.
    package func number(of zoneID: RecordZone.ID) throws -> Int64? {
        if let id = zones[zoneID] { return id }
        try refreshZones()
        return zones[zoneID]
    }

    /// Returns the zone with a number.
    package func zone(_ id: Int64) throws -> RecordZone.ID? {
        if let zone = zones[id] { return zone }
        try refreshZones()
        return zones[id]
    }
}
