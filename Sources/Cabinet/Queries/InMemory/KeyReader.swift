/// Reads the value of one key from many records.
struct KeyReader {
    private var order: RecordOrder

    /// - Parameter key: A field, a system field, or a key path through single references.
    init(_ key: Record.FieldKey) {
        order = RecordOrder([Sort(key)])
    }

    mutating func value(
        of record: StoredRecord, resolving resolver: CompiledFilter.Resolver
    ) throws -> FieldValue? {
        try order.position(of: record, resolving: resolver).values.first ?? nil
    }
}
