import Cabinet
import SQLSupport

/// Which zones there are, and when they were changed.
///
/// A row of `cabinet_zone` numbers a zone, and keeps its number for ever; the zone is there as long as it has a creator.
extension DatabaseView {
    private static let columns = #"zone, creator, creation, change, expiration, removal"#

    /// Finds zones.
    ///
    /// - Parameter ids: The IDs of the zones to find, or `nil` for all.
    func zones(for ids: Set<RecordZone.ID>?) throws -> [StoredZone] {
        try refreshZones()
        let finish = try beginFindingZones(ids)
        try connection.flush()
        return finish()
    }

    /// Enqueues the statement that finds zones, all of which are known.
    ///
    /// - Returns: Makes the result of what it has answered.
    func beginFindingZones(_ ids: Set<RecordZone.ID>?) throws -> () -> [StoredZone] {
        var condition = ""
        var found: [StoredZone] = []
        guard let databaseID else { return { [] } }
        try writeDefaultZoneMark()
        var values: [SQLValue] = [.integer(databaseID)]
        if let ids {
            let numbers = ids.compactMap { zones[$0] }
            if numbers.isEmpty { return { [] } }
            condition = " AND zone = ANY($2)"
            values.append(.integers(numbers))
        }
        try connection.enqueue(
            """
            SELECT \(Self.columns) FROM \(name("cabinet_zone")) WHERE database = $1 AND creator IS NOT NULL\(condition)
            """, values
        ) { [self] result in found = try result.rows.map { try stored($0).zone } }
        return { found }
    }

    /// The number of a zone, which gets one if it is new.
    func addedNumber(of zoneID: RecordZone.ID) throws -> Int64 {
        if let id = try number(of: zoneID) { return id }
        let databaseID = try writableID()
        let id = zones.lastID + 1
        try connection.enqueue(
            """
            INSERT INTO \(name("cabinet_zone")) \
            (database, zone, "zoneName", "ownerName", creator, creation, change, expiration, removal) \
            VALUES ($1, $2, $3, $4, NULL, 0, 0, 0, NULL)
            """,
            [
                .integer(databaseID), .integer(id), .text(StoredText.encoded(zoneID.zoneName)),
                .text(StoredText.encoded(zoneID.ownerName)),
            ])
        note(zoneID, id: id)
        return id
    }

    /// Adds zones that are not there; the default zone may be.
    func add(_ added: [StoredZone]) throws {
        let databaseID = try writableID()
        for zone in added {
            // Its number is known without a row.
            if zone.zoneID == .default {
                try markZones([.default], sequenceNumber: zone.changeNumber)
                try writeDefaultZoneMark()
            }
            try connection.enqueue(
                """
                UPDATE \(name("cabinet_zone")) SET creator = $3, creation = $4, change = $5, expiration = $6 \
                WHERE database = $1 AND zone = $2
                """,
                [
                    .integer(databaseID), .integer(try addedNumber(of: zone.zoneID)),
                    .text(StoredText.encoded(zone.creatorName)), .integer(zone.creationNumber),
                    .integer(zone.changeNumber), .integer(zone.expirationNumber),
                ])
        }
    }

    /// Notes that something has changed in zones; the default zone is there from its first mark on.
    func markZones(_ ids: [RecordZone.ID], sequenceNumber: Int64) throws {
        let databaseID = try writableID()
        var numbers: [Int64?] = []
        for id in ids {
            guard id == .default else {
                numbers.append(try number(of: id))
                continue
            }
            defer { write?.hasDefaultZone = true }
            if write?.hasDefaultZone == true || catalogs.hasDefaultZone(databaseID) {
                write?.defaultZoneMark = sequenceNumber
                continue
            }
            try connection.enqueue(
                """
                INSERT INTO \(name("cabinet_zone")) AS z \
                (database, zone, "zoneName", "ownerName", creator, creation, change, expiration, removal) \
                VALUES ($1, \(Layout.defaultZone), $2, $3, '', 0, $4, 0, NULL) \
                ON CONFLICT (database, zone) DO UPDATE SET creator = '', change = excluded.change
                """,
                [
                    .integer(databaseID), .text(RecordZone.ID.default.zoneName),
                    .text(RecordZone.ID.default.ownerName), .integer(sequenceNumber),
                ])
        }
        if numbers.isEmpty { return }
        try connection.enqueue(
            "UPDATE \(name("cabinet_zone")) SET change = $2 WHERE database = $1 AND zone = ANY($3)",
            [.integer(databaseID), .integer(sequenceNumber), .integers(numbers)])
    }

