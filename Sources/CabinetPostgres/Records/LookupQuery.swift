import Cabinet

/// A lookup of records in one zone, whose statement does not need the number of the zone.
struct LookupQuery {
    /// The kinds of lookup, by the number of records.
    private enum Kind {
        case one
        case several
        /// Several records that are probably all new. Their names usually begin with the time, so that the table has no name
        /// between the first and the last of them. The statement checks that before it looks up each name.
        case new
    }

    let values: [SQLValue]
    private let kind: Kind
    /// The conditions for the database and the zone.
    private let scope: String

    /// The smallest number of names for which that check pays off.
    private static let leastNew = 8

    /// Creates a lookup.
    ///
    /// - Parameters:
    ///   - names: The stored names of the records.
    ///   - zoneID: The zone of the records; only the default zone has the same number in every database.
    ///   - databaseID: The number of the database.
    ///   - zones: The qualified name of the table of zones.
    ///   - mayBeNew: Whether the records may be new.
    init(_ names: [String], in zoneID: RecordZone.ID, of databaseID: Int64, zones: String, mayBeNew: Bool) {
        var values = [SQLValue.integer(databaseID)]
        if names.count == 1 {
            kind = .one
            values.append(.text(names[0]))
        } else if mayBeNew, names.count >= Self.leastNew, let ends = Self.ends(of: names) {
            kind = .new
            values += [.texts(names), .text(ends.first), .text(ends.last)]
        } else {
            kind = .several
            values.append(.texts(names))
        }
        var zone = "\(Layout.defaultZone)"
        if zoneID != .default {
            zone = """
                (SELECT zone FROM \(zones) WHERE database = $1 \
                AND "zoneName" = $\(values.count + 1) AND "ownerName" = $\(values.count + 2))
                """
            values += [.text(StoredText.encoded(zoneID.zoneName)), .text(StoredText.encoded(zoneID.ownerName))]
        }
        self.values = values
        scope = #""___database" = $1 AND "___zone" = \#(zone)"#
    }

    /// Returns the first and the last of some names in the order of PostgreSQL's collation "C".
    private static func ends(of names: [String]) -> (first: String, last: String)? {
        guard let first = names.min(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }),
            let last = names.max(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) })
        else { return nil }
        return (first, last)
    }

    /// Returns the statement that looks up records: their columns, then the position of the name, counted from one, and that of
    /// the table.
    func statement(for lookup: LookupTables) -> String {
        lookup.parts.enumerated().map {
            "SELECT \($1.selection), \(number), \($0)::bigint \(source($1.table.quoted))"
        }.joined(separator: " UNION ALL ")
    }

    /// Returns the statement that finds which names have a record in which tables: the positions of both.
    func location(in tables: [Table]) -> String {
        tables.enumerated().map { "SELECT \(number), \($0)::bigint \(source($1.quoted))" }
            .joined(separator: " UNION ALL ")
    }

    /// The position of a row's name, counted from one.
    private var number: String { kind == .one ? "1::bigint" : "w.number" }

    /// Returns the rows of a table with the names, each looked up by its key.
    ///
    /// PostgreSQL plans a prepared statement for a database of average size, or for a table without statistics. For such a
    /// table it would scan a whole database, although one may be a thousand times larger than most. `OFFSET 0` prevents a join.
    /// Equality prevents reading all rows of a zone and comparing them with an array. For the same reason, the check reads the
    /// least name that follows the first one, in order, instead of asking whether a name between the two exists.
    private func source(_ table: String) -> String {
        if kind == .one { return "FROM \(table) AS t WHERE \(scope) AND \"___recordID\" = $2" }
        let rows = """
            FROM unnest($2::text[]) WITH ORDINALITY AS w(name, number) CROSS JOIN LATERAL (\
            SELECT * FROM \(table) WHERE \(scope) AND "___recordID" = w.name COLLATE "C" OFFSET 0) AS t
            """
        guard kind == .new else { return rows }
        return """
            \(rows) WHERE (SELECT "___recordID" FROM \(table) WHERE \(scope) AND "___recordID" >= $3 \
            ORDER BY "___recordID" LIMIT 1) <= $4
            """
    }
}
