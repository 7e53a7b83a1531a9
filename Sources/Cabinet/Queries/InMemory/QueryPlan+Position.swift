extension QueryPlan {
    /// Returns the fields to load for a page, so that it has the requested fields and those of its position.
    ///
    /// A page's position consists of its last record's sort keys, so they are fetched even if they are not requested.
    ///
    /// - Parameter desiredKeys: The fields that the caller requests, or `nil` for all.
    /// - Returns: The requested keys and the sort keys, without repetitions, or `nil` for all.
    public func keysToFetch(for desiredKeys: [Record.FieldKey]?) -> [Record.FieldKey]? {
        order.keysToFetch(for: desiredKeys).map { $0.adding(searches.fieldKeys) }
    }

    /// Returns the position after a record in the plan's order.
    ///
    /// - Parameters:
    ///   - record: A record with the plan's sort keys, which ``keysToFetch(for:)`` includes.
    ///   - resolver: Returns the records that references point to. It is called only if the order has key paths. The
    ///     default throws.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if a key path cannot be followed, and the errors of the
    ///   resolver.
    public func position(
        after record: StoredRecord, resolving resolver: CompiledFilter.Resolver = .none
    ) throws -> QueryPosition {
        var order = recordOrder
        return try order.position(of: record, resolving: resolver)
    }
}

extension QueryPlan {
    /// The order of the plan's records.
    var recordOrder: RecordOrder { RecordOrder(order, searches: searches) }
}

extension [Sort] {
    /// The fields that a plan in this order must ask for; see ``QueryPlan/keysToFetch(for:)``.
    func keysToFetch(for desiredKeys: [Record.FieldKey]?) -> [Record.FieldKey]? {
        guard let desiredKeys else { return nil }
        var seen: Set<Record.FieldKey> = []
        // Of a key path, the first step is the record's own.
        // That of the relevance is none; a plan adds the fields of its searches.
        let sortKeys = compactMap { try? FieldPath($0.key).first }.filter { SystemField(rawValue: $0) == nil }
        return (desiredKeys + sortKeys).filter { seen.insert($0).inserted }
    }
}

extension StoredRecord {
    /// Returns the record with some of its fields.
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
    /// Returns the records with some of their fields, or the array unchanged if all fields are requested.
    func trimmed(to keys: [Record.FieldKey]?) -> [StoredRecord] {
        keys == nil ? self : map { $0.trimmed(to: keys) }
    }
}

extension Record {
    /// Returns the record with some of its fields.
    func trimmed(to keys: [FieldKey]?) -> Record {
        guard keys != nil, let stored = unchanged else { return self }
        return Record(stored.trimmed(to: keys))
    }
}

extension [Record] {
    /// Returns the records with some of their fields, or the array unchanged if all fields are requested.
    func trimmed(to keys: [Record.FieldKey]?) -> [Record] {
        keys == nil ? self : map { $0.trimmed(to: keys) }
    }
}
