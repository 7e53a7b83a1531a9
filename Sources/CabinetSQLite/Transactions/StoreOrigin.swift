import Cabinet
import Foundation
import SQLSupport

/// Identifies the history of a file as a writing connection has seen it.
///
/// While a file is closed, it may be replaced by an older copy, and nothing in the file shows that. So each opening has
/// a new origin. If an older copy replaces the open file, a committed change is missing, and the origin changes as soon
/// as that is found.
struct StoreOrigin {
    /// The random name of the origin.
    private(set) var name = UUID().uuidString.lowercased()

    /// The last record change that the connection has committed.
    private var lastChange: RecordChange?
    /// The version of the file's data after its last commit.
    private var dataVersion: UInt32?
    private var schemaVersion: Int64 = 0

    /// Returns whether no other connection has written since the last commit, as is usual.
    func isCurrent(on connection: Connection) -> Bool {
        dataVersion != nil && dataVersion == connection.handle.dataVersion
    }

    /// Checks whether the file has become older, after a write transaction has begun.
    mutating func check(on connection: Connection) throws {
        let isOlder = try connection.catalog.version < schemaVersion || !connection.hasChanges(since: lastChange)
        if isOlder { self = StoreOrigin() }
    }

    /// Records the changes of the transaction, after its commit.
    mutating func update(on connection: Connection) {
        if let change = connection.writeState.lastChange { lastChange = change }
        dataVersion = connection.handle.dataVersion
        schemaVersion = connection.catalog.version
    }
}

extension Connection {
    /// Whether the file has a change of a record, or a later change in the record's zone.
    ///
    /// This is true in a file with a continuous history, unless the zone was erased or the tombstone was removed.
    fileprivate func hasChanges(since change: RecordChange?) throws -> Bool {
        guard let change else { return true }
        if catalog.isEmptyFile { return false }
        func isFound(_ sql: String) throws -> Bool {
            let statement = try statements.statement(sql)
            try statement.bind(change.zone, at: 1)
            try statement.bind(change.number, at: 2)
            return try statement.firstNumber() != nil
        }
        // The record is usually still in the same table.
        let tables = catalog.tables.sorted { $0.id == change.type && $1.id != change.type }
        for table in tables {
            let sql = table.changes(selecting: "1", inZone: "?1") { "\($0) >= ?2" }
            if try isFound(sql + " LIMIT 1") { return true }
        }
        return try isFound("SELECT 1 FROM cabinet_deletion WHERE zone = ? AND sequence >= ? LIMIT 1")
    }
}
