import Cabinet
import SQLSupport

extension Table {
    /// A B-tree index of a table.
    struct Index {
        /// The name that the index has if neither the table nor a column was renamed after its creation.
        ///
        /// SQLite cannot rename an index. So another index can have the name.
        let name: String
        /// The table, the columns and the condition, as the statement that creates the index ends.
        let target: String
    }

    /// The index by zone, which has the records of a zone in the order of their insertion, because an index of SQLite ends
    /// with the row's number.
    ///
    /// The table itself has the records of the default zone in this order. So the index is created with the first record
    /// in another zone.
    var zoneIndex: Index { index("zone", #""___zone""#) }

    /// The indexes that every table has: by the last change, and by the parent.
    var generalIndexes: [Index] {
        [changeIndex, index("parent", #""___parent""#, where: #""___parent" IS NOT NULL"#)]
    }

    /// The index by the last change, which has only the rows that changed after their insertion.
    ///
    /// The number of a row is that of the change that inserted it. So the table has the other rows in the order of their
    /// changes, and their insertion writes to one tree less.
    var changeIndex: Index { index("change", #""___zone", "___etag""#, where: #""___etag" <> "___insertion""#) }

    /// Returns a query for the rows of a zone by their last changes.
    ///
    /// It has two parts: the rows in ``changeIndex``, and the others from the table, or from its index by zone. In the
    /// second part, the number of the last change is the row's own, so SQLite need not sort the rows to merge the parts.
    ///
    /// - Parameters:
    ///   - selection: The columns of the result.
    ///   - zone: The parameter with the number of the zone.
    ///   - bounds: Returns the condition on a column with sequence numbers.
    func changes(
        selecting selection: String, inZone zone: String, where bounds: (_ column: String) -> String
    ) -> String {
        let zone = #""___zone" = \#(zone)"#
        return """
            SELECT \(selection) FROM \(quoted) \
            WHERE \(zone) AND \(bounds(#""___etag""#)) AND "___etag" <> "___insertion" \
            UNION ALL SELECT \(selection.replacing(#""___etag""#, with: #""___insertion""#)) FROM \(quoted) \
            WHERE \(hasZoneIndex ? "" : "+")\(zone) AND \(bounds(#""___insertion""#)) AND "___etag" = "___insertion"
            """
    }

    /// Returns a query for a page of rows in the order of their last changes.
    ///
    /// Its parameters are the number of a zone, the two numbers between which the changes are, and their limit.
    func pageOfChanges(selecting selection: String) -> String {
        changes(selecting: selection, inZone: "?1") { "\($0) > ?2 AND \($0) < ?3" }
            + #" ORDER BY "___etag" LIMIT ?4"#
    }

    /// Returns the index for searches by the reference or asset in a column; `nil` for columns of other types.
    func index(of column: Column) -> Index? {
        guard column.type == .reference || column.type == .asset else { return nil }
        let purpose = column.type == .asset ? "asset" : "reference"
        return index(purpose, column.quoted, of: ".\(column.name)", where: "\(column.quoted) IS NOT NULL")
    }

    /// The indexes of the schema.
    var askedIndexes: [Index] {
        indexes(for: indexes).trees.sorted { $0.key < $1.key }.map { index($0, on: $1) }
    }

    /// Returns an index of the schema.
    func index(_ name: String, on columns: [String]) -> Index {
        Index(name: name, on: self, columns.joined(separator: ", "))
    }

    /// Returns an index with a prefix for its purpose, which is reserved so that it differs from every table's name.
    private func index(
        _ purpose: String, _ columns: String, of suffix: String = "", where condition: String? = nil
    ) -> Index {
        Index(name: "cabinet_\(purpose)_\(name)\(suffix)", on: self, columns, where: condition)
    }
}

extension Table.Index {
    fileprivate init(name: String, on table: Table, _ columns: String, where condition: String? = nil) {
        self.name = name
        let end = condition.map { " WHERE \($0)" } ?? ""
        target = "\(table.quoted)(\(columns))\(end)"
    }
}
