/// What the core does for a backend that cannot do better.
extension StorageSnapshot {
    /// Returns `nil` for every number: the store cannot be put back.
    public func timelines(of numbers: [Int64]) async throws -> [Int64?] {
        Array(repeating: nil, count: numbers.count)
    }

    /// Computes one value of a field of a query's records, which are fetched page by page.
    public func value(
        of aggregate: Aggregate, over key: Record.FieldKey, matching plan: QueryPlan
    ) async throws -> FieldValue? {
        try await valueFromPages(of: aggregate, over: key, matching: plan)
    }

    /// Counts a query's records by the values of a field; they are fetched page by page.
    public func counts(by key: Record.FieldKey, matching plan: QueryPlan) async throws -> [ValueCount] {
        try await countsFromPages(by: key, matching: plan)
    }

    /// What ``value(of:over:matching:)`` is by default, for a backend that can do better for some plans only.
    public func valueFromPages(
        of aggregate: Aggregate, over key: Record.FieldKey, matching plan: QueryPlan
    ) async throws -> FieldValue? {
        try plan.validate(aggregate, over: key)
        var accumulator = AggregateAccumulator(aggregate)
        try await forEachPage(of: plan, reading: [key]) { columns in
            for value in columns[0] { try accumulator.add(value) }
        }
        return accumulator.result
    }

    /// Computes an aggregate for each value of another key; records are fetched page by page.
    func groups(
        of aggregate: Aggregate, over key: Record.FieldKey, by group: Record.FieldKey, matching plan: QueryPlan
    ) async throws -> [AggregateGroup] {
        var accumulator = GroupedAccumulator(aggregate)
        try await forEachPage(of: plan, reading: [key, group]) { columns in
            for (value, group) in zip(columns[0], columns[1]) { try accumulator.add(value, to: group) }
        }
        return accumulator.groups
    }

    /// What ``counts(by:matching:)`` is by default, for a backend that can do better for some plans only.
    public func countsFromPages(by key: Record.FieldKey, matching plan: QueryPlan) async throws -> [ValueCount] {
        try plan.validateGrouping(by: key)
        var tally = ValueTally()
        try await forEachPage(of: plan, reading: [key]) { columns in
            for value in columns[0] { tally.add(value) }
        }
        return tally.counts
    }

    /// Tells that every record of the type is looked at, and the rest is done afterwards.
    public func explanation(of plan: QueryPlan) async throws -> QueryExplanation {
        QueryExplanation(pushedDown: nil, evaluated: plan.filter, access: [.scan], ordering: .sorted)
    }

    /// Reads the values of keys from all records of a plan, some at a time; each page is a column of values for each key.
    private func forEachPage(
        of plan: QueryPlan, reading keys: [Record.FieldKey], _ body: ([[FieldValue?]]) throws -> Void
    ) async throws {
        var plan = plan
        plan.order = keys.map { Sort($0) }
        // What must be fetched for the keys is what must be fetched to sort by them; no order is the cheapest.
        plan.keys = plan.keysToFetch(for: [])
        plan.order = []
        plan.position = nil
        plan.limit = 1000
        while true {
            let page = try await records(matching: plan)
            try body(try await resolving { resolver in try keys.map { try page.values(of: $0, resolving: resolver) } })
            guard page.count == plan.limit, let last = page.last else { return }
            plan.position = try plan.position(after: last)
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
    /// Runs a closure, which asks for records by ID, until all that it asks for have been fetched.
    ///
    /// The closure is run once more for each step of the longest key path. Records that were not fetched yet are nil meanwhile.
    func resolving<Result>(_ body: (CompiledFilter.Resolver) throws -> Result) async throws -> Result {
        var known: [RecordID: StoredRecord?] = [:]
        while true {
            var missing: Set<RecordID> = []
            let result = try body { id in
                if let record = known[id] { return record }
                missing.insert(id)
                return nil
            }
            if missing.isEmpty { return result }
            let ids = Array(missing)
            for (id, record) in zip(ids, try await records(for: ids, keys: nil)) {
                known.updateValue(record, forKey: id)
            }
        }
    }
}
