import Cabinet
import SQLSupport

/// Checks of a table's rows and of the table that finds them by their records' IDs.
extension Connection {
    /// Finds rows with invalid system columns.
    ///
    /// The core checks the fields of each record.
    func checkSystemColumns(of table: Table, _ issues: inout IssueList) throws {
        let isText = ["___recordID", "___createdBy", "___modifiedBy"].map { "typeof(\"\($0)\") <> 'text'" }
        let isNumber = ["___createTime", "___modTime"].map { "typeof(\"\($0)\") NOT IN ('real', 'integer')" }
        let others = [
            "typeof(\"___etag\") <> 'integer'", "typeof(\"___parent\") NOT IN ('text', 'null')",
            "\"___zone\" NOT IN (SELECT id FROM cabinet_zone)",
        ]
        let conditions = (isText + isNumber + others).joined(separator: " OR ")
        let statement = try Statement(
            "SELECT \"___insertion\", \"___recordID\" FROM \(table.quoted) WHERE \(conditions) LIMIT \(issues.limit)",
            on: handle)
        while try statement.step() {
            let name = statement.string(1).map { " ('\($0)')" } ?? ""
            issues.add(
                "row \(statement.int64(0)) of table \(table.name)\(name) has an invalid value in a system column",
                "Undo the change, or restore a backup.", false, type: table.recordType)
        }
    }

    /// Finds records that are missing in `cabinet_record`, and entries there for records that do not exist.
    func checkLocations(of table: Table, _ issues: inout IssueList) throws {
        let lost = try Statement(
            """
            SELECT t."___insertion", t."___recordID", r.type = \(table.id) AND EXISTS (\(Self.row(of: table))) FROM \(table.quoted) AS t LEFT JOIN cabinet_record AS r \
            ON r.recordName = t."___recordID" AND r.zone = t."___zone" \
            WHERE r.row IS NOT t."___insertion" OR r.type <> \(table.id) LIMIT \(issues.limit)
            """, on: handle)
        while try lost.step() {
            let row = "row \(lost.int64(0)) of table \(table.name) ('\(lost.string(1) ?? "")')"
            if lost.int64(2) == 0 {
                issues.add("\(row) is not in cabinet_record", "", true, type: table.recordType)
            } else {
                // It is unknown which of the two rows is the record's.
                issues.add(
                    "cabinet_record has a different row for the ID of \(row)",
                    "If both rows exist, change the ID of one of them.", false, type: table.recordType)
            }
        }
        let dangling = try Statement(
            """
            SELECT r.recordName, r.row FROM cabinet_record AS r WHERE r.type = \(table.id) AND NOT EXISTS (\
            \(Self.row(of: table))) LIMIT \(issues.limit)
            """, on: handle)
        while try dangling.step() {
            let name = dangling.string(0) ?? ""
            issues.add(
                "cabinet_record has the record '\(name)' in row \(dangling.int64(1)) of table \(table.name), which does "
                    + "not exist or belongs to another record", "", true, type: table.recordType)
        }
    }

    /// Selects the row of an entry `r` of `cabinet_record`.
    static func row(of table: Table) -> String {
        """
        SELECT 1 FROM \(table.quoted) WHERE "___insertion" = r.row AND "___recordID" = r.recordName AND "___zone" = r.zone
        """
    }

    /// Finds entries for record types that do not exist, and deleted assets without a checksum.
    func checkStrayEntries(_ issues: inout IssueList) throws {
        for table in ["cabinet_record", "cabinet_list_reference", "cabinet_list_asset"] {
            let statement = try Statement(
                "SELECT count(*), min(type) FROM \(table) WHERE type NOT IN (SELECT id FROM cabinet_record_type)",
                on: handle)
            guard try statement.step(), statement.int64(0) > 0 else { continue }
            issues.add(
                "\(table) has \(statement.int64(0).counted("entry", "entries")) for record types that do not exist, such as "
                    + "\(statement.int64(1))", "", true)
        }
        let count = try number("SELECT count(*) FROM cabinet_abandoned_asset WHERE \(Self.hasNoChecksum)") ?? 0
        if count > 0 { issues.add("cabinet_abandoned_asset has \(count.counted("row")) without a checksum", "", true) }
    }

    /// The condition for rows of `cabinet_abandoned_asset` that name no file.
    static let hasNoChecksum = "typeof(checksum) <> 'text' OR length(checksum) <> 64 OR checksum GLOB '*[^0-9a-f]*'"
}
