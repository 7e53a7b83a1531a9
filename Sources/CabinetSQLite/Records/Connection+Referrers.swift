import CSQLite
import Cabinet
import Foundation
import SQLSupport

// Deletions by set statements, which know the records of a cascade by their references and read none of them.
extension Connection {
    /// The largest number of columns with references that one statement counts.
    private static let mostColumns = 100

    /// Groups the records that refer to a record with a delete rule; returns `nil` if a type's records refer in different fields.
    func groups(referringTo id: RecordID) throws -> [ReferrerGroup]? {
        guard !catalog.isEmptyFile, let zone = try number(of: id.zoneID) else { return [] }
        let columns = catalog.tables.flatMap(ReferenceColumn.all(of:))
        // References in lists are in a table of their own, and few programs have them.
        guard try columns.count <= Self.mostColumns && !hasListReferences() else { return nil }
        let counts = columns.enumerated().map { position, column in
            "SELECT \(position), count(*), min(\(column.action)), max(\(column.action)) "
                + "FROM \(column.table.quoted) WHERE \(column.condition)"
        }
        let statement = try statements.statement(counts.joined(separator: " UNION ALL "))
        defer { statement.reset() }
        try statement.bind(id.recordName, at: 1)
        try statement.bind(zone, at: 2)
        var groups: [ReferrerGroup] = []
        while try statement.step() {
            let count = Int(statement.int64(1))
            if count == 0 { continue }
            let column = columns[Int(statement.int64(0))]
            guard statement.int64(2) == statement.int64(3),
                let action = Reference.Action(rawValue: Int(clamping: statement.int64(2))),
                groups.last?.recordType != column.table.recordType
            else { return nil }
            groups.append(
                ReferrerGroup(
                    target: id, recordType: column.table.recordType, place: column.place(action), count: count))
        }
        return groups
    }

    /// Whether a record may refer to one of a group's records.
    ///
    /// There are mostly fewer different targets of all records than records in a group. So each target is looked up in the
    /// group, unless there are more.
    func mayBeReferredTo(_ group: ReferrerGroup) throws -> Bool {
        let (column, zone) = try column(of: group)
        let isInGroup = """
            EXISTS (SELECT 1 FROM cabinet_record WHERE cabinet_record.zone = ?2 \
            AND cabinet_record.recordName = cabinet_target.name AND cabinet_record.type = \(column.table.id) \
            AND EXISTS (SELECT 1 FROM \(column.table.quoted) \
            WHERE "___insertion" = cabinet_record.row AND \(column.condition)))
            """
        let tests = catalog.tables.flatMap(ReferenceColumn.all(of:)).map { other in
            func next(_ condition: String) -> String {
                "SELECT (SELECT \(other.name) FROM \(other.table.quoted) WHERE \(other.name) \(condition) "
                    + "ORDER BY \(other.name) LIMIT 1)"
            }
            return """
                (WITH RECURSIVE cabinet_target(name) AS (\(next(">= ''")) UNION ALL \
                \(next("> cabinet_target.name")) FROM cabinet_target WHERE cabinet_target.name IS NOT NULL LIMIT ?3 + 1) \
                SELECT count(name) > ?3 OR total(\(isInGroup)) > 0 FROM cabinet_target)
                """
        }
        let statement = try statements.statement("SELECT " + tests.joined(separator: " OR "))
        defer { statement.reset() }
        try statement.bind(group.target.recordName, at: 1)
        try statement.bind(zone, at: 2)
        try statement.bind(Int64(group.count), at: 3)
        return try !statement.step() || statement.int64(0) != 0
    }

    /// Deletes the records of a group that were inserted first, and stores their tombstones.
    func delete(_ group: ReferrerGroup, count: Int, from number: Int64, date: Date) throws {
        let (column, zone) = try column(of: group)
        let table = column.table
        // Mostly the whole group is deleted at once.
        let isWhole = count == group.count
        let condition = column.condition + (isWhole ? "" : #" ORDER BY "___insertion" LIMIT ?3"#)
        let rows = #"SELECT "___insertion" FROM \#(table.quoted) WHERE \#(condition)"#
        func run(_ sql: String, _ bindMore: (Statement) throws -> Void = { _ in }) throws {
            let statement = try statements.statement(sql)
            try statement.bind(group.target.recordName, at: 1)
            try statement.bind(zone, at: 2)
            if !isWhole { try statement.bind(Int64(count), at: 3) }
            try bindMore(statement)
            try statement.run()
        }
        try run(
            """
            INSERT INTO cabinet_deletion (zone, sequence, recordName, type, date) \
            SELECT ?2, ?4 - 1 + row_number() OVER (ORDER BY "___insertion"), "___recordID", \(table.id), ?5 \
            FROM \(table.quoted) WHERE \(condition)
            """
        ) {
            try $0.bind(number, at: 4)
            try $0.bind(date.timeIntervalSinceReferenceDate, at: 5)
        }
        guard sqlite3_changes(handle.pointer) == count else {
            throw CabinetError(
                .internalError, "Fewer records than \(count) are left of the group.", recordID: group.target)
        }
        try removeNames(ofDeletions: number..<number + Int64(count), zone: zone)
        for sql in table.derivedDeletions(ofRows: rows) { try run(sql) }
        try run(
            "DELETE FROM \(table.quoted) WHERE " + (isWhole ? condition : #""___insertion" IN (\#(rows))"#))
        writeState.locations = writeState.locations.filter { $0.value.table.id != table.id }
        writeState.hasDeletions = true
        writeState.add(RecordChange(type: table.id, zone: zone, number: number + Int64(count) - 1))
    }

    private func hasListReferences() throws -> Bool {
        guard catalog.tables.contains(where: { !$0.fields.referenceLists.isEmpty }) else { return false }
        let statement = try statements.statement("SELECT EXISTS (SELECT 1 FROM cabinet_list_reference)")
        defer { statement.reset() }
        return try statement.step() && statement.int64(0) != 0
    }

    /// The column in which the records of a group refer to their target, and the number of the zone.
    private func column(of group: ReferrerGroup) throws -> (ReferenceColumn<Table>, zone: Int64) {
        let columns = catalog.tablesByType[group.recordType].map(ReferenceColumn.all(of:)) ?? []
        guard let column = columns.first(where: { $0.isPlace(group.place) }),
            let zone = try number(of: group.target.zoneID)
        else { throw CabinetError.noReferences(group) }
        return (column, zone)
    }
}
