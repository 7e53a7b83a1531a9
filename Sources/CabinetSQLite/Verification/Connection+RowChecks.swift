import Cabinet
import SQLSupport

/// Whether the rows of a table can be read, and are found by the IDs of their records.
extension Connection {
    /// Looks for rows whose system columns make no sense; fields are looked at by the core, record by record.
    func checkSystemColumns(of table: Table, _ damages: inout DamageList) throws {
        let isText = ["___recordID", "___createdBy", "___modifiedBy"].map { "typeof(\"\($0)\") <> 'text'" }
        let isNumber = ["___createTime", "___modTime"].map { "typeof(\"\($0)\") NOT IN ('real', 'integer')" }
        let others = [
            "typeof(\"___etag\") <> 'integer'", "typeof(\"___parent\") NOT IN ('text', 'null')",
            "\"___zone\" NOT IN (SELECT id FROM cabinet_zone)",
        ]
        let conditions = (isText + isNumber + others).joined(separator: " OR ")
        let statement = try Statement(
            "SELECT \"___insertion\", \"___recordID\" FROM \(table.quoted) WHERE \(conditions) LIMIT \(damages.limit)",
            on: handle)
        while try statement.step() {
            let name = statement.string(1).map { " ('\($0)')" } ?? ""
            damages.add(
                "row \(statement.int64(0)) of table \(table.name)\(name) has a system column that makes no sense",
                "Undo the change, or restore a backup.", false, type: table.recordType)
        }
    }

    /// Looks for records that are not found by their IDs, and for IDs of records that are not there.
    func checkLocations(of table: Table, _ damages: inout DamageList) throws {
        let lost = try Statement(
            """
            SELECT t."___insertion", t."___recordID", r.type = \(table.id) AND EXISTS (\(Self.row(of: table))) FROM \(table.quoted) AS t LEFT JOIN cabinet_record AS r \
            ON r.recordName = t."___recordID" AND r.zone = t."___zone" \
            WHERE r.row IS NOT t."___insertion" OR r.type <> \(table.id) LIMIT \(damages.limit)
            """, on: handle)
        while try lost.step() {
            let row = "row \(lost.int64(0)) of table \(table.name) ('\(lost.string(1) ?? "")')"
            if lost.int64(2) == 0 {
                damages.add("\(row) is not in cabinet_record", "", true, type: table.recordType)
            } else {
                // Which of the two rows is meant, nobody knows.
                damages.add(
                    "cabinet_record has another row under the ID of \(row)",
                    "If both are there, give one of them another ID.", false, type: table.recordType)
            }
        }
        let dangling = try Statement(
            """
            SELECT r.recordName, r.row FROM cabinet_record AS r WHERE r.type = \(table.id) AND NOT EXISTS (\
            \(Self.row(of: table))) LIMIT \(damages.limit)
            """, on: handle)
        while try dangling.step() {
            let name = dangling.string(0) ?? ""
            damages.add(
                "cabinet_record has the record '\(name)' in row \(dangling.int64(1)) of table \(table.name), which is not "
                    + "there or is another record's", "", true, type: table.recordType)
        }
    }

    /// Selects the row that an entry `r` of `cabinet_record` is about.
    static func row(of table: Table) -> String {
        """
        SELECT 1 FROM \(table.quoted) WHERE "___insertion" = r.row AND "___recordID" = r.recordName AND "___zone" = r.zone
        """
    }

    /// Looks for entries about record types that are not there.
    func checkStrayEntries(_ damages: inout DamageList) throws {
        for table in ["cabinet_record", "cabinet_list_reference", "cabinet_list_asset"] {
            let statement = try Statement(
                "SELECT count(*), min(type) FROM \(table) WHERE type NOT IN (SELECT id FROM cabinet_record_type)",
                on: handle)
            guard try statement.step(), statement.int64(0) > 0 else { continue }
            damages.add(
                "\(table) has \(statement.int64(0)) entries about the record type \(statement.int64(1)) or others, which do "
                    + "not exist", "", true)
        }
    }
}
