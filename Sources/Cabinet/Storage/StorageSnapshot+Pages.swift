/// Reading by ID, and aggregates for backends without ``SnapshotAbilities/aggregates``.
extension StorageSnapshot {
    /// Loads records by ID.
    ///
    /// - Parameters:
    ///   - ids: The records' IDs; an ID may occur twice.
    ///   - keys: The fields to load, or `nil` for all.
    /// - Returns: The record for each ID, in the same order; `nil` if it is not stored.
    /// - Throws: The failures of ``load(_:)``.
    public func records(for ids: [RecordID], keys: [Record.FieldKey]?) async throws -> [StoredRecord?] {
        try await load(StorageKeys(records: ids, fields: keys)).records
    }

    /// Loads the record types, their fields and indexes.
    ///
    /// - Returns: The schema.
    /// - Throws: The failures of ``load(_:)``.
    public func schema() async throws -> StoredSchema {
        try await load(StorageKeys()).schema
    }

    /// Counts a plan's records.
    package func count(matching plan: QueryPlan) async throws -> Int {
        if let aggregates = abilities.aggregates { return try await aggregates.count(matching: plan) }
        return try await countFromPages(matching: plan)
    }

    /// Counts a plan's records, page by page.
    func countFromPages(matching plan: QueryPlan) async throws -> Int {
        var count = 0
        try await forEachPage(of: plan, reading: []) { _, page in count += page.count }
        return count
    }

    /// Computes one value of a field of a plan's records.
    package func value(
        of aggregate: Aggregate, over key: Record.FieldKey, matching plan: QueryPlan
    ) async throws -> FieldValue? {
        if let aggregates = abilities.aggregates {
            return try await aggregates.value(of: aggregate, over: key, matching: plan)
        }
        return try await valueFromPages(of: aggregate, over: key, matching: plan)
    }

    /// Counts a plan's records by the values of a field.
    package func counts(by key: Record.FieldKey, matching plan: QueryPlan) async throws -> [ValueCount] {
        if let aggregates = abilities.aggregates { return try await aggregates.counts(by: key, matching: plan) }
        return try await countsFromPages(by: key, matching: plan)
    }

    /// Explains how the backend would get a plan's records.
    func explanation(of plan: QueryPlan) async throws -> QueryExplanation {
        if let aggregates = abilities.aggregates { return try await aggregates.explanation(of: plan) }
        return QueryExplanation(pushedDown: nil, evaluated: plan.filter, access: [.scan], ordering: .sorted)
    }

    /// Computes an aggregate of a field from pages of a plan's records.
    ///
    /// Use this in ``StorageAggregates/value(of:over:matching:)`` for the plans that the backend cannot compute faster itself.
    /// The pages have no other field than this one.
    ///
    /// - Parameters:
    ///   - aggregate: The aggregate to compute.
    ///   - key: The field, or a system field, or a key path whose steps are single references.
    ///   - plan: The plan that selects the records.
    /// - Returns: The value of the aggregate; `nil` if it has none.
    /// - Throws: The failures of ``records(matching:)``.
    public func valueFromPages(
        of aggregate: Aggregate, over key: Record.FieldKey, matching plan: QueryPlan
    ) async throws -> FieldValue? {
        var accumulator = AggregateAccumulator(aggregate)
        try await forEachPage(of: plan, reading: [key]) { columns, _ in
            for value in columns[0] { try accumulator.add(value) }
        }
        return accumulator.result
    }

    /// Computes an aggregate for each value of another key from pages of records.
    func groups(
        of aggregate: Aggregate, over key: Record.FieldKey, by group: Record.FieldKey, matching plan: QueryPlan
    ) async throws -> [AggregateGroup] {
        var accumulator = GroupedAccumulator(aggregate)
        try await forEachPage(of: plan, reading: [key, group]) { columns, _ in
            for (value, group) in zip(columns[0], columns[1]) { try accumulator.add(value, to: group) }
        }
        return accumulator.groups
    }

    /// Counts a plan's records by the values of a field, from pages of records.
    ///
    /// Use this in ``StorageAggregates/counts(by:matching:)`` for the plans that the backend cannot count faster itself. The
    /// pages have no other field than this one.
    ///
    /// - Parameters:
    ///   - key: The field, or a system field, or a key path whose steps are single references.
    ///   - plan: The plan that selects the records.
    /// - Returns: The values with their counts, in the ascending order of a ``Sort``.
    /// - Throws: The failures of ``records(matching:)``.
    public func countsFromPages(by key: Record.FieldKey, matching plan: QueryPlan) async throws -> [ValueCount] {
        var tally = ValueCounter()
        try await forEachPage(of: plan, reading: [key]) { columns, _ in
            for value in columns[0] { tally.add(value) }
        }
        return tally.counts
    }

    /// Reads the values of keys from all records of a plan; each page is a column of values for each key.
    private func forEachPage(
        of plan: QueryPlan, reading keys: [Record.FieldKey], _ body: ([[FieldValue?]], [StoredRecord]) throws -> Void
    ) async throws {
        var plan = plan.scan(reading: keys)
        while true {
            let page = try await records(matching: plan)
            let columns = try await resolving(for: plan) { resolver in
                try keys.map { try page.values(of: $0, resolving: resolver) }
            }
            try body(columns, page)
            guard page.count == plan.limit, let last = page.last else { return }
            plan = try plan.continued(after: last)
        }
    }
}

extension [StoredRecord] {
    /// The records' values of a key.
    fileprivate func values(
        of key: Record.FieldKey, resolving resolver: CompiledFilter.Resolver
    ) throws -> [FieldValue?] {
        var reader = KeyReader(key)
        return try map { try reader.value(of: $0, resolving: resolver) }
    }
}

extension StorageSnapshot {
    /// Runs a closure repeatedly until all the records and counts that it requests have been fetched.
    ///
    /// The closure runs again for each step of the longest key path. Until a record is fetched, the resolver returns `nil` for
    /// it, and for a count 0.
    func resolving<Result>(
        for plan: QueryPlan, _ body: (CompiledFilter.Resolver) throws -> Result
    ) async throws -> Result {
        var known: [RecordID: StoredRecord?] = [:]
        var counts: [ReferringRecords: Int] = [:]
        while true {
            var missing: Set<RecordID> = []
            var uncounted: Set<ReferringRecords> = []
            let result = try body(
                CompiledFilter.Resolver { id in
                    if let record = known[id] { return record }
                    missing.insert(id)
                    return nil
                } counting: { records in
                    if counts[records] == nil { uncounted.insert(records) }
                    return counts[records] ?? 0
                })
            if missing.isEmpty, uncounted.isEmpty { return result }
            for records in uncounted { counts[records] = try await count(matching: plan.counting(records)) }
            let ids = Array(missing)
            for (id, record) in zip(ids, try await records(for: ids, keys: nil)) {
                known.updateValue(record, forKey: id)
            }
        }
    }
}
