import Cabinet
import Foundation

/// What has changed since a number, and which deletions are remembered.
extension Connection {
    /// The highest sequence number that was ever reserved.
    func lastSequenceNumber() throws -> Int64 {
        if catalog.isEmptyFile { return 0 }
        return try writeState.lastSequenceNumber ?? storedSequenceNumber()
    }

    /// Reads what has changed in a zone: from each table's index by zone and number as much as a page holds.
    func changes(
        inZone zoneID: RecordZone.ID, after number: Int64, limit: Int, keys: [Record.FieldKey]?
    ) throws -> [StoredChange] {
        guard !catalog.isEmptyFile, let zone = try self.number(of: zoneID) else { return [] }
        var page = ChangePage(zone: zone, start: number, limit: limit)
        // Layout 1 remembers no deletions.
        if catalog.hasZones { try page.add(deletions(on: page)) }
        for table in catalog.tables { try page.add(records(of: table, on: page, keys: keys)) }
        return page.changes
    }

    /// Remembers a deletion.
    func remember(_ id: RecordID, zone: Int64, type: Int64, sequenceNumber: Int64, date: Date) throws {
        let insertion = try statements.statement(
            "INSERT INTO cabinet_deletion (zone, sequence, recordName, type, date) VALUES (?, ?, ?, ?, ?)")
        try insertion.bind(zone, at: 1)
        try insertion.bind(sequenceNumber, at: 2)
        try insertion.bind(id.recordName, at: 3)
        try insertion.bind(type, at: 4)
        try insertion.bind(date.timeIntervalSinceReferenceDate, at: 5)
        try insertion.run()
        writeState.hasDeletions = true
    }

    /// Forgets the deletion of a record that is there again.
    func forgetDeletion(of recordName: String, zone: Int64) throws {
        // Most stores insert far more than they delete, and many have no deletions at all.
        let hasDeletions = try writeState.hasDeletions ?? (number("SELECT 1 FROM cabinet_deletion LIMIT 1") != nil)
        writeState.hasDeletions = hasDeletions
        guard hasDeletions else { return }
        let deletion = try statements.statement("DELETE FROM cabinet_deletion WHERE recordName = ? AND zone = ?")
        try deletion.bind(recordName, at: 1)
        try deletion.bind(zone, at: 2)
        try deletion.run()
    }

    /// Forgets old deletions in a zone.
    func forgetDeletions(inZone zoneID: RecordZone.ID, before date: Date, keepingLast count: Int) throws {
        guard catalog.hasZones, let zone = try number(of: zoneID) else { return }
        let surplus = try statements.statement(
            "SELECT sequence FROM cabinet_deletion WHERE zone = ? ORDER BY sequence DESC LIMIT 1 OFFSET ?")
        try surplus.bind(zone, at: 1)
        try surplus.bind(Int64(count), at: 2)
        var last = try surplus.firstNumber() ?? 0
        let young = try statements.statement(
            "SELECT sequence FROM cabinet_deletion WHERE zone = ? AND date >= ? ORDER BY sequence LIMIT 1")
        try young.bind(zone, at: 1)
        try young.bind(date.timeIntervalSinceReferenceDate, at: 2)
        last = max(last, (try young.firstNumber()).map { $0 > 0 ? $0 - 1 : 0 } ?? .max)
        let update = try statements.statement(
            """
            UPDATE cabinet_zone_state SET expiration = max(expiration, coalesce(
                (SELECT max(sequence) FROM cabinet_deletion WHERE zone = ?1 AND sequence <= ?2), 0)) WHERE zone = ?1
            """)
        let deletion = try statements.statement("DELETE FROM cabinet_deletion WHERE zone = ?1 AND sequence <= ?2")
        for statement in [update, deletion] {
            try statement.bind(zone, at: 1)
            try statement.bind(last, at: 2)
            try statement.run()
        }
    }

    private func records(of table: Table, on page: ChangePage, keys: [Record.FieldKey]?) throws -> [StoredChange] {
        var decoder: RowDecoder
        let selection: String
        if let keys {
            decoder = RowDecoder(table: table, keys: keys, path: path)
            selection = decoder.selection
        } else {
            let known = try statements(for: table)
            (decoder, selection) = (known.decoder, known.selection)
        }
        let statement = try statements.statement(
            """
            SELECT \(selection) FROM \(table.quoted) \
            WHERE "___zone" = ? AND "___etag" > ? AND "___etag" < ? ORDER BY "___etag" LIMIT ?
            """)
        defer { statement.reset() }
        try page.bind(to: statement)
        var found: [StoredChange] = []
        while try statement.step() { found.append(.saved(try decoder.decode(statement, on: self))) }
        return found
    }

    private func deletions(on page: ChangePage) throws -> [StoredChange] {
        let statement = try statements.statement(
            """
            SELECT recordName, type, sequence, date FROM cabinet_deletion \
            WHERE zone = ? AND sequence > ? AND sequence < ? ORDER BY sequence LIMIT ?
            """)
        defer { statement.reset() }
        try page.bind(to: statement)
        var found: [StoredChange] = []
        while try statement.step() {
            guard let name = statement.string(0), let zoneID = try zone(page.zone) else {
                throw SQLiteFailure.damaged(path: path, "cabinet_deletion has a row without a record name or zone")
            }
            found.append(
                .deleted(
                    StoredDeletion(
                        recordID: RecordID(recordName: name, zoneID: zoneID),
                        recordType: try table(statement.int64(1)).recordType, sequenceNumber: statement.int64(2),
                        date: Date(timeIntervalSinceReferenceDate: statement.double(3)))))
        }
        return found
    }
}

/// The first changes after a number, out of several tables.
private struct ChangePage {
    let zone: Int64
    let start: Int64
    let limit: Int
    private(set) var changes: [StoredChange] = []

    init(zone: Int64, start: Int64, limit: Int) {
        self.zone = zone
        self.start = start
        self.limit = limit
    }

    /// Adds changes, and drops those that come too late for the page.
    mutating func add(_ found: [StoredChange]) {
        if found.isEmpty { return }
        changes =
            changes.isEmpty ? found : (changes + found).sorted { $0.sequenceNumber < $1.sequenceNumber }
        if changes.count > limit { changes.removeLast(changes.count - limit) }
    }

    /// Binds the zone, the numbers between which a further change must lie, and how many may.
    func bind(to statement: Statement) throws {
        try statement.bind(zone, at: 1)
        try statement.bind(start, at: 2)
        try statement.bind(changes.count < limit ? .max : changes.last?.sequenceNumber ?? .max, at: 3)
        try statement.bind(Int64(limit), at: 4)
    }
}

extension Statement {
    /// The number in the first column of the first row.
    func firstNumber() throws -> Int64? {
        defer { reset() }
        return try step() ? int64(0) : nil
    }
}
