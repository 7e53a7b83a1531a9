import Cabinet
import Foundation
import SQLSupport

/// Names the life of a file that a writing connection knows.
///
/// While a file is closed, an older copy may be put in its place, and nothing in the file shows that. So each opening has another
/// origin. If an older copy is written into the open file, the origin changes as soon as a change that the connection has committed
/// is missing.
struct StoreOrigin {
    /// The name: a random one.
    private(set) var name = UUID().uuidString.lowercased()

    /// A change that the connection has committed.
    private var lastChange: RecordChange?
    /// The version of the file's data after its last commit.
    private var dataVersion: UInt32?
    private var schemaVersion: Int64 = 0

    /// Looks for a sign that the file is older than it was; call this when a write transaction has begun.
    mutating func check(on connection: Connection) throws {
        // Nearly always nobody else has written since.
        if let dataVersion, dataVersion == connection.handle.dataVersion { return }
        let isOlder = try connection.catalog.version < schemaVersion || !connection.hasChanges(since: lastChange)
        if isOlder { self = StoreOrigin() }
    }

    /// Records what the transaction has changed; call this after the commit.
    mutating func update(on connection: Connection) {
        if let change = connection.writeState.lastChange { lastChange = change }
        dataVersion = connection.handle.dataVersion
        schemaVersion = connection.catalog.version
    }
}

extension Connection {
    /// Whether the file has a change of a record, or a later one in the record's zone.
    ///
    /// It is always so in a file that has gone on, unless the zone was erased or the deletion was forgotten.
    fileprivate func hasChanges(since change: RecordChange?) throws -> Bool {
        guard let change else { return true }
        if catalog.isEmptyFile { return false }
        func isFound(_ sql: String) throws -> Bool {
            let statement = try statements.statement(sql)
            try statement.bind(change.zone, at: 1)
            try statement.bind(change.number, at: 2)
            return try statement.firstNumber() != nil
        }
        // Where it was, it nearly always is.
        let tables = catalog.tables.sorted { $0.id == change.type && $1.id != change.type }
        for table in tables {
            let sql = "SELECT 1 FROM \(table.quoted) WHERE \"___zone\" = ? AND \"___etag\" >= ? LIMIT 1"
            if try isFound(sql) { return true }
        }
        return try isFound("SELECT 1 FROM cabinet_deletion WHERE zone = ? AND sequence >= ? LIMIT 1")
    }
}
