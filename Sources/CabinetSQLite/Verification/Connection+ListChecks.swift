import Cabinet
import SQLSupport

/// Checks of the tables that index references and assets in lists.
extension Connection {
    /// Compares the references in the lists of a table's rows with those in `cabinet_list_reference`.
    func checkListReferences(of table: Table, _ issues: inout IssueList) throws {
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
        try forEachRow(of: table.fields.referenceLists, in: table, skippingDamage: true) { row, record in
            guard issues.hasRoom, let zone = try number(of: record.recordID.zoneID) else { return }
            if try registered(row) == ListReference.counts(in: record, zone: zone) { return }
            issues.add(
                "cabinet_list_reference does not match the references in the lists of the record", "", true,
                record.recordID, type: table.recordType)
        }
        try checkStrayRows(in: "cabinet_list_reference", lists: table.fields.referenceLists, of: table, &issues)
    }

    /// Compares the assets in the lists of a table's rows with those in `cabinet_list_asset`.
    func checkListAssets(of table: Table, _ issues: inout IssueList) throws {
        let entries = try Statement("SELECT checksum FROM cabinet_list_asset WHERE type = ? AND row = ?", on: handle)
        func registered(_ row: Int64) throws -> Set<String> {
            defer { entries.reset() }
            try entries.bind(table.id, at: 1)
            try entries.bind(row, at: 2)
            var found: Set<String> = []
            while try entries.step() { found.insert(entries.string(0) ?? "") }
            return found
        }
        try forEachRow(of: table.assetLists, in: table, skippingDamage: true) { row, record in
            guard issues.hasRoom else { return }
            var held: Set<String> = []
            record.fields.forEach { _, value in
                guard case .list(.asset(let assets)) = value else { return }
                held.formUnion(assets.compactMap { $0.checksum?.description })
            }
            if try registered(row) == held { return }
            issues.add(
                "cabinet_list_asset does not match the assets in the lists of the record", "", true, record.recordID,
                type: table.recordType)
        }
        try checkStrayRows(in: "cabinet_list_asset", lists: table.assetLists, of: table, &issues)
    }

    /// Finds entries for rows that have no lists or do not exist.
    private func checkStrayRows(
        in entries: String, lists: [Int], of table: Table, _ issues: inout IssueList
    ) throws {
        let hasList = lists.map { "\(table.columns[$0].quoted) IS NOT NULL" } + ["0"]
        let stray = try Statement(
            """
            SELECT DISTINCT row FROM \(entries) WHERE type = \(table.id) AND row NOT IN (\
            SELECT "___insertion" FROM \(table.quoted) WHERE \(hasList.joined(separator: " OR "))) LIMIT \(issues.limit)
            """, on: handle)
        while try stray.step() {
            issues.add(
                "\(entries) has entries for row \(stray.int64(0)) of table \(table.name), which has no lists", "",
                true,
                type: table.recordType)
        }
    }
}

/// A row of `cabinet_list_reference`.
private struct ListReference: Hashable {
    let target: String
    let zone: Int64
    let field: String
    let action: Int64

    /// Returns the number of occurrences of each reference with a delete rule in a record's lists.
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
