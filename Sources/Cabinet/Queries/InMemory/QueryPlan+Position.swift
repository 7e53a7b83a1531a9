extension QueryPlan {
    /// The fields that a backend must be asked for, so that a page has what the caller desires and what its position is
    /// made of.
    ///
    /// A page's position consists of its last record's sort keys, so they are fetched even if they are not desired.
    ///
    /// - Parameter desiredKeys: The fields that the caller desires, or `nil` for all.
    /// - Returns: The desired keys and the sort keys, none twice; `nil` for all.
    public func keysToFetch(for desiredKeys: [Record.FieldKey]?) -> [Record.FieldKey]? {
        order.keysToFetch(for: desiredKeys)
    }

    /// The place in the plan's order after a record.
    ///
    /// - Parameters:
    ///   - record: A record that has the plan's sort keys, as ``keysToFetch(for:)`` makes sure.
    ///   - resolver: Finds the records that references point to; asked only if the order has key paths. By default that fails.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if a key path cannot be followed, and what the resolver throws.
    public func position(
        after record: StoredRecord, resolving resolver: CompiledFilter.Resolver = CompiledFilter.noResolver
    ) throws -> QueryPosition {
        var order = RecordOrder(order)
        return try order.position(of: record, resolving: resolver)
    }
}

extension [Sort] {
    /// The fields that a plan in this order must ask for; see ``QueryPlan/keysToFetch(for:)``.
    func keysToFetch(for desiredKeys: [Record.FieldKey]?) -> [Record.FieldKey]? {
        guard let desiredKeys else { return nil }
        var seen: Set<Record.FieldKey> = []
        // Of a key path, the first step is the record's own.
        let sortKeys = compactMap { try? FieldPath($0.key).first }.filter { SystemField(rawValue: $0) == nil }
        return (desiredKeys + sortKeys).filter { seen.insert($0).inserted }
    }
}

extension StoredRecord {
    /// The record with some of its fields.
    ///
    /// - Parameter keys: The fields to keep, or `nil` for all.
    public func trimmed(to keys: [Record.FieldKey]?) -> StoredRecord {
        guard let keys, fields.isComplete || fields.names.names != keys else { return self }
        var record = self
        record.fields = fields.selecting(keys)
        return record
    }
}

extension [StoredRecord] {
    /// The records with some of their fields; they are not even looked at if all are wanted.
    func trimmed(to keys: [Record.FieldKey]?) -> [StoredRecord] {
        keys == nil ? self : map { $0.trimmed(to: keys) }
    }
}
