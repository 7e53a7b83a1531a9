import Cabinet
import SQLSupport

/// The rows that refer to a row: `SUBQUERY(Items.list, $item, TRUEPREDICATE).@count`.
extension PostgresDialect {
    /// The index of the reference has the database, the zone and the target.
    static func rows(
        of table: Table, named name: String, whose reference: SQLTerm, refersTo target: RowTerms
    ) -> String {
        "\(rows(of: table, named: name)) AND \(name).\"___zone\" = \(target.name).\"___zone\" "
            + "AND \(reference.text) = \(target.name).\"___recordID\""
    }

    static func rows(of table: Table, named name: String) -> String {
        "\(table.quoted) AS \(name) WHERE \(name).\"___database\" = \(SQLBuilder.database)"
    }

    /// The numbers of all targets are computed once, because no index has the references in lists.
    ///
    /// A subquery with a row for each target would be computed for each row. An object is searched by its keys.
    static func count(of row: RowTerms, among targets: String) -> String {
        "coalesce(CAST((SELECT jsonb_object_agg(target, number) FROM (SELECT zone || ':' || target AS target, "
            + "count(*) AS number FROM (\(targets)) AS \"$t\" GROUP BY zone, target) AS \"$n\") ->> "
            + "(\(row.name).\"___zone\" || ':' || \(row.name).\"___recordID\") AS bigint), 0)"
    }

    static func targets(
        of list: SQLTerm, in source: String, named name: String, where condition: SQLCondition
    ) -> String {
        // The comma of FROM stands before the first WHERE.
        "SELECT DISTINCT \(name).\"___insertion\", \(name).\"___zone\" AS zone, \"$e\".target FROM "
            + "(SELECT * FROM \(source) AND (\(condition.text))) AS \(name), unnest(\(list.text)) AS \"$e\"(target) "
            + "WHERE \"$e\".target IS NOT NULL"
    }
}
