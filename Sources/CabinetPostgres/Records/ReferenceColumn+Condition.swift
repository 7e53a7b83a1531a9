import SQLSupport

extension ReferenceColumn<Table> {
    /// The number of the action of a reference in the row `t`; any number for the parent.
    var action: String { quotedAction.map { "t.\($0)" } ?? "0::smallint" }

    /// Returns the condition of the rows `t` of the database `$1` that refer to a target in a zone with a delete rule.
    ///
    /// If most records refer to one target, PostgreSQL expects `=` to find most records, and scans the table for each name. It expects
    /// a range to find few.
    func condition(target: String, zone: String) -> String {
        #"t."___database" = $1 AND t."___zone" = \#(zone) AND t.\#(name) BETWEEN \#(target) AND \#(target) "#
            + "AND t.\(name) IS NOT NULL" + (quotedAction.map { " AND t.\($0) <> 0" } ?? "")
    }
}
