import Cabinet

/// The records of one zone that are wanted.
struct Wanted {
    /// How many are asked for, and how.
    enum Kind {
        case one
        case several
        /// Several that may well all be new. Their names are mostly made of the time, so that a table has none between the first and
        /// the last of them; it is looked for one, before each of them is looked for.
        case new
    }

    let values: [SQLValue]
    let kind: Kind

    /// From so many records on it pays to find out first whether there may be some.
    private static let leastNew = 8

    init(database: Int64, zone: Int64, names: [String], mayBeNew: Bool) {
        let zone: [SQLValue] = [.integer(database), .integer(zone)]
        if names.count == 1 {
            kind = .one
            values = zone + [.text(names[0])]
        } else if mayBeNew, names.count >= Self.leastNew, let ends = Self.ends(of: names) {
            kind = .new
            values = zone + [.texts(names), .text(ends.first), .text(ends.last)]
        } else {
            kind = .several
            values = zone + [.texts(names)]
        }
    }

    /// The first and the last of some names in the order of PostgreSQL's collation "C".
    private static func ends(of names: [String]) -> (first: String, last: String)? {
        guard let first = names.min(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }),
            let last = names.max(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) })
        else { return nil }
        return (first, last)
    }

    func statement(for table: Table, _ decoder: RowDecoder, keys: [Record.FieldKey]?) -> String {
        if let all = keys == nil ? table.lookUp : keys?.isEmpty == true ? table.bareLookUp : nil {
            switch kind {
            case .one: return all.one
            case .several: return all.several
            case .new: return all.new
            }
        }
        return Self.statement(selecting: decoder.selection(from: "t"), from: table.quoted, kind)
    }

    /// The statement that looks up records: their columns, and which of the names each has, counted from one.
    static func statement(selecting selection: String, from table: String, _ kind: Kind) -> String {
        let number = if case .one = kind { "1::bigint" } else { "w.number" }
        return "SELECT \(selection), \(number) \(source(table, kind))"
    }

    /// The rows that are wanted of a table, each looked up by its key.
    ///
    /// `OFFSET 0` keeps PostgreSQL from making a join of it, and equality from reading all rows of a zone and comparing them with an
    /// array. It plans a prepared statement for a database of average size, or for a table of which it knows nothing yet, and would
    /// rather go through a whole database, of which one may be a thousand times larger than most. For the same reason the least name
    /// from the first one on is looked for by its order, and not whether there is one between two.
    static func source(_ table: String, _ kind: Kind) -> String {
        let zone = #""___database" = $1 AND "___zone" = $2"#
        if case .one = kind { return "FROM \(table) AS t WHERE \(zone) AND \"___recordID\" = $3" }
        let rows = """
            FROM unnest($3::text[]) WITH ORDINALITY AS w(name, number) CROSS JOIN LATERAL (\
            SELECT * FROM \(table) WHERE \(zone) AND "___recordID" = w.name COLLATE "C" OFFSET 0) AS t
            """
        guard case .new = kind else { return rows }
        return """
            \(rows) WHERE (SELECT "___recordID" FROM \(table) WHERE \(zone) AND "___recordID" >= $4 \
            ORDER BY "___recordID" LIMIT 1) <= $5
            """
    }
}
