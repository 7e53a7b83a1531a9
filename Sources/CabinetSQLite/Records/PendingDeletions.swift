import CSQLite
import Cabinet
import Foundation
import SQLSupport

/// Deletions of records of one table in one zone, with adjacent sequence numbers, that are written together.
///
/// A cascade deletes many records. A set of deletions takes as many statements as a single one.
struct PendingDeletions {
    let table: Table
    /// The number of the zone.
    let zone: Int64
    /// The sequence number of the first deletion.
    private let first: Int64
    private let date: Date
    private var rows: [Int64]

    /// The largest number of deletions in a set.
    private static let limit = 1_000

    init(_ deletion: StoredDeletion, row: Int64, of table: Table, zone: Int64) {
        self.table = table
        self.zone = zone
        first = deletion.sequenceNumber
        date = deletion.date
        rows = [row]
    }

    /// Adds a deletion.
    ///
    /// - Returns: Whether the deletion belongs to the set.
    mutating func add(_ deletion: StoredDeletion, row: Int64, of table: Table, zone: Int64) -> Bool {
        guard table.id == self.table.id, zone == self.zone, deletion.date == date, rows.count < Self.limit,
            deletion.sequenceNumber == first + Int64(rows.count)
        else { return false }
        rows.append(row)
        return true
    }

    /// Stores the tombstones, and deletes the records.
    func write(on connection: Connection) throws {
        let list = "[\(rows.map(String.init).joined(separator: ","))]"
        let insertion = try connection.statements.statement(
            """
            INSERT INTO cabinet_deletion (zone, sequence, recordName, type, date) \
            SELECT ?1, ?2 + cabinet_rows.key, "___recordID", \(table.id), ?3 \
            FROM json_each(?4) AS cabinet_rows CROSS JOIN \(table.quoted) ON "___insertion" = cabinet_rows.value
            """)
        try insertion.bind(zone, at: 1)
        try insertion.bind(first, at: 2)
        try insertion.bind(date.timeIntervalSinceReferenceDate, at: 3)
        try insertion.bind(list, at: 4)
        try insertion.run()
        guard sqlite3_changes(connection.handle.pointer) == rows.count else {
            throw SQLiteFailure.damaged(
                path: connection.path, "table \(table.name) lacks a row that cabinet_record names")
        }
        try connection.removeNames(ofDeletions: first..<first + Int64(rows.count), zone: zone)
        for sql in table.deletions(ofRows: "SELECT value FROM json_each(?)") {
            let deletion = try connection.statements.statement(sql)
            try deletion.bind(list, at: 1)
            try deletion.run()
        }
        connection.writeState.hasDeletions = true
    }
}

extension Connection {
    /// Removes the names of deleted records, which the tombstones have.
    func removeNames(ofDeletions numbers: Range<Int64>, zone: Int64) throws {
        let names = try statements.statement(
            """
            DELETE FROM cabinet_record WHERE zone = ?1 AND recordName IN (\
            SELECT recordName FROM cabinet_deletion WHERE zone = ?1 AND sequence >= ?2 AND sequence < ?3)
            """)
        try names.bind(zone, at: 1)
        try names.bind(numbers.lowerBound, at: 2)
        try names.bind(numbers.upperBound, at: 3)
        try names.run()
    }
}

extension Table {
    /// The statements that delete rows, and what is derived from them except the records' names.
    ///
    /// - Parameter rows: A query for the numbers of the rows.
    func deletions(ofRows rows: String) -> [String] {
        derivedDeletions(ofRows: rows) + ["DELETE FROM \(quoted) WHERE \"___insertion\" IN (\(rows))"]
    }

    /// The statements that delete what is derived from rows except the records' names.
    func derivedDeletions(ofRows rows: String) -> [String] {
        var deletions = places.map { "DELETE FROM \($0.quoted) WHERE id IN (\(rows))" }
        if let words { deletions.append("DELETE FROM \(words.quoted) WHERE rowid IN (\(rows))") }
        if !fields.referenceLists.isEmpty {
            deletions.append("DELETE FROM cabinet_list_reference WHERE type = \(id) AND row IN (\(rows))")
        }
        if !assetLists.isEmpty {
            deletions.append("DELETE FROM cabinet_list_asset WHERE type = \(id) AND row IN (\(rows))")
        }
        return deletions
    }
}
