import Cabinet
import SQLSupport

/// The rows that refer to a row: `SUBQUERY(Items.list, $item, TRUEPREDICATE).@count`.
extension SQLiteDialect {
    /// Every reference has an index; the plus sign keeps SQLite from that of the zone.
    static func rows(
        of table: Table, named name: String, whose reference: SQLTerm, refersTo target: RowTerms
    ) -> String {
        "\(table.quoted) AS \(name) WHERE \(reference.text) = \(target.name).\"___recordID\" "
            + "AND +\(name).\"___zone\" = \(target.name).\"___zone\""
    }

    static func rows(of table: Table, named name: String) -> String { "\(table.quoted) AS \(name)" }

    /// The numbers of all targets are computed once, because no index has the references in lists.
    static func count(of row: RowTerms, among targets: String) -> String {
        "coalesce((WITH \"$n\" AS MATERIALIZED (SELECT zone, target, count(*) AS number FROM (\(targets)) "
            + "GROUP BY zone, target) SELECT number FROM \"$n\" WHERE target = \(row.name).\"___recordID\" "
            + "AND zone = \(row.name).\"___zone\"), 0)"
    }

    static func targets(
        of list: SQLTerm, in source: String, named name: String, where condition: SQLCondition
    ) -> String {
        "SELECT DISTINCT \(name).\"___insertion\", \(name).\"___zone\" AS zone, "
            + "json_extract(\"$e\".value, '$.name') AS target FROM \(source), json_each(\(list.text)) AS \"$e\" "
            + "WHERE \(condition.text)"
    }
}
