import Foundation
import PostgresTestSupport

/// The statements that a server has logged, and the checks that let Citus run them.
///
/// Each transaction must use the rows of one database only, which lie on one worker. The tables of the coordinator and those of
/// the workers must not occur in one statement, and functions that Citus does not send to workers not in a change.
struct StatementLog {
    /// The settings of a server that logs its statements.
    static let settings = [
        "log_statement=all", "log_min_messages=log", "log_line_prefix=@%p@", "log_parameter_max_length=100",
    ]

    /// A text of a statement, which occurs many times in a log.
    final class Statement {
        let text: String
        let schema: String?
        let isBegin: Bool
        let isEnd: Bool
        let isListing: Bool

        init(_ text: String) {
            self.text = text
            schema = StatementLog.schema(of: text)
            isBegin = text.hasPrefix("BEGIN")
            isEnd = ["COMMIT", "END", "ROLLBACK"].contains(text)
            isListing = StatementLog.isListing(text)
        }

        private var tables: [String: Set<String>] = [:]

        /// The tables of a schema that the text names.
        func tables(in schema: String) -> Set<String> {
            if let found = tables[schema] { return found }
            let parts = text.components(separatedBy: "\"\(schema)\".").dropFirst()
            let found = Set(parts.map { String($0.prefix { $0.isLetter || $0 == "_" || $0 == "\"" }) })
            tables[schema] = found
            return found
        }

        private(set) lazy var isScoped = StatementLog.scopes.contains(where: text.contains)

        private(set) lazy var isVolatileChange =
            ["INSERT", "UPDATE", "DELETE", "WITH"].contains(where: text.hasPrefix)
            && StatementLog.volatileFunctions.contains(where: text.contains)

        private(set) lazy var changesSchema = text.contains("pg_try_advisory_xact_lock")
    }

    /// An execution of a statement by a process of the server.
    struct Entry {
        let process: Int
        let statement: Statement
        var parameters = ""
    }

    private var entries: [Entry] = []

    /// Parses a log, whose messages begin with the process in at signs, and may have several lines.
    init(_ log: String) {
        var log = log
        var statements: [String: Statement] = [:]
        log.withUTF8 { bytes in
            var start = 0
            while start < bytes.count {
                let end = Self.end(ofMessageFrom: start, in: bytes)
                insert(UnsafeBufferPointer(rebasing: bytes[start..<end]), &statements)
                start = end
            }
        }
    }

    /// The index after the message's last line.
    private static func end(ofMessageFrom start: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Int {
        guard let base = bytes.baseAddress else { return 0 }
        var index = start
        while index < bytes.count, let newline = memchr(base + index, 0x0A, bytes.count - index) {
            index = UnsafeRawPointer(newline) - UnsafeRawPointer(base) + 1
            if index < bytes.count, bytes[index] == UInt8(ascii: "@") { return index }
        }
        return bytes.count
    }

    private mutating func insert(_ message: UnsafeBufferPointer<UInt8>, _ statements: inout [String: Statement]) {
        let parts = String(decoding: message, as: UTF8.self).split(separator: "@", maxSplits: 1)
        guard parts.count == 2, let process = Int(parts[0]) else { return }
        if let text = Self.text(after: "LOG:  execute ", in: parts[1]) {
            // The name of a prepared statement precedes its text.
            guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return }
            let sql = text[colon...].dropFirst().trimmingCharacters(in: .whitespacesAndNewlines)
            let statement = statements[sql] ?? Statement(sql)
            statements[sql] = statement
            entries.append(Entry(process: process, statement: statement))
        } else if let parameters = Self.text(after: "DETAIL:  parameters: ", in: parts[1]),
            let index = entries.lastIndex(where: { $0.process == process })
        {
            entries[index].parameters = String(parameters)
        }
    }

    private static func text(after prefix: String, in body: Substring) -> Substring? {
        body.hasPrefix(prefix) ? body.dropFirst(prefix.count) : nil
    }

