import Cabinet

/// The look-up of records in one zone, by a statement that need not know the numbers of the database and of the zone.
struct LookupQuery {
    /// How many records are looked up, and how.
    private enum Kind {
        case one
        case several
        /// Several that are probably all new. Their names mostly begin with the time, so that no name in the table lies between the
        /// first and the last of them. The statement checks that before it looks up each name.
        case new
    }

    let values: [SQLValue]
    private let kind: Kind
    /// The conditions for the database and the zone.
    private let scope: String

    /// The least number of names for which that check pays off.
    private static let leastNew = 8

    /// - Parameter zoneID: The zone of the records; only the default zone has the same number in every database.
    init(_ names: [String], in zoneID: RecordZone.ID, of view: TransactionContext, mayBeNew: Bool) {
        var values = [SQLValue.text(view.storedName)]
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
                (SELECT zone FROM \(view.name("cabinet_zone")) WHERE database = \(view.databaseNumber) \
                AND "zoneName" = $\(values.count + 1) AND "ownerName" = $\(values.count + 2))
                """
            values += [.text(StoredText.encoded(zoneID.zoneName)), .text(StoredText.encoded(zoneID.ownerName))]
        }
        self.values = values
        scope = #""___database" = \#(view.databaseNumber) AND "___zone" = \#(zone)"#
    }

    /// The first and the last of some names in the order of PostgreSQL's collation "C".
    private static func ends(of names: [String]) -> (first: String, last: String)? {
        guard let first = names.min(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }),
            let last = names.max(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) })
        else { return nil }
        return (first, last)
    }

    /// The statement that looks up records in tables: their columns, the position of the name that each has, counted from one, and the
    /// position of its table.
    func statement(for lookup: LookupTables) -> String {
        lookup.parts.enumerated().map {
            "SELECT \($1.selection), \(number), \($0)::bigint \(source($1.table.quoted))"
        }.joined(separator: " UNION ALL ")
    }

    /// The statement that finds which of the names have a record, and in which of some tables: the positions of both.
    func location(in tables: [Table]) -> String {
        tables.enumerated().map { "SELECT \(number), \($0)::bigint \(source($1.quoted))" }
            .joined(separator: " UNION ALL ")
    }

    /// The position of a row's name among the names, counted from one.
    private var number: String { kind == .one ? "1::bigint" : "w.number" }

    /// The rows of a table with the names, each looked up by its key.
    ///
    /// `OFFSET 0` keeps PostgreSQL from making a join of it, and equality from reading all rows of a zone and comparing them with an
    /// array. It plans a prepared statement for a database of average size, or for a table of which it knows nothing yet, and would
    /// rather go through a whole database, of which one may be a thousand times larger than most. For the same reason the check reads
    /// the least name from the first one on, in order, instead of asking whether a name exists between two.
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
