import Cabinet
import SQLSupport

extension TransactionContext {
    /// Finds the references with a delete rule to some records, in one statement that searches the index of each reference.
    func references(to ids: [RecordID]) async throws -> [StoredReference] {
        guard let databaseID, !ids.isEmpty else { return [] }
        var zones: [Int64?] = []
        var names: [String?] = []
        for id in Set(ids) {
            guard let zone = try number(of: id.zoneID) else { continue }
            zones.append(zone)
            names.append(StoredText.encoded(id.recordName))
        }
        guard !names.isEmpty else { return [] }
        let columns = catalog.tables.flatMap(ReferenceColumn.all(of:))
        var parts = columns.indices.map { Self.search(columns[$0], number: $0) }
        if catalog.tables.contains(where: { !$0.fields.referenceLists.isEmpty }) {
            parts.append(
                """
                SELECT -1, w.zone, w.name, r.source, r.action, r.field FROM w CROSS JOIN LATERAL (\
                SELECT l.source, l.action, l.field FROM \(name("cabinet_list_reference")) AS l \
                WHERE l.database = $1 AND l.zone = w.zone AND l.target BETWEEN w.name AND w.name OFFSET 0) AS r
                """)
        }
        if parts.isEmpty { return [] }
        let found = try await connection.answer(
            """
            WITH w AS (SELECT v.zone, v.name COLLATE "C" AS name FROM unnest($2::bigint[], $3::text[]) AS v(zone, name)) \
            \(parts.joined(separator: " UNION ALL "))
            """, [.integer(databaseID), .integers(zones), .texts(names)])
        return try found.rows.map { row in
            guard let number = row.integer(0), let zone = row.integer(1).flatMap({ self.zones[$0] }),
                let target = row.text(2), let source = row.text(3),
                let action = row.integer(4).flatMap({ Reference.Action(rawValue: Int(clamping: $0)) })
            else { throw PostgresFailure.damaged("a reference has no target, no source, or an unknown action") }
            let place: StoredReference.Place
            if let field = row.text(5) {
                place = .field(StoredText.decoded(field), action: action)
            } else {
                place = columns.indices.contains(Int(number)) ? columns[Int(number)].place(action) : .parent
            }
            let id = RecordID(recordName: StoredText.decoded(source), zoneID: zone)
            return StoredReference(
                target: RecordID(recordName: StoredText.decoded(target), zoneID: zone), source: id, place: place)
        }
    }

    private static func search(_ column: ReferenceColumn<Table>, number: Int) -> String {
        // As in ``LookupQuery``, `OFFSET 0` keeps PostgreSQL from scanning the references of a whole database.
        """
        SELECT \(number), w.zone, w.name, r.source, r.action, NULL::text COLLATE "C" FROM w CROSS JOIN LATERAL (\
        SELECT t."___recordID" AS source, \(column.action) AS action FROM \(column.table.quoted) AS t \
        WHERE \(column.condition(target: "w.name", zone: "w.zone")) OFFSET 0) AS r
        """
    }
}
