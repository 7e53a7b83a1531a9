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
    static func count(
        ofRowsIn source: String, named name: String, with list: SQLTerm, where condition: SQLCondition,
        referringTo target: RowTerms
    ) -> String {
        let targets = targets(of: list, in: source, named: name, where: condition)
        return "coalesce((WITH \"$n\" AS MATERIALIZED (SELECT zone, target, count(*) AS number FROM (\(targets)) "
            + "GROUP BY zone, target) SELECT number FROM \"$n\" WHERE target = \(target.name).\"___recordID\" "
            + "AND zone = \(target.name).\"___zone\"), 0)"
    }

    static func isAmong(
        rowsIn source: String, named name: String, with list: SQLTerm, where condition: SQLCondition,
        referredTo target: RowTerms
    ) -> String {
        let targets = targets(of: list, in: source, named: name, where: condition)
        return "(\(target.name).\"___zone\", \(target.name).\"___recordID\") IN (SELECT zone, target FROM (\(targets)))"
    }

    /// Returns a statement with the zone and name of each target of each row, once.
    private static func targets(
        of list: SQLTerm, in source: String, named name: String, where condition: SQLCondition
    ) -> String {
        "SELECT DISTINCT \(name).\"___insertion\", \(name).\"___zone\" AS zone, "
            + "json_extract(\"$e\".value, '$.name') AS target FROM \(source), json_each(\(list.text)) AS \"$e\" "
            + "WHERE \(condition.text)"
    }
}
