/// The laws of ``StorageSnapshot/records(matching:)`` and ``StorageSnapshot/count(matching:)`` as code.
extension QueryPlan {
    /// Returns the page that the plan requests, from records in memory.
    ///
    /// A backend that cannot filter or sort passes all its records. A backend that has evaluated a part of the filter passes
    /// the records that remain: any superset of those that match will do.
    ///
    /// - Parameters:
    ///   - records: Records with all their fields, in any order, which may include other types and zones.
    ///   - resolver: Returns the records that references point to. It is called only if the filter or the order has key
    ///     paths.
    /// - Returns: The first ``limit`` of the records that match and that come after ``position``, in the plan's order,
    ///   with the fields that ``keys`` names.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the filter cannot be evaluated for one of the records, and the
    ///   errors of ``CompiledFilter/matches(_:resolving:)``.
    /// - Complexity: O(*n* log ``limit``) in the number of records, and no more memory than for the page. If the plan is not
    ///   ordered, records after a full page are not read.
    public func page(
        of records: some Sequence<StoredRecord>, resolving resolver: CompiledFilter.Resolver = .none
    ) throws -> [StoredRecord] {
        var iterator = records.makeIterator()
        return try page(resolving: resolver) { iterator.next() }
    }

    /// Returns the number of records that match, independent of the page.
    ///
    /// - Parameters:
    ///   - records: Records with all their fields, in any order, which may include other types and zones.
    ///   - resolver: Returns the records that references point to. It is called only if the filter has key paths.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the filter cannot be evaluated for one of the records, and the
    ///   errors of ``CompiledFilter/matches(_:resolving:)``.
    /// - Complexity: O(*n*) in the number of records.
    public func count(
        in records: some Sequence<StoredRecord>, resolving resolver: CompiledFilter.Resolver = .none
    ) throws -> Int {
        try metered {
            var search = PlanSearch(self)
            var count = 0
            for record in records where try search.finds(record, resolving: resolver) { count += 1 }
            return count
        }
    }

    /// Returns an aggregate of the values of a key in all matching records, independent of the page.
    ///
    /// - Parameters:
    ///   - aggregate: The aggregate to compute.
    ///   - key: The field, system field, or key path.
    ///   - records: Records with all their fields, in any order, which may include other types and zones.
    ///   - resolver: Returns the records that references point to. It is called only if there are key paths.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the filter cannot be evaluated for one of the records, or if
    ///   one has a value that the aggregate does not accept.
    /// - Complexity: O(*n*) in the number of records, in constant memory.
    public func value(
        of aggregate: Aggregate, over key: Record.FieldKey, in records: some Sequence<StoredRecord>,
        resolving resolver: CompiledFilter.Resolver = .none
    ) throws -> FieldValue? {
        try metered {
            var search = PlanSearch(self)
            var reader = KeyReader(key)
            var accumulator = AggregateAccumulator(aggregate)
            for record in records where try search.finds(record, resolving: resolver) {
                try accumulator.add(try reader.value(of: record, resolving: resolver))
            }
            return accumulator.result
        }
    }

    /// Returns the number of matching records for each value of a key, independent of the page.
    ///
    /// - Parameters:
    ///   - key: The field, system field, or key path.
    ///   - records: Records with all their fields, in any order, which may include other types and zones.
    ///   - resolver: Returns the records that references point to. It is called only if there are key paths.
    /// - Returns: The counts in ascending order of the values, nil first.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the filter cannot be evaluated for one of the records.
    /// - Complexity: O(*n*) in the number of records, and memory for each value.
    public func counts(
        by key: Record.FieldKey, in records: some Sequence<StoredRecord>,
        resolving resolver: CompiledFilter.Resolver = .none
    ) throws -> [ValueCount] {
        try metered {
            var search = PlanSearch(self)
            var reader = KeyReader(key)
            var tally = ValueCounter()
            for record in records where try search.finds(record, resolving: resolver) {
                tally.add(try reader.value(of: record, resolving: resolver))
            }
            return tally.counts
        }
    }
}

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