    /// Returns the transactions in schemas, each as its statements, and its schema.
    private func transactions(in schemas: Set<String>) -> [(schema: String, entries: [Entry])] {
        var open: [Int: [Entry]] = [:]
        var found: [[Entry]] = []
        for entry in entries {
            if entry.statement.isBegin {
                open[entry.process] = []
            } else if entry.statement.isEnd {
                found += open.removeValue(forKey: entry.process).map { [$0] } ?? []
            } else if open[entry.process] != nil {
                open[entry.process]?.append(entry)
            } else {
                found.append([entry])
            }
        }
        return (found + open.values).compactMap { entries in
            entries.lazy.compactMap(\.statement.schema).first(where: schemas.contains).map { ($0, entries) }
        }
    }

    /// The first name in quotation marks that a dot follows.
    fileprivate static func schema(of text: String) -> String? {
        let parts = text.split(separator: "\"", omittingEmptySubsequences: false)
        let index = parts.indices.dropFirst().first { parts[$0].first == "." }
        return index.map { String(parts[$0 - 1]) }
    }

    /// Returns the last statement of a schema with this beginning.
    func lastStatement(_ beginning: String, in schema: String) -> String? {
        entries.last { $0.statement.schema == schema && $0.statement.text.hasPrefix(beginning) }?.statement.text
    }

    /// The number of transactions in a schema.
    func transactionCount(in schema: String) -> Int { transactions(in: [schema]).count }

    /// Returns what Citus would refuse, or run on several workers.
    func violations(in schemas: Set<String>) -> [String] {
        transactions(in: schemas).flatMap { schema, transaction -> [String] in
            // Changes of the schema touch all workers.
            if transaction.contains(where: \.statement.changesSchema) { return [] }
            var found: [String] = []
            var databases: Set<Substring> = []
            for entry in transaction where !entry.statement.isListing {
                found += Self.violations(of: entry, in: schema, &databases)
            }
            if databases.count > 1 {
                found.append("uses \(databases.sorted()): \(transaction.map(\.statement.text).joined(separator: "; "))")
            }
            return found
        }
    }

    /// Whether a statement is about all databases on purpose, outside of a transaction that changes something.
    fileprivate static func isListing(_ text: String) -> Bool {
        text.hasSuffix("cabinet_state WHERE writes > 0") || text.hasPrefix("ANALYZE")
            || text.hasSuffix("cabinet_state WHERE database = ANY($1::bigint[])")
            || strayRowSearches.contains(where: text.contains)
    }

    /// The parts of the statements by which a verification searches for rows of unknown databases.
    private static let strayRowSearches = [
        "cabinet_state WHERE database <= $1", "cabinet_state WHERE database > $1", "cabinet_state WHERE name = $1",
        " AND s.database IS NULL ",
    ]

    private static let coordinatorTables: Set = [
        "cabinet_column", "cabinet_database", "cabinet_layout", "cabinet_record_type", "cabinet_schema",
    ]
    fileprivate static let volatileFunctions = ["clock_timestamp(", "pg_notify(", "nextval(", "random("]
    fileprivate static let scopes = [
        "___database\" = $1", "database = $1", "SELECT $1", "VALUES ($1", "VALUES ($1::bigint",
    ]

    private static func violations(of entry: Entry, in schema: String, _ databases: inout Set<Substring>) -> [String] {
        let (statement, text) = (entry.statement, entry.statement.text)
        var found: [String] = []
        if statement.isVolatileChange { found.append("calls a volatile function: \(text)") }
        let tables = statement.tables(in: schema)
        let distributed = tables.subtracting(coordinatorTables)
        if distributed.isEmpty { return found }
        if distributed != tables { found.append("joins tables of the coordinator and of workers: \(text)") }
        let number = entry.parameters.hasPrefix("$1 = '") ? entry.parameters.dropFirst(6).prefix { $0.isNumber } : ""
        if number.isEmpty || !statement.isScoped {
            found.append("names no database: \(text) [\(entry.parameters)]")
        } else {
            databases.insert(number)
        }
        return found
    }
}
