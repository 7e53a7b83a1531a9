import Cabinet
import SQLSupport

/// The search for rows that no transaction can reach: those of zones and databases that do not exist.
///
/// Rows belong to a zone if `cabinet_zone` has its number, and to a database if `cabinet_state` and `cabinet_database` have it. A
/// transaction adds and removes them together, so each statement finds none of the rows of a transaction that commits during the
/// search. On Citus, too: it compares rows of one shard.
///
/// Verifying each database finds the rows of unknown databases whose numbers lie between it and the one before it, and, for the
/// last one, after it. So no verification of a database reads the rows of another.
struct StrayRows {
    private let database: DatabaseKey
    private let connection: Connection
    /// The quoted name of the schema.
    private let schema: String
    private let directory: DatabaseDirectory

    private static let advice = "Undo the change, or restore a backup."

    /// The tables whose rows have a zone, besides those of records, and whether they are derived from records.
    private static let zoneTables = [
        "cabinet_deletion": false, "cabinet_list_reference": true, "cabinet_asset_use": true,
    ]

    init(of database: DatabaseKey, in schemaCache: SchemaCache, on connection: Connection) {
        self.database = database
        self.connection = connection
        schema = schemaCache.schema.quoted
        directory = DatabaseDirectory(schema: schemaCache.schema)
    }

    /// Searches all tables.
    ///
    /// - Parameters:
    ///   - tables: The tables of records.
    ///   - issues: The list that receives the issues.
    func check(_ tables: [PhysicalTables.Table], _ issues: inout IssueList) throws {
        let number = try directory.number(of: database, on: connection)
        var known: [Int64] = []
        try issues.check("cabinet_database") { known = try checkDirectory(number, &$0) }
        guard let number, known.first == number else { return }
        let numbers = try unknownNumbers(between: known.dropFirst().first, and: number)
        var zonesOfRecords: Set<Int64> = []
        for table in tables {
            try issues.check("table \(table.name)") { issues in
                let columns = (database: #""___database""#, zone: #""___zone""#)
                let found = try rows(of: table.name, columns, number, numbers, issues.limit)
                zonesOfRecords.formUnion(found.zones.map(\.number))
                add(found, of: "table \(table.name)", number, isRepairable: false, &issues)
            }
        }
        for table in Layout.distributed where table != "cabinet_state" {
            try issues.check(table) { issues in
                let isDerived = Self.zoneTables[table]
                var found = try rows(
                    of: table, ("database", isDerived == nil ? nil : "zone"), number, numbers, issues.limit)
                // A repair derives these from the records, which it keeps.
                if isDerived == true { found.zones.removeAll { zonesOfRecords.contains($0.number) } }
                add(found, of: table, number, isRepairable: isDerived == true, &issues)
            }
        }
    }

    /// Returns the numbers of the database and the one before it in `cabinet_state`, and finds those that `cabinet_database` lacks.
    private func checkDirectory(_ number: Int64?, _ issues: inout IssueList) throws -> [Int64] {
        let (condition, parameter): (String, SQLValue) =
            number.map { ("database <= $1", .integer($0)) } ?? ("name = $1", .text(database.storedName))
        let states = try connection.query(
            "SELECT database, name FROM \(schema).cabinet_state WHERE \(condition) ORDER BY database DESC LIMIT 2",
            [parameter], isPrepared: false)
        // A number is added before the first row of its database. So those of all rows that were found exist by now.
        let lost = try connection.query(
            """
            SELECT s.database, s.name FROM unnest($1::bigint[], $2::text[]) AS s(database, name) WHERE NOT EXISTS (\
            SELECT FROM \(schema).cabinet_database AS d WHERE d.id = s.database AND d.name = s.name COLLATE "C")
            """, [.integers(states.rows.map { $0.integer(0) }), .texts(states.rows.map { $0.text(1) })],
            isPrepared: false)
        for row in lost.rows {
            issues.add(
                "cabinet_database lacks database \(row.integer(0) ?? 0), which is '\(row.text(1) ?? "")' in cabinet_state",
                Self.advice, false)
        }
        return states.rows.compactMap { $0.integer(0) }
    }

    /// Returns the ranges of numbers, without their ends, in which the unknown ones belong to the check of a database.
    private func unknownNumbers(between previous: Int64?, and number: Int64) throws -> [(Int64, Int64)] {
        let next = try connection.query(
            "SELECT database FROM \(schema).cabinet_state WHERE database > $1 ORDER BY database LIMIT 1",
            [.integer(number)], isPrepared: false)
        return [(previous ?? .min, number)] + (next.count > 0 ? [] : [(number, .max)])
    }
}

extension StrayRows {
    /// The numbers of rows, by zone and by database.
    private struct Found {
        var zones: [(number: Int64, count: Int64)] = []
        var databases: [(number: Int64, count: Int64)] = []
    }

    /// Returns the rows of a table that no transaction can reach.
    ///
    /// Only the parts of indexes with other zones than the default one are read, and with unknown databases.
    private func rows(
        of table: String, _ columns: (database: String, zone: String?), _ number: Int64, _ unknown: [(Int64, Int64)],
        _ limit: Int
    ) throws -> Found {
        var found = Found()
        let rows = "\(schema).\(SQLName.quoted(table)) AS t"
        let database = "t.\(columns.database)"
        // A transaction of its own keeps no lock of the table, and has no limit for large tables.
        try connection.begin("REPEATABLE READ READ ONLY")
        defer { try? connection.rollback() }
        try connection.enqueue("SET LOCAL statement_timeout = 0", isPrepared: false)
        if let zone = columns.zone.map({ "t.\($0)" }) {
            for condition in ["<", ">"] {
                try connection.enqueue(
                    """
                    SELECT \(zone), count(*) FROM \(rows) LEFT JOIN \(schema).cabinet_zone AS z \
                    ON z.database = $1 AND z.zone = \(zone) WHERE \(database) = $1 \
                    AND \(zone) \(condition) \(Layout.defaultZone) AND z.zone IS NULL GROUP BY 1 ORDER BY 1 LIMIT \(limit)
                    """, [.integer(number)], isPrepared: false
                ) { result in
                    found.zones += result.rows.map { ($0.integer(0) ?? 0, $0.integer(1) ?? 0) }
                }
            }
        }
        for (lower, upper) in unknown {
            try connection.enqueue(
                """
                SELECT \(database), count(*) FROM \(rows) LEFT JOIN \(schema).cabinet_state AS s \
                ON s.database = \(database) WHERE \(database) > $1 AND \(database) < $2 AND s.database IS NULL \
                GROUP BY 1 ORDER BY 1 LIMIT \(limit)
                """, [.integer(lower), .integer(upper)], isPrepared: false
            ) { result in
                found.databases += result.rows.map { ($0.integer(0) ?? 0, $0.integer(1) ?? 0) }
            }
        }
        try connection.withoutTimeout { try connection.flush() }
        return found
    }

    private func add(
        _ found: Found, of table: String, _ number: Int64, isRepairable: Bool, _ issues: inout IssueList
    ) {
        func rows(_ count: Int64) -> String { "\(count.counted("row")) in \(table)" }
        for zone in found.zones {
            issues.add(
                "cabinet_zone lacks zone \(zone.number) of database \(number), which has \(rows(zone.count))",
                Self.advice, isRepairable)
        }
        for database in found.databases {
            issues.add(
                "cabinet_state lacks database \(database.number), which has \(rows(database.count))", Self.advice, false
            )
        }
    }
}
