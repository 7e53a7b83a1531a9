import CSQLite
import Cabinet

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
            "SELECT \"___row\", \"___recordID\" FROM \(table.quoted) WHERE \(conditions) LIMIT \(damages.limit)",
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
            SELECT t."___row", t."___recordID", r.row FROM \(table.quoted) AS t LEFT JOIN cabinet_record AS r \
            ON r.recordName = t."___recordID" AND r.zone = t."___zone" \
            WHERE r.row IS NOT t."___row" OR r.type <> \(table.id) LIMIT \(damages.limit)
            """, on: handle)
        while try lost.step() {
            let row = "row \(lost.int64(0)) of table \(table.name) ('\(lost.string(1) ?? "")')"
            if lost.kind(2) == SQLITE_NULL {
                damages.add("\(row) is not in cabinet_record", "", true, type: table.recordType)
            } else {
                // Which of the two rows is meant, nobody knows; unless the other one is not there, which is another finding.
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
        SELECT 1 FROM \(table.quoted) WHERE "___row" = r.row AND "___recordID" = r.recordName AND "___zone" = r.zone
        """
    }

    /// Looks for entries about record types that are not there.
    func checkStrayEntries(_ damages: inout DamageList) throws {
        for table in ["cabinet_record", "cabinet_list_reference"] {
            let statement = try Statement(
                "SELECT count(*), min(type) FROM \(table) WHERE type NOT IN (SELECT id FROM cabinet_record_type)",
                on: handle)
            guard try statement.step(), statement.int64(0) > 0 else { continue }
            damages.add(
                "\(table) has \(statement.int64(0)) entries about the record type \(statement.int64(1)) or others, which do "
                    + "not exist", "", true)
        }
    }

    /// Compares the references in the lists of a table's rows with those in `cabinet_list_reference`.
    func checkListReferences(of table: Table, _ damages: inout DamageList) throws {
        let entries = try Statement(
            "SELECT target, zone, field, action FROM cabinet_list_reference WHERE type = ? AND row = ?", on: handle)
        func registered(_ row: Int64) throws -> [ListReference: Int] {
            defer { entries.reset() }
            try entries.bind(table.id, at: 1)
            try entries.bind(row, at: 2)
            var found: [ListReference: Int] = [:]
            while try entries.step() {
                let entry = ListReference(
                    target: entries.string(0) ?? "", zone: entries.int64(1), field: entries.string(2) ?? "",
                    action: entries.int64(3))
                found[entry, default: 0] += 1
            }
            return found
        }
        try forEachRow(of: table.referenceLists, in: table, skippingDamage: true) { row, record in
            guard damages.hasRoom, let zone = try number(of: record.recordID.zoneID) else { return }
            if try registered(row) == ListReference.counts(in: record, zone: zone) { return }
            damages.add(
                "cabinet_list_reference does not have the references in the lists of the record", "", true,
                record.recordID, type: table.recordType)
        }
        let isEmpty = table.referenceLists.map { "\(table.columns[$0].quoted) IS NULL" } + ["1"]
        let stray = try Statement(
            """
            SELECT DISTINCT row FROM cabinet_list_reference WHERE type = \(table.id) AND row NOT IN (\
            SELECT "___row" FROM \(table.quoted) WHERE NOT (\(isEmpty.joined(separator: " AND ")))) \
            LIMIT \(damages.limit)
            """, on: handle)
        while try stray.step() {
            damages.add(
                "cabinet_list_reference has references of row \(stray.int64(0)) of table \(table.name), which has none",
                "",
                true, type: table.recordType)
        }
    }
}

/// A row of `cabinet_list_reference`.
private struct ListReference: Hashable {
    let target: String
    let zone: Int64
    let field: String
    let action: Int64

    /// How often a record has each reference with a delete rule in its lists.
    static func counts(in record: StoredRecord, zone: Int64) -> [ListReference: Int] {
        var counts: [ListReference: Int] = [:]
        record.fields.forEach { field, value in
            guard case .list(.reference(let references)) = value else { return }
            for reference in references where reference.action != .none {
                let entry = ListReference(
                    target: reference.recordID.recordName, zone: zone, field: field,
                    action: Int64(reference.action.rawValue))
                counts[entry, default: 0] += 1
            }
        }
        return counts
    }
}
