/// What the laws of ``StorageSnapshot/records(matching:)`` and ``StorageSnapshot/count(matching:)`` mean, as code.
extension QueryPlan {
    /// The page that the plan asks for.
    ///
    /// A backend that cannot filter or sort calls it with its records; one that can do a part leaves out what it has
    /// done.
    ///
    /// - Parameters:
    ///   - records: Records with all their fields, in any order; of other types and zones too.
    ///   - resolver: Finds the records that references point to; asked only if the filter or the order has key paths.
    /// - Returns: The first ``limit`` of the records that match and that come after ``position``, in the plan's order,
    ///   with the fields that ``keys`` names.
    /// - Throws: ``CabinetError/Code/invalidArguments``, as ``validate()`` does, or if the filter cannot be evaluated
    ///   for one of the records; and what ``CompiledFilter/matches(_:resolving:)`` throws about the work of the request.
    /// - Complexity: O(*n* log ``limit``) in the number of records, and no more memory than for the page.
    public func page(
        of records: some Sequence<StoredRecord>, resolving resolver: CompiledFilter.Resolver = CompiledFilter.noResolver
    ) throws -> [StoredRecord] {
        try validate()
        var search = try PlanSearch(self)
        let meter = WorkMeter.current
        var order = RecordOrder(order)
        let comparison = order
        let start = position.map { order.place(at: $0) }
        var page = BoundedHeap<(place: RecordOrder.Place, record: StoredRecord)>(limit: limit) {
            try meter?.spend(1)
            return comparison.compare($0.place, to: $1.place) == .before
        }
        // The last place of a full page. It is kept beside the page, because it is compared with every record.
        var bound: RecordOrder.Place?
        for record in records {
            guard try search.isCandidate(record) else { continue }
            if let start, try order.compare(record, to: start, resolving: resolver) != .after { continue }
            if let bound, try order.compare(record, to: bound, resolving: resolver) != .before { continue }
            guard try search.matches(record, resolving: resolver) else { continue }
            try page.insert((try order.place(of: record, resolving: resolver), record))
            bound = page.last?.place
        }
        return try page.sorted().map { $0.record.trimmed(to: keys) }
    }

    /// The number of records that match, wherever the page begins and ends.
    ///
    /// - Parameters:
    ///   - records: Records with all their fields, in any order; of other types and zones too.
    ///   - resolver: Finds the records that references point to; asked only if the filter has key paths.
    /// - Throws: ``CabinetError/Code/invalidArguments``, as ``validate()`` does, or if the filter cannot be evaluated
    ///   for one of the records; and what ``CompiledFilter/matches(_:resolving:)`` throws about the work of the request.
    /// - Complexity: O(*n*) in the number of records.
    public func count(
        in records: some Sequence<StoredRecord>, resolving resolver: CompiledFilter.Resolver = CompiledFilter.noResolver
    ) throws -> Int {
        try validate()
        var search = try PlanSearch(self)
        var count = 0
        for record in records where try search.finds(record, resolving: resolver) { count += 1 }
        return count
    }

    /// What an aggregate is of the values of a key in all records that match, wherever the page begins and ends.
    ///
    /// - Parameters:
    ///   - aggregate: What to compute.
    ///   - key: The field, system field, or key path.
    ///   - records: Records with all their fields, in any order; of other types and zones too.
    ///   - resolver: Finds the records that references point to; asked only if there are key paths.
    /// - Throws: ``CabinetError/Code/invalidArguments``, as ``validate()`` and ``validate(_:over:)`` do, or if the filter
    ///   cannot be evaluated for one of the records.
    /// - Complexity: O(*n*) in the number of records, and no memory that grows.
    public func value(
        of aggregate: Aggregate, over key: Record.FieldKey, in records: some Sequence<StoredRecord>,
        resolving resolver: CompiledFilter.Resolver = CompiledFilter.noResolver
    ) throws -> FieldValue? {
        try validate()
        try validate(aggregate, over: key)
        var search = try PlanSearch(self)
        var reader = KeyReader(key)
        var accumulator = AggregateAccumulator(aggregate)
        for record in records where try search.finds(record, resolving: resolver) {
            try accumulator.add(try reader.value(of: record, resolving: resolver))
        }
        return accumulator.result
    }

    /// How many of the records that match have each value of a key, wherever the page begins and ends.
    ///
    /// - Parameters:
    ///   - key: The field, system field, or key path.
    ///   - records: Records with all their fields, in any order; of other types and zones too.
    ///   - resolver: Finds the records that references point to; asked only if there are key paths.
    /// - Returns: The counts in ascending order of the values, nil first.
    /// - Throws: ``CabinetError/Code/invalidArguments``, as ``validate()`` and ``validateGrouping(by:)`` do, or if the filter
    ///   cannot be evaluated for one of the records.
    /// - Complexity: O(*n*) in the number of records, and memory for each value.
    public func counts(
        by key: Record.FieldKey, in records: some Sequence<StoredRecord>,
        resolving resolver: CompiledFilter.Resolver = CompiledFilter.noResolver
    ) throws -> [ValueCount] {
        try validate()
        try validateGrouping(by: key)
        var search = try PlanSearch(self)
        var reader = KeyReader(key)
        var tally = ValueTally()
        for record in records where try search.finds(record, resolving: resolver) {
            tally.add(try reader.value(of: record, resolving: resolver))
        }
        return tally.counts
    }
}

/// Decides which records belong to a plan, on whatever page.
private struct PlanSearch {
    private let recordType: Record.RecordType
    private let zoneID: RecordZone.ID?
    private var filter: CompiledFilter
    /// That of a record whose type was found to be the plan's; the next record often shares it.
    private var attribution: StoredRecord.Attribution?
    private let meter = WorkMeter.current

    init(_ plan: QueryPlan) throws {
        recordType = plan.recordType
        zoneID = plan.zoneID
        filter = try CompiledFilter(plan.filter, fields: plan.fields)
    }

    /// Whether a record is of the plan's type and in its zone.
    mutating func isCandidate(_ record: StoredRecord) throws -> Bool {
        try meter?.spend(1)
        if record.attribution !== attribution {
            guard record.recordType.hasSameScalars(as: recordType) else { return false }
            attribution = record.attribution
        }
        return zoneID == nil || record.recordID.zoneID == zoneID
    }

    /// Whether the filter finds a record of the plan's type.
    mutating func matches(_ record: StoredRecord, resolving resolver: CompiledFilter.Resolver) throws -> Bool {
        try filter.matches(record, resolving: resolver)
    }

    /// Whether a record belongs to the plan.
    mutating func finds(_ record: StoredRecord, resolving resolver: CompiledFilter.Resolver) throws -> Bool {
        try isCandidate(record) && matches(record, resolving: resolver)
    }
}
