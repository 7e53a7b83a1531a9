import Cabinet

/// Which zones there are, and when they were changed.
///
/// `cabinet_zone` only numbers zones. What is known of them stands in `cabinet_zone_state`: a zone is there if it has a creator, and
/// the default zone always is.
extension Connection {
    private static let stateColumns = "zone, creator, creation, change, expiration, removal"

    /// Finds zones.
    ///
    /// - Parameter ids: The IDs of the zones to find, or `nil` for all.
    func zones(for ids: Set<RecordZone.ID>?) throws -> [StoredZone] {
        guard catalog.hasZones else { return try zonesOfOldLayout().filter { ids?.contains($0.zoneID) != false } }
        if let ids { return try ids.compactMap(storedZone) }
        return try zoneStates("WHERE creator IS NOT NULL") { $0.zone }
    }

    /// Adds zones that are not there.
    func add(_ zones: [StoredZone]) throws {
        try storeNumbers()
        let insertion = try statements.statement(
            """
            INSERT INTO cabinet_zone_state (\(Self.stateColumns)) VALUES (?1, ?2, ?3, ?4, ?5, NULL) \
            ON CONFLICT (zone) DO UPDATE SET creator = ?2, creation = ?3, change = ?4, expiration = ?5
            """)
        for zone in zones {
            try insertion.bind(try addedNumber(of: zone.zoneID), at: 1)
            try insertion.bind(zone.creatorName, at: 2)
            try insertion.bind(zone.creationNumber, at: 3)
            try insertion.bind(zone.changeNumber, at: 4)
            try insertion.bind(zone.expirationNumber, at: 5)
            try insertion.run()
        }
    }

    /// Notes that something has changed in zones.
    func markZones(_ ids: [RecordZone.ID], sequenceNumber: Int64) throws {
        for id in ids {
            guard let zone = try number(of: id) else { continue }
            writeState.zoneMarks[zone] = sequenceNumber
        }
    }

    /// Removes zones with all records in them.
    func removeZones(_ ids: [RecordZone.ID], sequenceNumber: Int64) throws {
        try storeNumbers()
        let gone = Set(ids)
        for id in ids {
            guard let zone = try number(of: id) else { continue }
            for table in catalog.tables { try removeRecords(inZone: zone, of: table) }
            let forgetting = try statements.statement("DELETE FROM cabinet_deletion WHERE zone = ?")
            try forgetting.bind(zone, at: 1)
            try forgetting.run()
            let removal = try statements.statement(
                "UPDATE cabinet_zone_state SET creator = NULL, removal = ? WHERE zone = ?")
            try removal.bind(sequenceNumber, at: 1)
            try removal.bind(zone, at: 2)
            try removal.run()
        }
        writeState.locations = writeState.locations.filter { !gone.contains($0.key.zoneID) }
    }

    /// Reads in which zones something has changed, and which zones are gone.
    func zoneChanges(after number: Int64, limit: Int) throws -> [StoredZoneChange] {
        guard catalog.hasZones else {
            return try zonesOfOldLayout().filter { $0.changeNumber > number }.prefix(limit).map(
                StoredZoneChange.changed)
        }
        // The index of changes is without the default zone.
        let isChanged = "change > ?1 AND creator IS NOT NULL"
        var changed = try zoneStates("WHERE zone = \(Layout.defaultZone) AND \(isChanged)", number) {
            StoredZoneChange.changed($0.zone)
        }
        changed += try zoneStates(
            "WHERE zone <> \(Layout.defaultZone) AND \(isChanged) ORDER BY change LIMIT ?2", number, Int64(limit)
        ) { StoredZoneChange.changed($0.zone) }
        let removed = try zoneStates("WHERE removal > ?1 ORDER BY removal LIMIT ?2", number, Int64(limit)) { state in
            StoredZoneChange.deleted(state.zone.zoneID, sequenceNumber: state.removal)
        }
        return (changed + removed).sorted { $0.sequenceNumber < $1.sequenceNumber }.prefix(limit).map(\.self)
    }

    private func removeRecords(inZone zone: Int64, of table: Table) throws {
        // Each deletion begins at the table's index by zone, so that other zones' records cost nothing.
        let rows = "SELECT \"___row\" FROM \(table.quoted) WHERE \"___zone\" = ?1"
        let names = "SELECT \"___recordID\" FROM \(table.quoted) WHERE \"___zone\" = ?1"
        var deletions = table.places.map { "DELETE FROM \($0.quoted) WHERE id IN (\(rows))" }
        if let words = table.words { deletions.append("DELETE FROM \(words.quoted) WHERE rowid IN (\(rows))") }
        deletions += [
            "DELETE FROM cabinet_list_reference WHERE type = \(table.id) AND row IN (\(rows))",
            "DELETE FROM cabinet_list_asset WHERE type = \(table.id) AND row IN (\(rows))",
            "DELETE FROM cabinet_record WHERE zone = ?1 AND recordName IN (\(names))",
            "DELETE FROM \(table.quoted) WHERE \"___zone\" = ?1",
        ]
        for sql in deletions {
            let deletion = try statements.statement(sql)
            try deletion.bind(zone, at: 1)
            try deletion.run()
        }
    }

    /// The default zone of a file of layout 1, which has no other and remembers no deletions: as the next write will note it.
    private func zonesOfOldLayout() throws -> [StoredZone] {
        if catalog.isEmptyFile { return [] }
        let last = try storedSequenceNumber()
        return [
            StoredZone(
                zoneID: .default, creatorName: "", creationNumber: 0, changeNumber: last, expirationNumber: last)
        ]
    }

    private func storedZone(_ id: RecordZone.ID) throws -> StoredZone? {
        guard let number = try number(of: id) else { return nil }
        return try zoneStates("WHERE zone = ?1 AND creator IS NOT NULL", number) { $0.zone }.first
    }

    /// Reads what is known of zones.
    private func zoneStates<Output>(
        _ clause: String, _ parameters: Int64..., body: ((zone: StoredZone, removal: Int64)) -> Output
    ) throws -> [Output] {
        try refreshZones()
        try storeNumbers()
        let statement = try statements.statement("SELECT \(Self.stateColumns) FROM cabinet_zone_state \(clause)")
        defer { statement.reset() }
        for (index, parameter) in parameters.enumerated() { try statement.bind(parameter, at: Int32(index + 1)) }
        var found: [Output] = []
        while try statement.step() {
            guard let zoneID = try zone(statement.int64(0)) else {
                throw SQLiteFailure.damaged(
                    path: path, "cabinet_zone_state has the zone \(statement.int64(0)), which has no name")
            }
            let zone = StoredZone(
                zoneID: zoneID, creatorName: statement.string(1) ?? "", creationNumber: statement.int64(2),
                changeNumber: statement.int64(3), expirationNumber: statement.int64(4))
            found.append(body((zone, statement.int64(5))))
        }
        return found
    }
}
