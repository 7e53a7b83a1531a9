import Cabinet
import CabinetTesting

/// A backend that indexes every field of every record type as soon as the field is added.
struct IndexingBackend: WrappingBackend {
    let base: any StorageBackend

    func write<Result: Sendable>(
        _ database: DatabaseKey, _ body: @escaping @Sendable (any StorageTransaction) async throws -> Result
    ) async throws -> Result {
        try await base.write(database) { transaction in
            let result = try await body(transaction)
            let schema = try await transaction.schema()
            try await transaction.apply(
                schema.recordTypes.compactMap { recordType, fields in
                    let indexes = Self.indexes(of: fields)
                    if recordType == "Users" || indexes == schema.indexes[recordType] ?? [] { return nil }
                    return .setIndexes(indexes, of: recordType)
                })
            return result
        }
    }

    /// Every index that fields of these types can have, and one compound index of the first sortable fields.
    private static func indexes(of fields: [Record.FieldKey: FieldType]) -> Set<StoredIndex> {
        var indexes: Set<StoredIndex> = [
            .queryable("recordID"), .queryable("modificationDate"), .sortable("modificationDate"),
            .sortable("creationDate"),
        ]
        var sortable: [Record.FieldKey] = []
        for (key, type) in fields where !type.isEncrypted {
            if type.scalar != .asset { indexes.insert(.queryable(key)) }
            if type == .string { indexes.insert(.searchable(key)) }
            if !type.isList, type.scalar != .asset, type.scalar != .location { sortable.append(key) }
        }
        indexes.formUnion(sortable.map(StoredIndex.sortable))
        if sortable.count > 1 { indexes.insert(.compound(Array(sortable.sorted().prefix(3)))) }
        return indexes
    }
}
