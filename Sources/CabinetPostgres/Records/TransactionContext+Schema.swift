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
        var schema = catalog.schema
        var known = schema.recordTypes[recordType] ?? [:]
        for field in fields where known[field.name] == nil { known[field.name] = field.type }
        schema.recordTypes[recordType] = known
        let requirement = MissingSchema(
            recordType: recordType, fields: known.map { StoredField(name: $0.key, type: $0.value) })
        try change(to: schema, requirement)
    }

    /// Replaces the indexes of a record type.
    ///
    /// - Throws: ``MissingSchema`` if an index must be created first.
    func setIndexes(_ indexes: Set<StoredIndex>, of recordType: Record.RecordType) throws {
        let databaseID = try writableID()
        guard let old = catalog.tablesByType[recordType] else {
            throw CabinetError(.invalidArguments, "The schema has no record type '\(recordType)'.")
        }
        guard old.indexes != indexes else { return }
        var schema = catalog.schema
        schema.indexes[recordType] = indexes.isEmpty ? nil : indexes
        let requirement = MissingSchema(
            recordType: recordType, indexes: (indexes, catalog.schema.recordTypes[recordType] ?? [:]))
        let physical = try catalogs.refreshPhysical(from: connection)
        guard let new = physical.catalog(id: 0, of: schema, in: schemaName)?.tablesByType[recordType],
            write?.indexesMade.contains(recordType) == true
                || new.built.names(tableID: new.id).isSubset(of: physical.indexes)
        else { throw requirement }
        try change(to: schema, requirement)
        if !old.built.names(tableID: old.id).isSubset(of: new.built.names(tableID: new.id)) {
            write?.typesWithFewerIndexes.insert(recordType)
        }
        if old.wordFields != new.wordFields { try rebuildWords(in: new, databaseID) }
    }

    private func change(to schema: StoredSchema, _ requirement: MissingSchema) throws {
        let physical = catalogs.physical
        let changed =
            try physical.catalog(id: Self.unwritten, of: schema, in: schemaName)
            ?? catalogs.refreshPhysical(from: connection).catalog(id: Self.unwritten, of: schema, in: schemaName)
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
        let content = try catalog.schema.content()
        for attempt in 0..<MissingSchemaRow.mostDigests {
            let digest = MissingSchemaRow.digest(of: content, attempt: attempt)
            let found = try query(
                "SELECT id, content FROM \(name("cabinet_schema")) WHERE digest = $1", [.text(digest)])
            guard let id = found.first?.integer(0), let known = found.first?.text(1) else { break }
            guard known.utf8.elementsEqual(content.utf8) else { continue }
            catalog = Catalog(id: id, schema: catalog.schema, tables: catalog.tables)
            row?.schema = id
            return
        }
        throw MissingSchemaRow(content: content)
    }

    /// Rebuilds the words of all records of a type.
    private func rebuildWords(in table: Table, _ databaseID: Int64) throws {
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