    /// Writes the mark of the default zone, which waits for that: of many writes that are committed together, the last one counts.
    func writeDefaultZoneMark() throws {
        guard let databaseID, let number = write?.defaultZoneMark else { return }
        write?.defaultZoneMark = nil
        // Looking for the row takes less time than finding out that it is there when one inserts it.
        try connection.enqueue(
            "UPDATE \(name("cabinet_zone")) SET creator = '', change = $3 WHERE database = $1 AND zone = $2",
            [.integer(databaseID), .integer(Layout.defaultZone), .integer(number)]
        ) { result in
            guard result.affectedCount == 1 else { throw PostgresFailure.damaged("cabinet_zone has lost a row") }
        }
    }

    /// Removes zones with all records in them.
    func removeZones(_ ids: [RecordZone.ID], sequenceNumber: Int64) throws {
        let databaseID = try writableID()
        let numbers = try ids.compactMap { try number(of: $0) }
        if numbers.isEmpty { return }
        try writeDefaultZoneMark()
        let parameters: [SQLValue] = [.integer(databaseID), .integers(numbers)]
        for table in catalog.tables {
            try connection.enqueue(
                "DELETE FROM \(table.quoted) WHERE \"___database\" = $1 AND \"___zone\" = ANY($2)", parameters)
        }
        for table in ["cabinet_list_reference", "cabinet_asset_use", "cabinet_deletion"] {
            try connection.enqueue("DELETE FROM \(name(table)) WHERE database = $1 AND zone = ANY($2)", parameters)
        }
        try connection.enqueue(
            """
            UPDATE \(name("cabinet_zone")) SET creator = NULL, removal = $3 WHERE database = $1 AND zone = ANY($2)
            """, parameters + [.integer(sequenceNumber)])
        let gone = Set(ids)
        write?.tables.remove(gone)
    }

    /// Reads in which zones something has changed, and which zones are gone.
    func zoneChanges(after number: Int64, limit: Int) throws -> [StoredZoneChange] {
        guard let databaseID else { return [] }
        try writeDefaultZoneMark()
        try refreshZones()
        let all = "SELECT \(Self.columns) FROM \(name("cabinet_zone")) WHERE database = $1"
        let page: [SQLValue] = [.integer(databaseID), .integer(number), .integer(Int64(limit))]
        var found: [StoredZoneChange] = []
        try connection.enqueue("\(all) AND change > $2 AND creator IS NOT NULL ORDER BY change LIMIT $3", page) {
            [self] result in
            for row in result.rows { found.append(.changed(try stored(row).zone)) }
        }
        try connection.enqueue("\(all) AND removal > $2 ORDER BY removal LIMIT $3", page) { [self] result in
            for row in result.rows {
                let (zone, removal) = try stored(row)
                found.append(.deleted(zone.zoneID, sequenceNumber: removal))
            }
        }
        try connection.flush()
        return Array(found.sorted { $0.sequenceNumber < $1.sequenceNumber }.prefix(limit))
    }

    private func stored(_ row: QueryRow) throws -> (zone: StoredZone, removal: Int64) {
        guard let number = row.integer(0), let zoneID = zones[number], let creation = row.integer(2),
            let change = row.integer(3), let expiration = row.integer(4)
        else { throw PostgresFailure.damaged("cabinet_zone has a row that does not hold what it should") }
        let zone = StoredZone(
            zoneID: zoneID, creatorName: StoredText.decoded(row.text(1) ?? ""), creationNumber: creation,
            changeNumber: change, expirationNumber: expiration)
        return (zone, row.integer(5) ?? 0)
    }
}
