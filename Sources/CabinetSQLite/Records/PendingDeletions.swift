import Cabinet
import Foundation
import SQLSupport

/// Deletions of records of one table in one zone that are written together.
///
/// A cascade deletes many records. A batch of deletions takes as many statements as a single one.
struct PendingDeletions {
    let table: Table
    /// The number of the zone.
    let zone: Int64
    private var deletions: [(deletion: StoredDeletion, row: Int64)] = []

    /// The size of a batch.
    ///
    /// Fewer deletions are written one by one, so that there are only two statements of each kind.
    private static let limit = 8

    init(table: Table, zone: Int64) {
        self.table = table
        self.zone = zone
    }

    /// Whether the batch is full.
    var isFull: Bool { deletions.count >= Self.limit }

    mutating func add(_ deletion: StoredDeletion, row: Int64) {
        deletions.append((deletion, row))
    }

    /// Deletes the records' rows and stores their tombstones.
    func write(on connection: Connection) throws {
        if isFull { return try write(deletions[...], on: connection) }
        for index in deletions.indices { try write(deletions[index...index], on: connection) }
    }

    private func write(
        _ deletions: ArraySlice<(deletion: StoredDeletion, row: Int64)>, on connection: Connection
    ) throws {
        func list(_ element: String) -> String { deletions.map { _ in element }.joined(separator: ", ") }
        let rows = try connection.statements.statement(
            "DELETE FROM \(table.quoted) WHERE \"___insertion\" IN (\(list("?")))")
        let locations = try connection.statements.statement(
            "DELETE FROM cabinet_record WHERE zone = ? AND recordName IN (\(list("?")))")
        let insertion = try connection.statements.statement(
            "INSERT INTO cabinet_deletion (zone, sequence, recordName, type, date) VALUES \(list("(?, ?, ?, ?, ?)"))")
        try locations.bind(zone, at: 1)
        for (index, (deletion, row)) in deletions.enumerated() {
            let index = Int32(index)
            try rows.bind(row, at: index + 1)
            try locations.bind(deletion.recordID.recordName, at: index + 2)
            try insertion.bind(zone, at: 5 * index + 1)
            try insertion.bind(deletion.sequenceNumber, at: 5 * index + 2)
            try insertion.bind(deletion.recordID.recordName, at: 5 * index + 3)
            try insertion.bind(table.id, at: 5 * index + 4)
            try insertion.bind(deletion.date.timeIntervalSinceReferenceDate, at: 5 * index + 5)
        }
        for statement in [rows, locations, insertion] { try statement.run() }
        connection.writeState.hasDeletions = true
    }
}
