import Cabinet
import SQLSupport

/// The numbers of zones.
///
/// The first record of a zone gives it the next number and a row of `cabinet_zone`, which the deletion of the zone removes. A number
/// is never given again. The deletion itself takes a number too, so that other processes notice it: they miss a row.
extension TransactionContext: ZoneNumbering {
    /// Loads the zones that are not cached, before calls that need them.
    func prepareZones() async throws {
        if let row, zones.lastID < row.lastZone { try await connection.blocking { try refreshZones() } }
    }

    /// Loads the zones that are not cached; this takes a round trip only if there are some.
    func refreshZones() throws {
        guard let row, zones.lastID < row.lastZone else { return }
        var found = try rows(ofZonesAfter: zones.lastID, in: row)
        if found.count < row.lastZone - zones.lastID {
            // A zone was deleted.
            if zones.lastID > Layout.defaultZone { found = try rows(ofZonesAfter: Layout.defaultZone, in: row) }
            zones = ZoneTable()
        }
        for row in found.rows {
            guard let id = row.integer(0), let zoneName = row.text(1), let ownerName = row.text(2) else {
                throw PostgresFailure.damaged("cabinet_zone has a row without a name")
            }
            zones.insert(
                RecordZone.ID(
                    zoneName: StoredText.decoded(zoneName), ownerName: StoredText.decoded(ownerName)), id: id)
        }
        zones.lastID = row.lastZone
        // A read sees only committed zones.
        if write == nil { schemaCache.offer(zones, of: row.id) }
    }

    private func rows(ofZonesAfter id: Int64, in row: DatabaseRow) throws -> QueryResult {
        try query(
            """
            SELECT zone, "zoneName", "ownerName" FROM \(name("cabinet_zone")) \
            WHERE database = $1 AND zone > $2 AND zone <= $3 ORDER BY zone
            """, [.integer(row.id), .integer(id), .integer(row.lastZone)])
    }

    /// Returns the number of a zone; `nil` if it has none.
    func number(of zoneID: RecordZone.ID) throws -> Int64? {
        // Another process may have deleted a cached zone, and created it again.
        if zoneID != .default { try refreshZones() }
        return zones[zoneID]
    }

    /// Returns the number of a zone, and assigns one if it is new.
    func addedNumber(of zoneID: RecordZone.ID) throws -> Int64 {
        if let id = try number(of: zoneID) { return id }
        let id = zones.lastID + 1
        try connection.enqueue(
            """
            INSERT INTO \(name("cabinet_zone")) (database, zone, "zoneName", "ownerName") VALUES ($1, $2, $3, $4)
            """,
            [
                .integer(try writableID()), .integer(id), .text(StoredText.encoded(zoneID.zoneName)),
                .text(StoredText.encoded(zoneID.ownerName)),
            ])
        zones.insert(zoneID, id: id)
        row?.lastZone = id
        return id
    }

    /// Removes a zone's records and tombstones, and its number.
    func eraseZone(_ zoneID: RecordZone.ID) throws {
        let databaseID = try writableID()
        guard let zone = try number(of: zoneID) else { return }
        let parameters: [SQLValue] = [.integer(databaseID), .integer(zone)]
        for table in catalog.tables {
            try connection.enqueue(
                #"DELETE FROM \#(table.quoted) WHERE "___database" = $1 AND "___zone" = $2"#, parameters)
        }
        for table in ["cabinet_list_reference", "cabinet_asset_use", "cabinet_deletion"] {
            try connection.enqueue("DELETE FROM \(name(table)) WHERE database = $1 AND zone = $2", parameters)
        }
        if zone == Layout.defaultZone { return }
        try connection.enqueue(
            "DELETE FROM \(name("cabinet_zone")) WHERE database = $1 AND zone = $2", parameters)
        zones.remove(zoneID)
        zones.lastID += 1
        row?.lastZone = zones.lastID
    }
}
