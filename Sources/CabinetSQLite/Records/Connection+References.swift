import CSQLite
import Cabinet
import SQLSupport

extension ReferenceColumn<Table> {
    /// The number of the reference's action; any number for the parent.
    var action: String { quotedAction ?? "0" }

    /// The condition of the rows that refer to the target `?1` in the zone `?2` with a delete rule.
    var condition: String {
        #"\#(name) = ?1 AND +"___zone" = ?2"# + (quotedAction.map { " AND \($0) <> 0" } ?? "")
    }

    /// Selects the rows that refer to one target in one zone.
    var search: String {
        #"SELECT "___recordID", "___insertion", \#(action) FROM \#(table.quoted) WHERE \#(condition)"#
    }

    /// Selects the first target that does not come before a name.
    var nextTarget: String {
        "SELECT \(name) FROM \(table.quoted) WHERE \(name) >= ? ORDER BY \(name) LIMIT 1"
    }
}

extension Connection {
    /// Finds the records that refer to other records with a reference that has a delete rule.
    ///
    /// - Parameter found: Called with each record that refers to one of the given ones.
    func references(
        to ids: [RecordID], found: (RecordID, RecordLocation) -> Void = { _, _ in }
    ) throws -> [StoredReference] {
        guard !catalog.isEmptyFile else { return [] }
        var references: [StoredReference] = []
        let tables = catalog.tables
        for (zoneID, ids) in Dictionary(grouping: ids, by: \.zoneID) {
            guard let zone = try number(of: zoneID) else { continue }
            let targets = SkipScan(ids.map(\.recordName))
            for table in tables {
                for column in ReferenceColumn.all(of: table) {
                    try search(column, for: targets, zone: zone, zoneID) { source, reference, row in
                        references.append(reference)
                        found(source, RecordLocation(table: table, row: row))
                    }
                }
            }
            if tables.contains(where: { !$0.fields.referenceLists.isEmpty }) {
                references += try listReferences(to: targets, zone: zone, zoneID)
            }
        }
        return references
    }

    private func search(
        _ column: ReferenceColumn<Table>, for targets: SkipScan, zone: Int64, _ zoneID: RecordZone.ID,
        found: (RecordID, StoredReference, _ row: Int64) -> Void
    ) throws {
        let statement = try statements.statement(column.search)
        try targets.forEach(in: try statements.statement(column.nextTarget)) { target in
            defer { statement.reset() }
            try statement.bind(target, at: 1)
            try statement.bind(zone, at: 2)
            let targetID = RecordID(recordName: target, zoneID: zoneID)
            while try statement.step() {
                guard let name = statement.string(0),
                    let action = Reference.Action(rawValue: Int(clamping: statement.int64(2)))
                else {
                    throw SQLiteFailure.damaged(
                        path: path,
                        "row \(statement.int64(1)) of table \(column.table.name) has no ___recordID, or an unknown action "
                            + "in \(column.name)")
                }
                let source = RecordID(recordName: name, zoneID: zoneID)
                let reference = StoredReference(target: targetID, source: source, place: column.place(action))
                found(source, reference, statement.int64(1))
            }
        }
    }
}

// MARK: - References in lists

extension Connection {
    private func listReferences(
        to targets: SkipScan, zone: Int64, _ zoneID: RecordZone.ID
    ) throws -> [StoredReference] {
        let statement = try statements.statement(
            "SELECT type, row, field, action FROM cabinet_list_reference WHERE target = ? AND zone = ?")
        let next = try statements.statement(
            "SELECT target FROM cabinet_list_reference WHERE target >= ? ORDER BY target LIMIT 1")
        var references: [StoredReference] = []
        try targets.forEach(in: next) { target in
            defer { statement.reset() }
            try statement.bind(target, at: 1)
            try statement.bind(zone, at: 2)
            while try statement.step() {
                let table = try table(statement.int64(0))
                let row = statement.int64(1)
                guard let field = statement.string(2),
                    let action = Reference.Action(rawValue: Int(clamping: statement.int64(3))),
                    let source = try recordName(row: row, in: table)
                else {
                    throw SQLiteFailure.damaged(
                        path: path,
                        "cabinet_list_reference has a row about \(target) without a field, an action or a source")
                }
                references.append(
                    StoredReference(
                        target: RecordID(recordName: target, zoneID: zoneID),
                        source: RecordID(recordName: source, zoneID: zoneID),
                        place: .field(field, action: action)))
            }
        }
        return references
    }

    private func recordName(row: Int64, in table: Table) throws -> String? {
        let statement = try statements.statement(
            "SELECT \"___recordID\" FROM \(table.quoted) WHERE \"___insertion\" = ?")
        defer { statement.reset() }
        try statement.bind(row, at: 1)
        return try statement.step() ? statement.string(0) : nil
    }

    /// Adds the references with a delete rule in a record's lists to the table of list references.
    func insertListReferences(of record: StoredRecord, zone: Int64, row: Int64, in table: Table) throws {
        for position in table.fields.referenceLists {
            let field = table.columns[position].field
            guard case .list(.reference(let references)) = record.fields[field] else { continue }
            let statement = try statements.statement(
                "INSERT INTO cabinet_list_reference (target, zone, type, row, field, action) VALUES (?, ?, ?, ?, ?, ?)")
            for reference in references where reference.action != .none {
                try statement.bind(reference.recordID.recordName, at: 1)
                try statement.bind(zone, at: 2)
                try statement.bind(table.id, at: 3)
                try statement.bind(row, at: 4)
                try statement.bind(field, at: 5)
                try statement.bind(Int64(reference.action.rawValue), at: 6)
                try statement.run()
            }
        }
    }

    /// Removes the references in the lists of a row from the table of list references.
    func removeListReferences(row: Int64, in table: Table) throws {
        let statement = try statements.statement("DELETE FROM cabinet_list_reference WHERE type = ? AND row = ?")
        try statement.bind(table.id, at: 1)
        try statement.bind(row, at: 2)
        try statement.run()
    }
}
