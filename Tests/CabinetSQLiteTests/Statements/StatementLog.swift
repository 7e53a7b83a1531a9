import CSQLite
import Cabinet
import Synchronization
import Testing

@testable import CabinetSQLite

/// The statements that the connections to a database prepare and run.
final class StatementLog: Sendable {
    /// One run of a statement.
    struct Run: Sendable {
        let sql: String
        /// The steps of SQLite's machine: their number grows with the scanned rows.
        let steps: Int
        /// The number of steps to the next row of a whole table or index.
        let scanned: Int
        /// The number of sorts.
        let sorts: Int
    }

    /// The statements of some time.
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

    /// The statements since the last call.
    func take() -> Content {
        content.withLock { content in
            defer { content = Content() }
            return content
        }
    }

    /// Waits until a statement was run a number of times since the log was last read.
    func wait(untilThereAre count: Int, of sql: String) async throws {
        while content.withLock({ $0.runs.count { $0.sql == sql } }) < count {
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    /// Starts to log the statements of a database that one connection reads.
    func follow(_ database: DatabaseKey, of backend: SQLiteBackend) async throws {
        try await backend.write(database) { try #require($0 as? SQLiteTransaction).session.use(self.follow) }
        try await backend.read(database) { try #require($0 as? SQLiteSnapshot).session.use(self.follow) }
        _ = take()
    }

    /// Starts to log the statements of a connection, until it is closed.
    func follow(_ connection: Connection) {
        // The closure retains the log while the connection is open, so that the connection can report to it.
        connection.handle.willPrepare = { sql in self.content.withLock { $0.prepared.append(sql) } }
        sqlite3_trace_v2(
            connection.handle.pointer, UInt32(SQLITE_TRACE_PROFILE),
            { _, log, statement, _ in
                guard let log, let statement else { return 0 }
                Unmanaged<StatementLog>.fromOpaque(log).takeUnretainedValue().note(OpaquePointer(statement))
                return 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Records a completed statement.
    private func note(_ statement: OpaquePointer) {
        func take(_ counter: Int32) -> Int { Int(sqlite3_stmt_status(statement, counter, 1)) }
        let run = Run(
            sql: sqlite3_sql(statement).map { String(cString: $0) } ?? "",
            steps: take(SQLITE_STMTSTATUS_VM_STEP), scanned: take(SQLITE_STMTSTATUS_FULLSCAN_STEP),
            sorts: take(SQLITE_STMTSTATUS_SORT))
        content.withLock { $0.runs.append(run) }
    }
}
