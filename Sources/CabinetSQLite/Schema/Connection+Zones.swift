import Cabinet

/// The zones that were saved, beside the default one, which needs no saving.
///
/// `cabinet_zone` only numbers zones, and keeps the numbers of those that are gone. Which of them are there says
/// `cabinet_custom_zone`, which a file gets with its first one.
extension Connection {
    /// Finds zones.
    ///
    /// - Parameter ids: The IDs of the zones to find, or `nil` for all.
    func zones(for ids: Set<RecordZone.ID>?) throws -> [StoredZone] {
        guard catalog.hasCustomZones else { return [] }
        if let ids { return try ids.compactMap(storedZone) }
        try refreshZones()
        let statement = try statements.statement("SELECT zone, creator FROM cabinet_custom_zone")
        defer { statement.reset() }
        var found: [StoredZone] = []
        while try statement.step() {
            guard let zoneID = try zone(statement.int64(0)) else {
                throw SQLiteFailure.damaged(
                    path: path, "cabinet_custom_zone has the zone \(statement.int64(0)), which has no name")
            }
            found.append(StoredZone(zoneID: zoneID, creatorName: try creator(statement, 1)))
        }
        return found
    }

    /// Adds zones that are not there.
    func add(_ zones: [StoredZone]) throws {
        if !catalog.hasCustomZones {
            try handle.execute(Layout.customZoneCreation)
            catalog.hasCustomZones = true
            catalog.version = -1
        }
        let insertion = try statements.statement("INSERT INTO cabinet_custom_zone (zone, creator) VALUES (?, ?)")
        for zone in zones {
            try insertion.bind(try addedNumber(of: zone.zoneID), at: 1)
            try insertion.bind(zone.creatorName, at: 2)
            try insertion.run()
        }
    }

    /// Removes zones with all records in them.
    func removeZones(_ ids: [RecordZone.ID]) throws {
        let gone = Set(ids)
        for id in ids {
            guard let zone = try number(of: id), catalog.hasCustomZones else { continue }
            for table in catalog.tables { try removeRecords(inZone: zone, of: table) }
            let deletion = try statements.statement("DELETE FROM cabinet_custom_zone WHERE zone = ?")
            try deletion.bind(zone, at: 1)
            try deletion.run()
        }
        writeState.locations = writeState.locations.filter { !gone.contains($0.key.zoneID) }
    }

    private func removeRecords(inZone zone: Int64, of table: Table) throws {
        // Each deletion begins at the table's index by zone, so that other zones' records cost nothing.
        let rows = "SELECT \"___row\" FROM \(table.quoted) WHERE \"___zone\" = ?1"
        let names = "SELECT \"___recordID\" FROM \(table.quoted) WHERE \"___zone\" = ?1"
        let deletions = [
            "DELETE FROM cabinet_list_reference WHERE type = \(table.id) AND row IN (\(rows))",
            "DELETE FROM cabinet_record WHERE zone = ?1 AND recordName IN (\(names))",
            "DELETE FROM \(table.quoted) WHERE \"___zone\" = ?1",
        ]
        for sql in deletions {
            let deletion = try statements.statement(sql)
            try deletion.bind(zone, at: 1)
            try deletion.run()
        }
    }

    private func storedZone(_ id: RecordZone.ID) throws -> StoredZone? {
        guard let number = try number(of: id) else { return nil }
        let statement = try statements.statement("SELECT creator FROM cabinet_custom_zone WHERE zone = ?")
        defer { statement.reset() }
        try statement.bind(number, at: 1)
        return try statement.step() ? StoredZone(zoneID: id, creatorName: try creator(statement, 0)) : nil
    }

    private func creator(_ statement: Statement, _ column: Int32) throws -> String {
        guard let name = statement.string(column) else {
            throw SQLiteFailure.damaged(path: path, "cabinet_custom_zone has a zone without its creator's name")
        }
        return name
    }
}
