import Cabinet
import Foundation
import SQLSupport

// Deletions by set statements, which know the records of a cascade by their references and read none of them.
extension TransactionContext {
    /// The largest number of columns with references that one statement counts.
    private static let mostColumns = 100

    /// Groups the records that refer to a record with a delete rule; returns `nil` if a type's records refer in different fields.
    func groups(referringTo id: RecordID) async throws -> [ReferrerGroup]? {
        guard let databaseID, let zone = try number(of: id.zoneID) else { return [] }
        let columns = catalog.tables.flatMap(ReferenceColumn.all(of:))
        // Citus does not run a statement that changes two tables as one.
        guard columns.count <= Self.mostColumns, !schemaCache.isDistributed else { return nil }
        var counts = columns.enumerated().map { position, column in
            "SELECT \(position), count(*), min(\(column.action)), max(\(column.action)) "
                + "FROM \(column.table.quoted) AS t WHERE \(column.condition(target: "$3", zone: "$2"))"
        }
        // References in lists are in a table of their own, and few programs have them.
        if catalog.tables.contains(where: { !$0.fields.referenceLists.isEmpty }) {
            let one = "SELECT FROM \(name("cabinet_list_reference")) WHERE database = $1 LIMIT 1"
            counts.append("SELECT -1, count(*), NULL::smallint, NULL::smallint FROM (\(one)) AS l")
        }
        if counts.isEmpty { return [] }
        let found = try await connection.answer(
            counts.joined(separator: " UNION ALL "),
            [.integer(databaseID), .integer(zone), .text(StoredText.encoded(id.recordName))])
        var groups: [ReferrerGroup] = []
        for row in found.rows {
            guard let count = row.integer(1), count > 0 else { continue }
            guard let column = row.integer(0).flatMap({ columns.indices.contains(Int($0)) ? columns[Int($0)] : nil }),
                let number = row.integer(2), number == row.integer(3),
                let action = Reference.Action(rawValue: Int(clamping: number)), column.table.assetColumns.isEmpty,
                !groups.contains(where: { $0.recordType == column.table.recordType })
            else { return nil }
            groups.append(
                ReferrerGroup(
                    target: id, recordType: column.table.recordType, place: column.place(action), count: Int(count)))
        }
        return groups
    }

    /// Whether a record may refer to one of a group's records.
    ///
    /// There are mostly fewer different targets of all records than records in a group. So each target is looked up in the
    /// group, unless there are more.
    func mayBeReferredTo(_ group: ReferrerGroup) async throws -> Bool {
        let (column, parameters) = try found(group)
        let isInGroup = """
            EXISTS (SELECT FROM \(column.table.quoted) AS t \
            WHERE \(column.condition(target: "$3", zone: "$2")) AND t."___recordID" = v.name)
            """
        let tests = catalog.tables.flatMap(ReferenceColumn.all(of:)).map { other in
            let name = "t.\(other.name)"
            func next(_ condition: String) -> String {
                """
                (SELECT \(name) FROM \(other.table.quoted) AS t \
                WHERE t."___database" = $1 AND t."___zone" = $2 AND \(condition) ORDER BY \(name) LIMIT 1)
                """
            }
            return """
                (WITH RECURSIVE target(name) AS (\(next("\(name) IS NOT NULL")) UNION ALL \
                SELECT \(next("\(name) > target.name")) FROM target WHERE target.name IS NOT NULL) \
                SELECT count(v.name) > $4 OR coalesce(bool_or(\(isInGroup)), false) \
                FROM (SELECT name FROM target LIMIT $4 + 1) AS v)
                """
        }
        let found = try await connection.answer(
            "SELECT " + tests.joined(separator: " OR "), parameters + [.integer(Int64(group.count))])
        return found.first?.boolean(0) != false
    }

    /// Deletes the records of a group that were inserted first, and stores their tombstones.
    func delete(_ group: ReferrerGroup, count: Int, from number: Int64, date: Date) throws {
        _ = try writableID()
        let (column, parameters) = try found(group)
        var condition = column.condition(target: "$3", zone: "$2")
        // Mostly the whole group is deleted at once.
        if count < group.count {
            condition += """
                 AND t."___insertion" <= (SELECT t."___insertion" FROM \(column.table.quoted) AS t WHERE \(condition) \
                ORDER BY t."___insertion" OFFSET \(count - 1) LIMIT 1)
                """
        }
        try connection.enqueue(
            """
            WITH deleted AS (DELETE FROM \(column.table.quoted) AS t WHERE \(condition) \
            RETURNING t."___recordID" AS name, t."___insertion" AS insertion) \
            INSERT INTO \(name("cabinet_deletion")) (database, zone, sequence, "recordName", "recordType", date) \
            SELECT $1, $2, $4 - 1 + row_number() OVER (ORDER BY insertion), name, $5, $6 FROM deleted
            """,
            parameters + [
                .integer(number), .text(StoredText.encoded(catalog.content.registeredName(of: group.recordType))),
                .double(date.timeIntervalSinceReferenceDate),
            ]
        ) { result in
            guard result.affectedCount == count else {
                throw CabinetError(
                    .internalError, "Fewer records than \(count) are left of the group.", recordID: group.target)
            }
        }
        row?.hasDeletions = true
    }

    /// Returns the column in which the records of a group refer to their target, and the first parameters of its condition.
    private func found(_ group: ReferrerGroup) throws -> (ReferenceColumn<Table>, [SQLValue]) {
        let columns = catalog.tablesByType[group.recordType].map(ReferenceColumn.all(of:)) ?? []
        guard let column = columns.first(where: { $0.isPlace(group.place) }), let databaseID,
            let zone = try number(of: group.target.zoneID)
        else { throw CabinetError.noReferences(group) }
        return (column, [.integer(databaseID), .integer(zone), .text(StoredText.encoded(group.target.recordName))])
    }
}
