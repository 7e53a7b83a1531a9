import Cabinet
import Foundation
import SQLSupport

/// The change feed, and the tombstones in it.
extension Connection {
    /// Reads the changes of a zone, up to a page from each table.
    func changes(
        in zoneID: RecordZone.ID, after number: Int64, limit: Int, of content: ChangeContent
    ) throws -> [StoredChange] {
        guard !catalog.isEmptyFile, let zone = try self.number(of: zoneID) else { return [] }
        var page = ChangePage(zone: zone, start: number, limit: limit)
        try page.add(deletions(on: page))
        guard case .all(let keys) = content else { return page.changes }
        for table in catalog.tables { try page.add(records(of: table, on: page, keys: keys)) }
        return page.changes
    }

    /// Removes the tombstone of a record that is inserted again.
    func forgetDeletion(of recordName: String, zone: Int64) throws {
        // Most stores insert far more records than they delete, and many have no tombstones at all.
        let hasDeletions = try writeState.hasDeletions ?? (number("SELECT 1 FROM cabinet_deletion LIMIT 1") != nil)
        writeState.hasDeletions = hasDeletions
        guard hasDeletions else { return }
        let deletion = try statements.statement("DELETE FROM cabinet_deletion WHERE recordName = ? AND zone = ?")
        try deletion.bind(recordName, at: 1)
        try deletion.bind(zone, at: 2)
        try deletion.run()
    }

    /// Removes the tombstones of a zone up to a sequence number.
    func forgetDeletions(in zoneID: RecordZone.ID, through number: Int64) throws {
        guard let zone = try self.number(of: zoneID) else { return }
        let deletion = try statements.statement("DELETE FROM cabinet_deletion WHERE zone = ? AND sequence <= ?")
        try deletion.bind(zone, at: 1)
        try deletion.bind(number, at: 2)
        try deletion.run()
        // These may have been the last ones.
        writeState.hasDeletions = nil
    }

    private func records(of table: Table, on page: ChangePage, keys: [Record.FieldKey]?) throws -> [StoredChange] {
        let decoder: RowDecoder
        let sql: String
        if let keys {
            decoder = RowDecoder(table: table, keys: keys)
            sql = table.pageOfChanges(selecting: decoder.selection)
        } else {
            let known = try statements(for: table)
            (decoder, sql) = (known.decoder, known.changes)
        }
        let statement = try statements.statement(sql)
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

/// The first changes after a number from several tables.
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

    /// Adds changes, and drops those beyond the end of the page.
    mutating func add(_ found: [StoredChange]) {
        if found.isEmpty { return }
        changes =
            changes.isEmpty ? found : (changes + found).sorted { $0.sequenceNumber < $1.sequenceNumber }
        if changes.count > limit { changes.removeLast(changes.count - limit) }
    }

    /// Binds the zone, the range of numbers for further changes, and their limit.
    func bind(to statement: Statement) throws {
        try statement.bind(zone, at: 1)
        try statement.bind(start, at: 2)
        try statement.bind(changes.count < limit ? .max : changes.last?.sequenceNumber ?? .max, at: 3)
        try statement.bind(Int64(limit), at: 4)
    }
}

extension Statement {
    /// Returns the number in the first column of the first row.
    func firstNumber() throws -> Int64? {
        defer { reset() }
        return try step() ? int64(0) : nil
    }
}
