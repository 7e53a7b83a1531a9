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
    ///   for one of the records.
    /// - Complexity: O(*n* log ``limit``) in the number of records, and no more memory than for the page.
    public func page(
        of records: some Sequence<StoredRecord>, resolving resolver: CompiledFilter.Resolver = { _ in nil }
    ) throws -> [StoredRecord] {
        try validate()
        var search = try PlanSearch(self)
        var order = RecordOrder(order)
        let comparison = order
        var page = BoundedHeap<(position: QueryPosition, record: StoredRecord)>(limit: limit) {
            comparison.compare($0.position, to: $1.position) == .before
        }
        // The last place of a full page. It is kept beside the page, because it is compared with every record.
        var bound: QueryPosition?
        for record in records {
            if let position, order.compare(record, to: position) != .after { continue }
            if let bound, order.compare(record, to: bound) != .before { continue }
            guard try search.matches(record, resolving: resolver) else { continue }
            page.insert((order.position(of: record), record))
            bound = page.last?.position
        }
        return page.sorted().map { $0.record.trimmed(to: keys) }
    }

    /// The number of records that match, wherever the page begins and ends.
    ///
    /// - Parameters:
    ///   - records: Records with all their fields, in any order; of other types and zones too.
    ///   - resolver: Finds the records that references point to; asked only if the filter has key paths.
    /// - Throws: ``CabinetError/Code/invalidArguments``, as ``validate()`` does, or if the filter cannot be evaluated
    ///   for one of the records.
    /// - Complexity: O(*n*) in the number of records.
    public func count(
        in records: some Sequence<StoredRecord>, resolving resolver: CompiledFilter.Resolver = { _ in nil }
    ) throws -> Int {
        try validate()
        var search = try PlanSearch(self)
        var count = 0
        for record in records where try search.matches(record, resolving: resolver) { count += 1 }
        return count
    }
}

/// Decides which records belong to a plan, on whatever page.
private struct PlanSearch {
    private let recordType: Record.RecordType
    private let zoneID: RecordZone.ID?
    private var filter: CompiledFilter

    init(_ plan: QueryPlan) throws {
        recordType = plan.recordType
        zoneID = plan.zoneID
        filter = try CompiledFilter(plan.filter, fields: plan.fields)
    }

    mutating func matches(_ record: StoredRecord, resolving resolver: CompiledFilter.Resolver) throws -> Bool {
        guard record.recordType.hasSameScalars(as: recordType) else { return false }
        if let zoneID, record.recordID.zoneID != zoneID { return false }
        return try filter.matches(record, resolving: resolver)
    }
}
