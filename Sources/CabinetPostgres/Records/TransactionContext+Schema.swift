import Cabinet
import SQLSupport

/// Changes of the database's schema, in the current transaction.
///
/// The transaction changes only the row that refers to the database's schema. Missing tables, columns and indexes are created
/// first, and then the transaction is run again.
extension TransactionContext {
    /// Adds fields to a record type, and the type itself if it does not exist.
    ///
    /// - Throws: ``MissingSchema`` if a table or a column must be created first.
    func add(_ fields: [StoredField], to recordType: Record.RecordType) throws {
        _ = try writableID()
        var content = catalog.content
        content.add(fields, to: recordType)
        try change(to: content, MissingSchema(recordType, of: content))
    }

    /// Renames a record type, or a field of one, in this database.
    ///
    /// - Complexity: in the number of the record type's references in lists, if the field has some.
    func rename(_ part: SchemaPart, to newName: String) throws {
        let databaseID = try writableID()
        guard let table = catalog.tablesByType[part.recordType] else {
            throw CabinetError.noRecordType(part.recordType)
        }
        var content = catalog.content
        content.rename(part, to: newName)
        if let field = part.fieldKey, table.column(of: field)?.type == .list(of: .reference) {
            try connection.enqueue(
                """
                UPDATE \(name("cabinet_list_reference")) AS l SET field = $3 FROM \(table.quoted) AS t \
                WHERE l.database = $1 AND l.field = $2 AND t."___database" = $1 AND t."___zone" = l.zone \
                AND t."___recordID" = l.source
                """,
                [.integer(databaseID), .text(StoredText.encoded(field)), .text(StoredText.encoded(newName))])
        }
        try change(to: content, MissingSchema(part.fieldKey == nil ? newName : part.recordType, of: content))
    }

    /// Removes a record type without records, or a field without values, from this database.
    ///
    /// The table or column stays, for other databases and for a type or field of the same name.
    func remove(_ part: SchemaPart) throws {
        _ = try writableID()
        guard let indexes = catalog.tablesByType[part.recordType]?.indexes else { return }
        var content = catalog.content
        content.remove(part)
        let rest = content.schema.indexes[part.recordType] ?? []
        if rest != indexes { try setIndexes(rest, of: part.recordType) }
        try change(to: content, MissingSchema(part.recordType, of: content))
    }

    /// Replaces the indexes of a record type.
    ///
    /// - Throws: ``MissingSchema`` if an index must be created first.
    func setIndexes(_ indexes: Set<StoredIndex>, of recordType: Record.RecordType) throws {
        let databaseID = try writableID()
        guard let old = catalog.tablesByType[recordType] else {
            throw CabinetError.noRecordType(recordType)
        }
        guard old.indexes != indexes else { return }
        var content = catalog.content
        content.setIndexes(indexes, of: recordType)
        let requirement = MissingSchema(recordType, of: content, makesIndexes: true)
        // Another process drops an index that no committed schema requests. It waits until this schema is committed.
        try connection.enqueue(
            "SELECT pg_advisory_xact_lock_shared($1)", [.integer(schemaCache.schema.lockNumber)])
        let physical = try schemaCache.refreshPhysical(from: connection)
        guard let new = physical.catalog(id: 0, of: content, in: schemaName)?.tablesByType[recordType],
            try haveIndexes(new.built.names(tableID: new.id).subtracting(physical.indexes), of: recordType)
        else { throw requirement }
        try change(to: content, requirement)
        if !old.built.names(tableID: old.id).isSubset(of: new.built.names(tableID: new.id)) {
            write?.typesWithFewerIndexes.insert(content.registeredName(of: recordType))
        }
        if old.wordFields != new.wordFields { try rebuildWords(in: new, databaseID) }
    }

    /// Returns whether indexes without which the schema of a record type cannot be changed exist.
    ///
    /// If they were created for this transaction, they need not be complete, because another process may be building them.
    private func haveIndexes(_ incomplete: Set<String>, of recordType: Record.RecordType) throws -> Bool {
        if incomplete.isEmpty { return true }
        guard write?.indexesMade.contains(recordType) == true else { return false }
        let found = try query(
            "SELECT FROM unnest($2::text[]) AS v(name) WHERE to_regclass($1 || '.' || quote_ident(v.name)) IS NOT NULL",
            [.text(schemaName), .texts(Array(incomplete))], isPrepared: false)
        return found.count == incomplete.count
    }

    private func change(to content: DatabaseSchema, _ requirement: MissingSchema) throws {
        let physical = schemaCache.physical
        let changed =
            try physical.catalog(id: Self.unwritten, of: content, in: schemaName)
            ?? schemaCache.refreshPhysical(from: connection).catalog(id: Self.unwritten, of: content, in: schemaName)
        guard let changed else { throw requirement }
        catalog = changed
    }

    /// The number of a schema without a row.
    static let unwritten: Int64 = -1

    /// Finds the row of a changed schema, before the transaction ends.
    ///
    /// - Throws: ``MissingSchemaRow`` if the row must be added first.
    func writeSchema() throws {
        guard catalog.id == Self.unwritten else { return }
        let content = try catalog.content.content()
        for attempt in 0..<MissingSchemaRow.mostDigests {
            let digest = MissingSchemaRow.digest(of: content, attempt: attempt)
            let found = try query(
                "SELECT id, content FROM \(name("cabinet_schema")) WHERE digest = $1", [.text(digest)])
            guard let id = found.first?.integer(0), let known = found.first?.text(1) else { break }
            guard known.utf8.elementsEqual(content.utf8) else { continue }
            catalog = Catalog(id: id, content: catalog.content, tables: catalog.tables)
            row?.schema = id
            return
        }
        throw MissingSchemaRow(content: content)
    }

    /// Rebuilds the words of all records of a type.
    func rebuildWords(in table: Table, _ databaseID: Int64) throws {
        let update = """
            UPDATE \(table.quoted) AS t SET "___words" = v.words::tsvector \
            FROM unnest($2::bigint[], $3::text[], $4::text[]) AS v(zone, name, words) \
            WHERE t."___database" = $1 AND t."___zone" = v.zone AND t."___recordID" = v.name COLLATE "C"
            """
        var zones: [Int64?] = []
        var names: [String?] = []
        var words: [String?] = []
        func write() throws {
            try connection.enqueue(update, [.integer(databaseID), .integers(zones), .texts(names), .texts(words)])
            (zones, names, words) = ([], [], [])
        }
        let columns = table.built.words.map { "t.\(table.columns[$0].quoted)" }
        let selection = (["t.\"___zone\"", "t.\"___recordID\""] + columns).joined(separator: ", ")
        let rows = "SELECT \(selection) FROM \(table.quoted) AS t WHERE t.\"___database\" = $1"
        try forEachRow(of: rows, [.integer(databaseID)]) { row in
            guard let zone = row.integer(0), let name = row.text(1) else {
                throw PostgresFailure.damaged("table \(table.name) has a row without a zone or a name")
            }
            zones.append(zone)
            names.append(name)
            let texts = columns.indices.compactMap { row.text($0 + 2).map(StoredText.decoded) }
            words.append(SearchWords.vector(of: texts, databaseID))
            if zones.count >= 1000 { try write() }
            return true
        }
        if !zones.isEmpty { try write() }
    }
}
