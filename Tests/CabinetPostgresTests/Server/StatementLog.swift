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

    /// A statement of a process of the server.
    struct Entry {
        let process: Substring
        var text: String
        var parameters = ""
    }

    private var entries: [Entry] = []

    /// Parses a log.
    init(_ log: String) {
        for message in log.split(separator: "\n@", omittingEmptySubsequences: true) {
            let parts = message.drop { $0 == "@" }.split(separator: "@", maxSplits: 1)
            guard parts.count == 2 else { continue }
            let (process, body) = (parts[0], parts[1])
            if let text = Self.text(after: "LOG:  execute ", in: body) {
                // The name of a prepared statement precedes its text.
                guard let colon = text.range(of: ": ") else { continue }
                let statement = text[colon.upperBound...].trimmingCharacters(in: .newlines)
                entries.append(Entry(process: process, text: statement))
            } else if let parameters = Self.text(after: "DETAIL:  parameters: ", in: body),
                let index = entries.lastIndex(where: { $0.process == process })
            {
                entries[index].parameters = String(parameters)
            }
        }
    }

    private static func text(after prefix: String, in body: Substring) -> Substring? {
        body.hasPrefix(prefix) ? body.dropFirst(prefix.count) : nil
    }

    /// Returns the transactions in schemas, each as its statements, and its schema.
    private func transactions(in schemas: Set<String>) -> [(schema: String, entries: [Entry])] {
        var open: [Substring: [Entry]] = [:]
        var found: [[Entry]] = []
        for entry in entries {
            if entry.text.hasPrefix("BEGIN") {
                open[entry.process] = []
            } else if ["COMMIT", "END", "ROLLBACK"].contains(entry.text) {
                found += open.removeValue(forKey: entry.process).map { [$0] } ?? []
            } else if open[entry.process] != nil {
                open[entry.process]?.append(entry)
            } else {
                found.append([entry])
            }
        }
        return (found + open.values).compactMap { entries in
            entries.lazy.compactMap { Self.schema(of: $0.text) }.first(where: schemas.contains).map { ($0, entries) }
        }
    }

    /// The first name in quotation marks that a dot follows.
    private static func schema(of text: String) -> String? {
        let parts = text.split(separator: "\"", omittingEmptySubsequences: false)
        let index = parts.indices.dropFirst().first { parts[$0].first == "." }
        return index.map { String(parts[$0 - 1]) }
    }

    /// The number of transactions in a schema.
    func transactionCount(in schema: String) -> Int { transactions(in: [schema]).count }

    /// Returns what Citus would refuse, or run on several workers.
    func violations(in schemas: Set<String>) -> [String] {
        transactions(in: schemas).flatMap { schema, transaction -> [String] in
            // Changes of the schema touch all workers.
            if transaction.contains(where: { $0.text.contains("pg_try_advisory_xact_lock") }) { return [] }
            var found: [String] = []
            var databases: Set<Substring> = []
            for entry in transaction where !Self.isListing(entry.text) {
                found += Self.violations(of: entry, in: schema, &databases)
            }
            if databases.count > 1 {
                found.append("uses \(databases.sorted()): \(transaction.map(\.text).joined(separator: "; "))")
            }
            return found
        }
    }

    /// Whether a statement is about all databases on purpose, outside of a transaction.
    private static func isListing(_ text: String) -> Bool {
        text.hasSuffix("cabinet_state WHERE writes > 0") || text.hasPrefix("ANALYZE")
            || text.hasSuffix("cabinet_state WHERE database = ANY($1::bigint[])")
    }

    private static let coordinatorTables: Set = [
        "cabinet_column", "cabinet_database", "cabinet_layout", "cabinet_record_type", "cabinet_schema",
    ]
    private static let volatileFunctions = ["clock_timestamp(", "pg_notify(", "nextval(", "random("]
    private static let scopes = [
        "___database\" = $1", "database = $1", "SELECT $1", "VALUES ($1", "VALUES ($1::bigint",
    ]

    private static func violations(of entry: Entry, in schema: String, _ databases: inout Set<Substring>) -> [String] {
        var tables: Set<String> = []
        for part in entry.text.components(separatedBy: "\"\(schema)\".").dropFirst() {
            tables.insert(String(part.prefix { $0.isLetter || $0 == "_" || $0 == "\"" }))
        }
        var found: [String] = []
        let isChange = ["INSERT", "UPDATE", "DELETE", "WITH"].contains { entry.text.hasPrefix($0) }
        if isChange, volatileFunctions.contains(where: entry.text.contains) {
            found.append("calls a volatile function: \(entry.text)")
        }
        let distributed = tables.subtracting(coordinatorTables)
        if distributed.isEmpty { return found }
        if distributed != tables { found.append("joins tables of the coordinator and of workers: \(entry.text)") }
        let number = entry.parameters.hasPrefix("$1 = '") ? entry.parameters.dropFirst(6).prefix { $0.isNumber } : ""
        if number.isEmpty || !scopes.contains(where: entry.text.contains) {
            found.append("names no database: \(entry.text) [\(entry.parameters)]")
        } else {
            databases.insert(number)
        }
        return found
    }
}
