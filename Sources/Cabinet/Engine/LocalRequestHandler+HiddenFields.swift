extension LocalRequestHandler {
    /// Fills and empties the hidden fields of a large record type, in transactions of some records each.
    ///
    /// The transaction that changes the schema has few records left then. Until it adds the index, no plan reads the new fields; and
    /// indexes that are dropped are removed before their fields are emptied.
    ///
    /// - Parameter changes: Returns the changes of the database with the given schema.
    func changeHiddenFields(
        of recordType: Record.RecordType, in database: DatabaseKey,
        _ changes: @escaping @Sendable (StoredSchema, SchemaRules) throws(CabinetError) -> SchemaExtensionRule.Changes
    ) async throws {
        var position: QueryPosition?
        repeat {
            position = try await write(database) { [position] transaction, meter -> QueryPosition? in
                let stored = try await transaction.schema()
                let changes = try changes(stored, try await transaction.schemaRules())
                guard let change = changes.paths.first(where: { $0.recordType == recordType }) else { return nil }
                let plan = try QueryPlan(
                    holding: SchemaPart(recordType), in: stored, after: position, limit: LargeSchemaChange.pageSize)
                let page = try await transaction.records(matching: plan)
                let isLast = page.count < plan.limit
                let isSmall = position == nil && LargeSchemaChange.size(of: page) <= LargeSchemaChange.maximumSize
                // The transaction that changes the schema fills those of a small type.
                guard let last = page.last, !isLast || !isSmall else { return nil }
                var mutations: [StorageMutation] = []
                let missing = change.added.filter { stored.recordTypes[recordType]?[$0.hiddenKey] == nil }
                if !missing.isEmpty {
                    mutations.append(
                        .addFields(missing.map { StoredField(name: $0.hiddenKey, type: $0.type) }, to: recordType))
                }
                let indexes = stored.indexes[recordType] ?? []
                let kept = indexes.filter { index in Set([index]).indexedPaths.isDisjoint(with: change.removed) }
                if kept != indexes { mutations.append(.setIndexes(kept, of: recordType)) }
                try mutations += page.compactMap { record in try change.update(of: record) }
                try await transaction.apply(mutations, meter)
                return isLast ? nil : QueryPosition(values: [], insertionNumber: last.insertionNumber)
            }
        } while position != nil
    }
}

extension SchemaExtensionRule.PathChange {
    /// Returns the mutation that sets and empties the hidden fields of a record; `nil` if they do not change.
    func update(of record: StoredRecord) throws(CabinetError) -> StorageMutation? {
        var changed = record
        for path in added { changed.fields[path.hiddenKey] = try path.value(in: record.fields) }
        for path in removed { changed.fields[path.hiddenKey] = nil }
        return changed.fields == record.fields ? nil : .update(changed, replacing: record)
    }
}
