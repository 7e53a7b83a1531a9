import CSQLite
import Cabinet
import Synchronization
import Testing

@testable import CabinetSQLite

/// What the connections to a database prepare and run.
final class StatementLog: Sendable {
    /// One run of a statement.
    struct Run: Sendable {
        let sql: String
        /// How many steps SQLite's machine took: it grows with the rows that are looked at.
        let steps: Int
        /// How many times it went to the next row of a whole table or index.
        let scanned: Int
        /// How many times it sorted rows.
        let sorts: Int
    }

    /// What was done in some time.
    struct Content: Sendable, CustomStringConvertible {
        var prepared: [String] = []
        var runs: [Run] = []

        var steps: Int { runs.map(\.steps).reduce(0, +) }
        var scanned: Int { runs.map(\.scanned).reduce(0, +) }
        var sorts: Int { runs.map(\.sorts).reduce(0, +) }

        var description: String {
            let counts = Dictionary(grouping: runs, by: \.sql).mapValues(\.count).sorted { $0.key < $1.key }
            return (counts.map { "\($0.value) × \($0.key)" } + prepared.map { "prepared: \($0)" }).joined(
                separator: "\n")
        }
    }

    private let content = Mutex(Content())

    /// What was done since this was asked last.
    func take() -> Content {
        content.withLock { content in
            defer { content = Content() }
            return content
        }
    }

    /// Waits until a statement was run some times since the log was taken last.
    func wait(untilThereAre count: Int, of sql: String) async throws {
        while content.withLock({ $0.runs.count { $0.sql == sql } }) < count {
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    /// Begins to log what is done in a database that one connection reads.
    func follow(_ database: DatabaseKey, of backend: SQLiteBackend) async throws {
        try await backend.write(database) { try #require($0 as? SQLiteTransaction).session.use(self.follow) }
        try await backend.read(database) { try #require($0 as? SQLiteSnapshot).session.use(self.follow) }
        _ = take()
    }

    /// Begins to log what a connection does, until it is closed.
    func follow(_ connection: Connection) {
        // The closure keeps the log for as long as the connection is open, and so may tell it of what it does.
        connection.handle.willPrepare = { sql in self.content.withLock { $0.prepared.append(sql) } }
        sqlite3_trace_v2(
            connection.handle.pointer, UInt32(SQLITE_TRACE_PROFILE),
            { _, log, statement, _ in
                guard let log, let statement else { return 0 }
                Unmanaged<StatementLog>.fromOpaque(log).takeUnretainedValue().note(OpaquePointer(statement))
                return 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Notes a statement that has come to its end.
    private func note(_ statement: OpaquePointer) {
        func take(_ counter: Int32) -> Int { Int(sqlite3_stmt_status(statement, counter, 1)) }
        let run = Run(
            sql: sqlite3_sql(statement).map { String(cString: $0) } ?? "",
            steps: take(SQLITE_STMTSTATUS_VM_STEP), scanned: take(SQLITE_STMTSTATUS_FULLSCAN_STEP),
            sorts: take(SQLITE_STMTSTATUS_SORT))
        content.withLock { $0.runs.append(run) }
    }
}
