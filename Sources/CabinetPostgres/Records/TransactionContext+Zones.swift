import Cabinet
import SQLSupport

/// The numbers of zones.
///
/// The first record of a zone gives it a number and a row of `cabinet_zone`, which it keeps permanently.
extension TransactionContext: ZoneNumbering {
    /// Loads the zones that are not cached, before calls that need them.
    func prepareZones() async throws {
        if let row, zones.lastID < row.lastZone { try await connection.blocking { try refreshZones() } }
    }

    /// Loads the zones that are not cached; this takes a round trip only if there are some.
    func refreshZones() throws {
        guard let row, zones.lastID < row.lastZone else { return }
        let found = try query(
            """
            SELECT zone, "zoneName", "ownerName" FROM \(name("cabinet_zone")) WHERE database = $1 AND zone > $2 \
            ORDER BY zone
            """, [.integer(row.id), .integer(zones.lastID)])
        for row in found.rows {
            guard let id = row.integer(0), let zoneName = row.text(1), let ownerName = row.text(2) else {
                throw PostgresFailure.damaged("cabinet_zone has a row without a name")
            }
            zones.insert(
                RecordZone.ID(
                    zoneName: StoredText.decoded(zoneName), ownerName: StoredText.decoded(ownerName)), id: id)
        }
        // A read sees only committed zones.
        if write == nil { catalogs.offer(zones, of: row.id) }
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

    /// Removes a zone's records and tombstones.
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
    }
}
